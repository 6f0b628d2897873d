"""What an audit found survives JSON exactly, and nothing impossible can be stored or read."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import ZCDP, ApproxDP, AuditResult, Counts, GaussianDP, UsageError, Verdict, Witness
from auditor.events.event import Event
from auditor.events.scores import Labels, Region, Rows, Steps, Sum, Trees, Value
from auditor.results.plain import number, parse_number
from auditor.results.witness import PairDescription

FINITE = st.floats(allow_nan=False, allow_infinity=False)
ANY = st.floats(allow_nan=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
FEATURES = st.sampled_from(["x", "x[3]", "x[1]-x[0]", "sum", "sorted[2]", "first change", "low bit of x", "bits of x"])


@st.composite
def steps(draw):
    edges = tuple(sorted(draw(st.sets(ANY, max_size=4))))
    values = tuple(draw(FINITE) for _ in range(len(edges) + 1))
    return Steps(draw(FEATURES), edges, values, draw(FINITE))


@st.composite
def rows(draw):
    atoms = tuple(tuple(sorted(draw(st.sets(ANY, min_size=1, max_size=3)))) for _ in range(2))
    keys = tuple(sorted(draw(st.sets(st.integers(0, 15), min_size=1, max_size=4))))
    return Rows(atoms, keys, tuple(draw(FINITE) for _ in keys))


@st.composite
def trees(draw):
    leaves = [(-1, 0.0, 0, 0, draw(FINITE)) for _ in range(2)]
    return Trees(("x", "sum"), (((draw(st.integers(0, 1)), draw(FINITE), 1, 2, 0.0), *leaves), (leaves[0],)))


SCORES = st.one_of(
    st.builds(Value, FEATURES),
    steps(),
    rows(),
    trees(),
    st.builds(Labels, st.dictionaries(TEXT, FINITE, max_size=4).map(lambda d: tuple(d.items()))),
    st.lists(steps(), min_size=1, max_size=3).map(lambda parts: Sum(tuple(parts))),
)


@st.composite
def events(draw):
    low, high = sorted(draw(st.sets(ANY, min_size=2, max_size=2)))
    regions = [Region("<=", low), Region(">=", high)]
    draw(st.randoms()).shuffle(regions)
    left, right = draw(st.sampled_from([(regions[0], regions[1]), (regions[0], None), (None, regions[1])]))
    return Event(draw(SCORES), left, right, draw(st.sampled_from(["values", "bits"])))


@st.composite
def counts(draw):
    sides = [draw(st.lists(st.integers(0, 10**12), min_size=3, max_size=3)) for _ in range(2)]
    (a, b, _), (c, d, _) = sides
    return Counts(sum(sides[0]), sum(sides[1]), a, b, c, d)


CLAIMS = st.one_of(
    st.builds(ApproxDP, st.floats(0, 1e6), st.floats(0, 1)),
    st.builds(GaussianDP, st.floats(1e-6, 1e3)),
    st.builds(ZCDP, st.floats(1e-6, 1e3)),
)


@st.composite
def results(draw):
    event = draw(events())
    pair = PairDescription(
        draw(st.integers(0, 99)), draw(TEXT), draw(TEXT), draw(TEXT), draw(TEXT), draw(st.integers(1, 9))
    )
    witness = Witness(
        pair, event.direction, event, draw(counts()), draw(st.floats(0, 600)), draw(st.floats(0, 1)), "last round"
    )
    return AuditResult(
        name=draw(TEXT),
        claim=draw(CLAIMS),
        verdict=draw(st.sampled_from(Verdict)),
        epsilon_lower=draw(st.floats(0, math.inf)),
        delta=draw(st.floats(0, 1)),
        p_value=draw(st.floats(0, 1)),
        trials_used=draw(st.integers(1, 10**12)),
        trials=draw(st.integers(1, 10**12)),
        alpha=draw(st.floats(1e-9, 0.99)),
        seed=draw(st.integers(0, 2**70)),
        views=draw(st.sampled_from([("values",), ("bits",), ("values", "bits")])),
        witness=witness,
        detectable_epsilon=draw(st.floats(0, math.inf)),
        limits=tuple(draw(st.lists(TEXT, max_size=3))),
        replayable=draw(st.booleans()),
        evidence=tuple(draw(st.lists(st.tuples(st.integers(0, 10**9), FINITE), max_size=4))),
        sketch=draw(st.dictionaries(TEXT, st.one_of(FINITE, TEXT, st.lists(st.integers())), max_size=3)),
        seconds=draw(st.floats(0, 1e6)),
    )


@settings(max_examples=150, deadline=None)
@given(results())
def test_json_round_trip_is_exact(result):
    text = result.to_json()
    again = AuditResult.from_json(text)
    assert again == result
    assert again.to_json() == text
    assert str(again.witness) == str(result.witness)
    assert AuditResult.from_dict(json.loads(text)).witness.event == result.witness.event


def stored(**changes) -> dict:
    event = Event(Value("x"), Region("<=", 0.0), Region(">=", 1.0))
    witness = Witness(PairDescription(0, "0", "1"), "both", event, Counts(10, 10, 7, 2, 3, 6), 1.0, 0.0, "last round")
    result = AuditResult(
        "m", ApproxDP(1.0), Verdict.NOT_REFUTED, 0.5, 0.0, 0.4, 10, 10, 0.01, 0, ("values",), witness, math.inf
    )
    return {**result.to_dict(), **changes}


def test_what_is_read_back_can_be_changed_into_what_is_not():
    """The control for the test below: unchanged, it is read."""
    assert AuditResult.from_dict(stored()).to_dict() == stored()
    assert stored()["detectable_epsilon"] == "inf"


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "private"},
        {"claim": {"kind": "Magic"}},
        {"claim": {"kind": "ApproxDP", "epsilon": -1.0, "delta": 0.0}},
        {"claim": {"kind": "ApproxDP", "mu": 1.0}},
        {"epsilon_lower": "much"},
        {"p_value": True},
        {"trials": 10.5},
        {"trials": True},
        {"seed": "0"},
        {"views": [3]},
        {"witness": None},
        {"witness": {}},
        {"limits": [1]},
        {"replayable": "yes"},
        {"evidence": [[1.5, 2.0]]},
        {"evidence": [3]},
        {"sketch": []},
        {"seconds": None, "trials_used": None},
    ],
    ids=str,
)
def test_anything_else_is_a_usage_error(changes):
    with pytest.raises(UsageError, match=r"of a stored audit result must .*, got|must be as in docs/results\.md"):
        AuditResult.from_dict(stored(**changes))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"trials": 10.0}, "trials of a stored audit result must be a whole number, 0 or more, got trials=10.0"),
        ({"views": ["eyes"]}, "views[0] of a stored audit result must be one of values, bits, got views[0]='eyes'"),
        (
            {"witness": {**stored()["witness"], "counts": {**stored()["witness"]["counts"], "left_trials": -1}}},
            "witness.counts.left_trials of a stored audit result must be a whole number, 0 or more, got "
            "witness.counts.left_trials=-1",
        ),
        ({"p_value": math.nan}, "p_value of a stored audit result must be a number from 0 to 1, got p_value=nan"),
        (
            {"detectable_epsilon": "much"},
            'detectable_epsilon of a stored audit result must be a number, "inf", "-inf" or null, got '
            "detectable_epsilon='much'",
        ),
    ],
)
def test_the_error_names_the_field_the_rule_and_the_value(changes, sentence):
    with pytest.raises(UsageError) as caught:
        AuditResult.from_dict(stored(**changes))
    assert str(caught.value) == f"{sentence}; see docs/results.md"


def test_a_file_from_before_there_were_diagnoses_and_names_is_read():
    data = stored()
    del data["diagnosis"], data["witness"]["names"]
    found = AuditResult.from_dict(data)
    assert (found.diagnosis, found.witness.names) == ((), ())


@pytest.mark.parametrize("key", [key for key in stored() if key != "diagnosis"])
def test_every_field_is_needed(key):
    data = stored()
    del data[key]
    with pytest.raises(UsageError, match=f"a stored audit result must have {key}, got keys="):
        AuditResult.from_dict(data)


@pytest.mark.parametrize(
    "changes",
    [
        {"left_guessed_left": 11},
        {"left_guessed_left": 9, "left_guessed_right": 2},
        {"right_trials": 3},
    ],
    ids=str,
)
def test_impossible_counts_cannot_be_read(changes):
    data = stored()
    data["witness"] = {**data["witness"], "counts": {**data["witness"]["counts"], **changes}}
    with pytest.raises(UsageError, match="guesses must be counts within their side's trials"):
        AuditResult.from_dict(data)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"result"'])
def test_what_is_no_result_is_a_usage_error(text):
    with pytest.raises(UsageError):
        AuditResult.from_json(text)


def test_counts_add_up_and_name_right_and_wrong():
    first, second = Counts(10, 12, 7, 2, 3, 6), Counts(5, 5, 1, 1, 1, 1)
    assert (first.correct, first.wrong, first.trials) == (13, 5, 22)
    assert first + second == Counts(15, 17, 8, 3, 4, 7)


@given(st.floats())
def test_a_number_is_read_as_it_was_written(value):
    again = parse_number(json.loads(json.dumps(number(value), allow_nan=False)))
    assert again == value or (math.isnan(again) and math.isnan(value))


def test_a_witness_is_told_with_its_counts_and_what_follows():
    words = str(AuditResult.from_dict(stored()).witness)
    assert words == (
        "On 0 and 1, x <= 0 in 7 of 10 runs on the left input and 3 of 10 on the right one; x >= 1 in 6 on the right "
        "and 2 on the left. Whoever guesses the input by this is right 13 times and wrong 5 times, 2.6 to 1; the claim "
        "allows 2.72 to 1."
    )


def test_verdicts_say_what_they_say():
    assert [str(verdict) for verdict in Verdict] == ["refuted", "not refuted"]


def test_timings_are_all_that_differs_between_equal_audits():
    one = AuditResult.from_dict(stored(seconds=1.0))
    two = AuditResult.from_dict(stored(seconds=2.0))
    assert one != two
    assert one.without_timings() == two.without_timings()
