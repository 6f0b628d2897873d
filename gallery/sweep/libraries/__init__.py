"""One file for each part of a library: which names are public, which are left out and why, and how each is audited."""
