"""A mechanism that answers with a label.

dp-audit run examples/labels.py
"""

import numpy as np

from auditor import ApproxDP, NeighbourPair


class Vote:
    """The exponential mechanism over votes: a candidate wins with weight exp(epsilon · votes / 2)."""

    claim = ApproxDP(epsilon=1.0)
    candidates = ("ada", "grace", "katherine")

    def sample(self, ballots, n, rng):
        votes = np.array([ballots.count(candidate) for candidate in self.candidates])
        weights = np.exp(self.claim.epsilon * votes / 2)
        return rng.choice(self.candidates, size=n, p=weights / weights.sum())

    def neighbours(self):
        return [NeighbourPair(["ada", "grace"], ["ada", "ada"], "replace-one", "one ballot changes sides")]


vote = Vote()
