"""What encloses a server on this machine: bubblewrap, cgroups, an unprivileged user, a folder of its own."""
