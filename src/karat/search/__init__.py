"""Search: embedding models, their vector cache, the rank of every truth in one pass, and the best n and model for each
field."""
