"""Reading code: every expression and statement of its syntax tree, with what is known of each value."""
