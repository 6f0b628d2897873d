"""How an audit shares out its coin flips and its alpha: fixed after the pilot, before anything is tested."""

from __future__ import annotations

import math
from dataclasses import dataclass

from auditor.certify.evidence import Point
from auditor.request import Request
from auditor.search.utility import Growth, LowerBound, Significance
from auditor.tuning import Tuning


@dataclass(frozen=True)
class Plan:
    """The shares. A coin flip is one draw, on the side that the coin names."""

    points: tuple[Point, ...]  # the points of the claim's profile at which it is tested
    running: float  # alpha of the running evidence
    lone: float  # alpha of the running evidence about outputs that were seen on one side alone
    last: float  # alpha of the last round's exact test
    budget: int  # coin flips in all
    learning: int  # coin flips that may choose the last round's event
    most_learning: int  # coin flips to which `learning` may grow where a rare event is worth it
    numbers: bool  # outputs are plain numbers, which are quick to learn from
    tuning: Tuning
    stop_early: bool = True  # the audit is over as soon as the running evidence suffices
    continued: bool = False  # the running evidence goes on from night to night

    @property
    def last_round(self) -> int:
        """Coin flips of the last round."""
        return self.budget - self.learning

    @property
    def hopeless(self) -> bool:
        """True where no event could ever make the running evidence suffice."""
        fastest = max(_fastest(point) for point in self.points)
        return not self.continued and self.budget * fastest < -math.log(self.running)

    def growths(self) -> list[Growth]:
        """What an event adds to the running evidence, at each point of the claim."""
        return [Growth(point, self.tuning.prudence) for point in self.points]

    def bounds(self) -> list[LowerBound]:
        """What an event would certify in the last round, at each point of the claim."""
        return [LowerBound(point, self.last_round, self.last, prudence=self.tuning.prudence) for point in self.points]

    def significances(self) -> list[Significance]:
        """By how much an event passes each point of the claim, in standard errors."""
        return [Significance(point) for point in self.points]


def plan_of(asked: Request, numbers: bool, tuning: Tuning) -> Plan:
    """The plan of an audit. `running + lone + last = alpha`: whatever refutes the claim, alpha covers it
    (docs/method.md)."""
    rounds, budget = tuning.rounds, 2 * asked.trials
    long_numbers = max(rounds.most_learning_numbers, budget // rounds.long_learning_part - rounds.long_learning_less)
    enough = long_numbers if numbers else rounds.most_learning_others
    share = min(int(rounds.learning_share * budget), enough)
    learning = min(max(share, rounds.least_learning), budget // 2)
    evidence = rounds.evidence_share(asked.alpha) * asked.alpha
    return Plan(
        points=tuple(Point(epsilon, delta) for epsilon, delta in asked.claim.points()),
        running=(1 - rounds.lone_share) * evidence,
        lone=rounds.lone_share * evidence,
        last=asked.alpha - evidence,
        budget=budget,
        learning=learning,
        most_learning=max(learning, min(2 * tuning.learning.remembered, budget // 2)),
        numbers=numbers,
        tuning=tuning,
        stop_early=asked.stop_early,
    )


def _fastest(point: Point) -> float:
    """The most that one coin flip can add to the evidence against a point of the claim."""
    return math.inf if point.delta else math.log1p(math.exp(-point.epsilon))
