"""Case files and recorded answers of every suite: how they are read, checked, edited and written."""
