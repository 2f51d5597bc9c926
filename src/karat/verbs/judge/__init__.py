"""``karat judge``: asking a judge, holding it against people, and what to review next."""
