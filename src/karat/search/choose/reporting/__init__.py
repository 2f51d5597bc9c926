"""What a tuning says: its JSON, its sentences, its sheets."""
