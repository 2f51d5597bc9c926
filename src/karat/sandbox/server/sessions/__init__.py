"""Steps that build on each other: their processes, who may fork, and watching them."""
