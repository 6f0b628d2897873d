"""A mechanism in plain Python that gives one output a call.

dp-audit run examples/per_draw.py
"""

import math

from auditor import ApproxDP, NeighbourPair, per_draw


def answer(truth, rng):
    """Tells the truth with probability 3/4, and else flips a coin: yes with 7/8 against 1/8."""
    if rng.random() < 0.75:
        return truth
    return bool(rng.random() < 0.5)


class Survey:
    """`per_draw` makes n outputs of a function that gives one."""

    claim = ApproxDP(epsilon=math.log(7))
    sample = staticmethod(per_draw(answer).sample)

    def neighbours(self):
        return [NeighbourPair(True, False, "replace-one", "one person's answer is the whole dataset")]


survey = Survey()
