import itertools
import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, enumerated_delta, fits_probabilities

from mechanisms.core.catalogue import find, mutants_of
from mechanisms.eye_colour import COLOURS, EyeColour, EyeColourMonotone, EyeColourNoHalf
from mechanisms.pricing import Apples, ApplesUnitSensitivity, Bidders, BiddersUnitSensitivity


def softmax(scores, rate):
    weights = [math.exp(rate * (score - max(scores))) for score in scores]
    return dict(enumerate(weight / sum(weights) for weight in weights))


def room(counts):
    return tuple(colour for colour, count in zip(COLOURS, counts, strict=True) for _ in range(count))


def votes(largest):
    """All votes up to `largest` each, of which the last three colours are in order."""
    for first, second in itertools.product(range(largest + 1), repeat=2):
        for rest in itertools.combinations_with_replacement(range(largest + 1), 3):
            yield (first, second, *rest)


def worst_vote(epsilon, rate, largest, replaced):
    best = 0.0
    for counts in votes(largest):
        after = list(counts)
        after[0] += 1
        if replaced:
            after[1] -= 1
        if min(after) >= 0:
            best = max(best, enumerated_delta(softmax(counts, rate), softmax(after, rate), epsilon))
    return best


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.8])
def test_eye_colour_against_all_small_rooms(fraction):
    """At epsilon 6 counts up to 5 are nearly as good as any; the profile is the supremum over rooms."""
    epsilon = 6 * fraction
    exact = EyeColour(6.0).exact().delta_at(epsilon)
    found = worst_vote(epsilon, 3.0, 5, replaced=True)
    assert found <= exact + 1e-9
    assert found == pytest.approx(exact, abs=2e-6)
    exact = EyeColourMonotone(3.0).exact().delta_at(epsilon / 2)
    found = worst_vote(epsilon / 2, 3.0, 5, replaced=False)
    assert found <= exact + 1e-9
    assert found == pytest.approx(exact, abs=2e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 0.9, 1.5])
def test_eye_colour_against_two_colours_far_ahead(epsilon):
    """At epsilon 1: two colours with 60 votes or so, by enumeration of the five outcomes."""
    for mechanism in (EyeColour(), EyeColourNoHalf()):
        found = max(
            enumerated_delta(
                softmax((60, second, 0, 0, 0), mechanism.rate),
                softmax((61, second - 1, 0, 0, 0), mechanism.rate),
                epsilon,
            )
            for second in range(40, 81)
        )
        assert mechanism.exact().delta_at(epsilon) == pytest.approx(found, abs=1e-6)


def test_small_rooms_as_in_the_ledger():
    """Ledger 003-EM: ten people at the most, .4958 when one is added, .9762 when one is replaced."""

    def loss(before, after):
        p, q = softmax(before, 0.5), softmax(after, 0.5)
        return max(abs(math.log(p[i] / q[i])) for i in p)

    spread = [c for c in itertools.product(range(11), repeat=5) if sum(c) <= 10 and c[2] >= c[3] >= c[4]]
    replaced = max(loss(c, (c[0] + 1, c[1] - 1, *c[2:])) for c in spread if c[1])
    added = max(loss(c, (c[0] + 1, *c[1:])) for c in spread)
    assert added == pytest.approx(0.4958, abs=5e-5)
    assert replaced == pytest.approx(0.9762, abs=5e-5)


