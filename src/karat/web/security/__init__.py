"""Who may ask, from where, and what protects every form."""
