"""An output as a tree of leaves, and the tree as columns of numbers by path."""