@pytest.mark.parametrize("cls", [Bidders, BiddersUnitSensitivity])
def test_bidders_come_as_close_as_one_likes(cls):
    """A random search over thousands of bidders: n_p of them pay p, and one goes from 5 to 6."""
    mechanism, rng = cls(), np.random.default_rng(0)
    prices = np.arange(1, 7)
    top, reach = rng.integers(1000, 1020, (400_000, 1)), int(4 / mechanism.rate)
    buyers = np.hstack(
        [np.round(6 * top / p) + rng.integers(-2 * reach // p, reach // p + 1, top.shape) for p in prices[:-1]]
    )
    assert (np.diff(np.hstack([buyers, top]), axis=1) < 0).all()  # fewer pay more, so such bidders exist
    rest = np.exp(mechanism.rate * (prices[:-1] * buyers - 6 * top)).sum(axis=1)
    before, after = 1 / (1 + rest), 1 / (1 + rest * math.exp(-6 * mechanism.rate))
    for epsilon in (0.0, 1.0 * mechanism.rate, 3.0 * mechanism.rate, 5.0 * mechanism.rate):
        found = (after - math.exp(epsilon) * before).max()
        exact = mechanism.exact().delta_at(epsilon)
        assert found <= exact + 1e-12
        assert found == pytest.approx(exact, abs=1e-6)


def test_true_epsilons():
    assert EyeColour(0.7).exact().epsilon_at(0.0) == pytest.approx(0.7, abs=1e-6)
    assert EyeColourNoHalf(0.7).exact().epsilon_at(0.0) == pytest.approx(1.4, abs=1e-6)
    assert EyeColourMonotone().exact().epsilon_at(0.0) == pytest.approx(1.0, abs=1e-6)
    assert Apples().exact().epsilon_at(0.0) == pytest.approx(0.5, abs=1e-6)
    assert ApplesUnitSensitivity().exact().epsilon_at(0.0) == pytest.approx(2.5, abs=1e-6)
    assert BiddersUnitSensitivity().exact().epsilon_at(0.0) == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize("identifier", ["eye-colour", "eye-colour-monotone", "apples", "bidders"])
def test_the_pairs_of_each_mutant_break_its_claim(identifier):
    """The stated neighbours are enough: the worst of them by enumeration exceeds epsilon by a margin."""
    mechanism = find(identifier)
    for broken in mutants_of(mechanism):
        deltas = [worst_of(broken, pair) for pair in broken.neighbours()]
        assert max(deltas) > 0.05
        assert max(deltas) <= broken.exact().delta_at(broken.epsilon) + 1e-9
    for pair in mechanism.neighbours():
        assert worst_of(mechanism, pair) <= 1e-12
        half = enumerated_delta(*(dict(enumerate(mechanism.probabilities(d))) for d in (pair.left, pair.right)), 0.2)
        assert half <= mechanism.exact().delta_at(0.2) + 1e-12


def worst_of(mechanism, pair):
    laws = (dict(enumerate(mechanism.probabilities(dataset))) for dataset in (pair.left, pair.right))
    return enumerated_delta(*laws, mechanism.claim.epsilon)


@pytest.mark.parametrize("identifier", ["eye-colour", "eye-colour/no-half", "apples", "bidders"])
def test_sampler(identifier):
    mechanism = find(identifier)
    dataset = mechanism.neighbours()[0].right
    law = softmax(list(mechanism.scores(dataset)), mechanism.rate)
    labels = {outcome: law[i] for i, outcome in enumerate(mechanism.outcomes.tolist())}
    outputs = mechanism.sample(dataset, 100_000, np.random.default_rng(10))
    assert fits_probabilities(outputs, labels) > FALSE_ALARM
    other = mechanism.sample(mechanism.neighbours()[0].left, 100_000, np.random.default_rng(10))
    assert fits_probabilities(other, labels) < FALSE_ALARM  # the check tells the two neighbours apart


def test_large_scores_do_not_overflow():
    crowd = ("Brown",) * 100_000 + ("Blue",) * 99_999
    law = EyeColour().probabilities(crowd)
    assert law[COLOURS.index("Brown")] == pytest.approx(1 / (1 + math.exp(-0.5)))
    outputs = EyeColour().sample(crowd, 1000, np.random.default_rng(0))
    assert set(outputs) == {"Brown", "Blue"}
    assert Apples().probabilities((5.0,) * 10**6).max() > 0.03


def test_revenues_of_the_notes():
    """003-E3: 4.00 at 1.00, 4.01 at 4.01, 0 at 4.02, 1.01 at 1.01. 000-E1: 3, 4, 5 and nothing above 5."""
    apples, price = Apples(), Apples.prices().tolist()
    revenue = apples.scores((1.0, 1.0, 1.0, 4.01))
    assert [revenue[price.index(p)] for p in (1.0, 4.01, 4.02, 1.01)] == pytest.approx([4.0, 4.01, 0.0, 1.01])
    assert Bidders().scores((1.0, 2.0, 5.0))[[0, 1, 4, 5]].tolist() == [3.0, 4.0, 5.0, 0.0]


def test_wrong_sensitivity_as_in_the_ledger():
    """Ledger: Delta = 1 for revenue, four customers or three: 1.0916, with prices from 0.01 to 5.00."""
    customers = ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 4.01))

    def loss(cents):
        laws = [
            softmax([c / 100 * sum(value >= c / 100 for value in values) for c in cents], 0.5) for values in customers
        ]
        return max(abs(math.log(laws[0][i] / laws[1][i])) for i in laws[0])

    assert loss(range(1, 501)) == pytest.approx(1.0916, abs=5e-5)
    left, right = (np.log(ApplesUnitSensitivity().probabilities(values)) for values in customers)
    assert np.abs(left - right).max() == pytest.approx(loss(range(100, 501)), abs=1e-12)  # 1.1400


def test_utility_is_close_to_its_bound():
    """Ledger 000-L3.2: five outcomes, t = 3: .03830 against e^-3 = .04979."""
    gap = 2 * (math.log(5) + 3)
    law = softmax([gap, 0, 0, 0, 0], 0.5)
    assert 1 - law[0] == pytest.approx(0.03830, abs=5e-6)


def test_bad_parameters():
    for cls in (EyeColour, EyeColourMonotone, Apples, Bidders):
        with pytest.raises(ValueError, match=r"epsilon must be .*got epsilon=-1"):
            cls(-1)
