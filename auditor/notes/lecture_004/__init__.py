"""The claims of lecture 004, by topic."""
