"""What a cell means and when two values are equal: numbers, texts, Unicode forms."""
