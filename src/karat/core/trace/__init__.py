"""How an answer came about, read from every form in which assistants and tracing tools write it."""
