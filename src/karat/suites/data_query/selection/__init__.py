"""What a response selects and does, apart from its form: datasets, dimensions, terms, outcome, stages."""
