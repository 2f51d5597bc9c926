"""What a snippet may do, enforced by the kernel: users, folders, system calls, limits."""
