"""The claims of lecture 001, by topic."""
