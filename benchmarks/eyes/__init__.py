"""Total leaks over all kinds of outputs: one look at the right place tells the two sides apart, all else is noise.

Each has a correct twin, which leaks a bit that randomized response has flipped: exactly 1-DP, and no better.
`python -m benchmarks.eyes [--only TEXT]` audits all of them.
"""
