"""The claims of lecture 000, by topic."""
