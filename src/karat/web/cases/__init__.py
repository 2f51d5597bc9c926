"""One case, and rows of cases, as the pages show them."""
