"""The claims of lecture 002, by topic."""
