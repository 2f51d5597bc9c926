"""Numbers in words: English ones, those of other languages, and what multiplies a number."""
