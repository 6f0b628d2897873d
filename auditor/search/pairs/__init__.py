"""Pairs that find themselves: strategies of neighbours, what makes one worth auditing, and the search for it."""
