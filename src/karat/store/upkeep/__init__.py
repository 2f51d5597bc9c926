"""Looking after a store as a whole: check it, save what can be saved of a damaged one, copy it to another database."""
