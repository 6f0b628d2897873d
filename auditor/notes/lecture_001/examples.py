"""Lecture 001, the budget and its three worked examples on ten rows."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.sensitivity import largest_distance, replacements
from auditor.notes.facts import Fact, at_most, close, fact
from auditor.notes.run import Run
from mechanisms.attribute_means import AttributeMeans, AttributeMeansEachAlone
from mechanisms.core.budget import BudgetExceededError, PrivacyBudget
from mechanisms.core.claims import ApproxDP
from mechanisms.core.neighbours import Relation
from mechanisms.core.queries import TEN_ROWS, THREE_BITS, Bits, replaced
from mechanisms.histogram import Histogram, HistogramAddRemoveScale
from mechanisms.laplace import Laplace
from mechanisms.noisy_queries import NoisyQueries
from mechanisms.threshold_queries import ThresholdQueries, ThresholdQueriesEachAlone

EACH = 0.25  # epsilon of each query in the audited examples


@entry(
    "001-BUD",
    kind="R",
    title="Privacy as a budget",
    statement="Budget = ε_global − ε₁ − ε₂ − … − εₙ",
    conditions="basic composition (Theorem 1.7)",
    source="001 “Privacy Budget vs Epsilon”",
    expected="holds",
)
def budget(run: Run) -> Outcome:
    """A ledger that adds exactly and refuses what it cannot pay, with the mechanisms' own claims."""
    rng = run.rng("draws")
    account = PrivacyBudget(1.0)
    for _ in range(4):
        account.draw(Laplace(epsilon=0.2), (0, 1, 1), rng)
    left = account.remaining.epsilon
    refused = False
    try:
        account.draw(Laplace(epsilon=0.3), (0, 1, 1), rng)
    except BudgetExceededError:
        refused = True
    tenths = PrivacyBudget(1.0)
    for _ in range(10):
        tenths.spend(ApproxDP(0.1))
    return judge(
        printed=[
            close("left of 1 after four answers at 0.2", left, 0.2),
            close("spent, as the answers' claims add up", account.spent.epsilon, 0.8),
            fact("a fifth answer at 0.3 is refused", refused),
            close("and costs nothing", account.remaining.epsilon, left),
            close("ten answers at 0.1 spend 1 exactly", tenths.remaining.epsilon, 0.0, absolute=1e-15),
        ],
        claimed=0.2,
        exact=left,
    )


def _values(noisy: NoisyQueries, printed: Sequence[float], rows: Sequence[Bits] = TEN_ROWS) -> list[Fact]:
    found = noisy.queries.fractions(rows)
    return [
        close(f"q_{name}", value, expected, absolute=1e-12)
        for name, value, expected in zip(noisy.queries.names, found, printed, strict=True)
    ]


def _joint(queries: NoisyQueries, printed: float) -> Fact:
    """The joint l1 sensitivity by brute force over pairs of rows, against the catalogue's."""
    by_force = largest_distance(queries.queries.counts, replacements(THREE_BITS, 1), 1)
    return close("joint ℓ₁ sensitivity times n, by brute force", by_force, printed)


@entry(
    "001-E1",
    kind="E",
    title="Example 1: threshold queries",
    statement=("q*_y(D) = .3, .4, .6, .6, .6, .9, 1, 1 + L(1/(nε_i)); Budget = ε_global − ε₁ − … − ε₈, that is 8ε"),
    conditions="X = {0,1}³ ordered by binary encoding, n = 10, replace-one",
    source="001 Example 1",
    expected="holds",
    tests=1,
)
def threshold_example(run: Run) -> Outcome:
    """The eight values, and the joint cost of the noisy answers: 7 epsilon, as the last is constant."""
    noisy = ThresholdQueriesEachAlone(epsilon=EACH)
    claim = ApproxDP(8 * EACH)
    exact = exact_profile(noisy).epsilon_at(0.0)
    audit = run.audit(noisy, claim=claim, pairs=noisy.neighbours()[:1])
    alone = ThresholdQueries.queries.sensitivity(Relation.REPLACE_ONE)
    return judge(
        printed=[
            *_values(noisy, (0.3, 0.4, 0.6, 0.6, 0.6, 0.9, 1.0, 1.0)),
            close("scale of each answer, 1/(nε)", noisy.scale(TEN_ROWS), 1 / (10 * EACH)),
            at_most("exact cost of the eight answers", exact, claim.epsilon),
            fact("an audit does not refute 8ε", not audit.refuted),
        ],
        anchors=[_joint(noisy, alone), close("exact cost over ε", exact / EACH, 7.0, 1e-9)],
        audit=audit,
        curve=exact_profile(noisy),
        claimed=claim.epsilon,
        exact=exact,
        finding="8ε is valid; 7ε is enough, since q_111 is 1 on every dataset and costs nothing.",
    )


