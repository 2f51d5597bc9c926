"""The parts of a run's page."""
