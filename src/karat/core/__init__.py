"""The words everything is said in. Imports nothing else of karat."""