@entry(
    "001-E2",
    kind="E",
    title="Example II: attribute means",
    statement="q*_j(D) = .4, .3, .4 + L(1/(nε_j)), margins 4, 3, 4; ε_global = ε + ε + ε = 3ε",
    conditions="X = {0,1}³, n = 10, replace-one",
    source="001 Example II",
    expected="holds",
    tests=1,
)
def means_example(run: Run) -> Outcome:
    """The three means and margins, and their joint cost of exactly 3 epsilon."""
    noisy = AttributeMeansEachAlone(epsilon=2 * EACH)
    claim = ApproxDP(6 * EACH)
    exact = exact_profile(noisy).epsilon_at(0.0)
    audit = run.audit(noisy, claim=claim, pairs=noisy.neighbours()[:1])
    margins = noisy.queries.counts(TEN_ROWS)
    return judge(
        printed=[
            *_values(noisy, (0.4, 0.3, 0.4)),
            fact(f"margins {', '.join(f'{m:g}' for m in margins)} = 4, 3, 4", list(margins) == [4, 3, 4]),
            close("scale of each answer, 1/(nε)", noisy.scale(TEN_ROWS), 1 / (20 * EACH)),
            close("exact cost of the three answers: 3ε is tight", exact, claim.epsilon),
            fact("an audit does not refute 3ε", not audit.refuted),
        ],
        anchors=[_joint(noisy, AttributeMeans().sensitivity)],
        audit=audit,
        curve=exact_profile(noisy),
        claimed=claim.epsilon,
        exact=exact,
    )


@entry(
    "001-E3",
    kind="E",
    title="Example III: point functions",
    statement=(
        "q_y(D) = .3, .1, .2, 0, 0, .3, .1, 0 and q_y(D′) = .2, .1, .3, 0, 0, .3, .1, 0; with L(1/(nε)) "
        "each, Budget = ε_global − 8ε"
    ),
    conditions="X = {0,1}³, n = 10, replace-one; D′ has 010 for 000 in row I5",
    source="001 Example III, slides 24 and 25",
    expected="holds",
    tests=1,
)
def points_example(run: Run) -> Outcome:
    """The values on D and D', and the joint cost at scale 1/(n epsilon): 2 epsilon, not 8."""
    noisy = HistogramAddRemoveScale(epsilon=2 * EACH)
    claim = ApproxDP(16 * EACH)
    exact = exact_profile(noisy).epsilon_at(0.0)
    audit = run.audit(noisy, claim=claim, pairs=noisy.neighbours()[:1])
    other = replaced(TEN_ROWS, 4, (0, 1, 0))
    return judge(
        printed=[
            *_values(noisy, (0.3, 0.1, 0.2, 0.0, 0.0, 0.3, 0.1, 0.0)),
            *_values(noisy, (0.2, 0.1, 0.3, 0.0, 0.0, 0.3, 0.1, 0.0), other),
            close("scale of each answer, 1/(nε)", noisy.scale(TEN_ROWS), 1 / (20 * EACH)),
            at_most("exact cost of the eight answers", exact, claim.epsilon),
            fact("an audit does not refute 8ε", not audit.refuted),
        ],
        anchors=[
            _joint(noisy, Histogram().sensitivity),
            close("exact cost over ε", exact / (2 * EACH), 2.0, 1e-9),
        ],
        audit=audit,
        curve=exact_profile(noisy),
        claimed=claim.epsilon,
        exact=exact,
        finding="8ε is valid; 2ε is enough, since one record is in one cell and a replacement moves two.",
    )


@entry(
    "001-E3b",
    kind="E",
    title="Example III: the histogram",
    statement="q_y(D) + L(2/(nε)) for all eight y: Budget = ε_global − 2ε",
    conditions="n = 10, replace-one",
    source="001 Example III, slide 26",
    expected="false as printed",
    tests=1,
)
def histogram_example(run: Run) -> Outcome:
    """The joint cost at scale 2/(n epsilon) is epsilon: the factor 2 is charged in the noise already."""
    mechanism = Histogram()
    half = HistogramAddRemoveScale()
    exact = exact_profile(mechanism).epsilon_at(0.0)
    audit = run.audit(mechanism)
    n = len(TEN_ROWS)
    return judge(
        printed=[close("exact cost of the eight answers at scale 2/(nε), ε = 1", exact, 2.0)],
        corrected=[
            close("scale", mechanism.scale(TEN_ROWS), 2 / (n * mechanism.epsilon)),
            close("exact cost at scale 2/(nε)", exact, mechanism.epsilon),
            close("exact cost at scale 1/(nε)", exact_profile(half).epsilon_at(0.0), 2 * half.epsilon),
            fact("an audit does not refute ε", not audit.refuted),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=2.0,
        exact=exact,
        finding=(
            f"Eight answers with L(2/(nε)) cost {exact:g}·ε together, not 2ε: the two cells that a "
            "replacement "
            "moves are paid for by the factor 2 of the scale, and are charged once more in the budget."
        ),
        correction="L(2/(nε)) with Budget = ε_global − ε, or L(1/(nε)) with Budget = ε_global − 2ε.",
    )
