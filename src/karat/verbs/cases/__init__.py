"""What ``karat cases`` does: list, find, edit, accept, add, compare and propose cases. Drafts are always included."""
