"""Where predictions come from: a recording, an HTTP endpoint, a chat model, a command, a Python function."""
