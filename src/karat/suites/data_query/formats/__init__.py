"""The forms that answers of assistants come in."""
