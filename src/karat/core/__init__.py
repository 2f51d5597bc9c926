"""The types that everything else uses. Imports nothing else of karat."""
