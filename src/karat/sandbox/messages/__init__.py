"""Messages between host and server: sent, limited, checked, and read into plain values."""
