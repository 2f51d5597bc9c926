"""Parts that the report of every suite contains: failure groups, reviews, tags, attempts and others."""
