"""What a question asks for, held against what code does."""
