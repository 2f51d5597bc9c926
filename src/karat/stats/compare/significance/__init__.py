"""Is a difference more than chance: McNemar, the paired permutation test, and Holm for several metrics."""
