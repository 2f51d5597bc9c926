"""What a question asks for, compared with what code does."""
