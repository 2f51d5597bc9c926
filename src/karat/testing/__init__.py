"""Cases and gates of a project as tests of pytest. ``karat.pytest_plugin`` loads this package when it is needed."""
