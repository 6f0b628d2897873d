"""The claims of lecture 003, by topic."""
