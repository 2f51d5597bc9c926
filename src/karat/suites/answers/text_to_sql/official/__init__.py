"""What the public evaluators of BIRD, Spider and defog say of two results. Each figure reads rows of Python values and
runs no SQL."""
