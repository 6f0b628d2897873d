"""Bad input to every public function: a typed error that helps, or a documented result; never a wrong verdict."""

import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor import (
    ZCDP,
    ApproxDP,
    AuditError,
    AuditResult,
    Counts,
    GaussianDP,
    MechanismError,
    NeighbourPair,
    UsageError,
    audit,
    per_draw,
)
from auditor.doors.audits_toml import run_plan
from auditor.events.event import event_from_dict
from auditor.results.document import Document, read
from auditor.results.files import write_text
from mechanisms.core.claims import claim_from_dict

NAN, INF = math.nan, math.inf
PAIRS = [(0, 1)]


def laplace(dataset, n, rng):
    return dataset + rng.laplace(0, 1, n)


def ask(mechanism=laplace, claim=ApproxDP(1.0), pairs=PAIRS, **options):  # noqa: B008
    return audit(mechanism, claim, pairs, **{"trials": 300, "jobs": 1, **options})


def helps(error: BaseException) -> bool:
    """One sentence for a person: not empty, not somebody else's internals."""
    text = str(error)
    return 15 <= len(text) <= 1500 and "\n" not in text.strip()


def attempt(function, expected):
    """What it returns, or None after an error of the expected kind with a sentence that helps."""
    try:
        return function()
    except expected as error:
        if not helps(error):
            raise
        return None


class Sampler:
    """Whatever `sample` is given."""

    def __init__(self, sample):
        self.sample = sample


ARGUMENTS = {
    "no mechanism": dict(mechanism=None),
    "a number for a mechanism": dict(mechanism=3.5),
    "a text for a mechanism": dict(mechanism="laplace"),
    "a class for a mechanism": dict(mechanism=Sampler),
    "a mechanism whose sample is a number": dict(mechanism=Sampler(3)),
    "a function of two": dict(mechanism=lambda dataset, rng: 0.0),
    "a function of none": dict(mechanism=lambda: 0.0),
    "a function of four": dict(mechanism=lambda a, b, c, d: 0.0),
    "a module for a mechanism": dict(mechanism=math),
    "a dict for a mechanism": dict(mechanism={}),
    "no claim": dict(claim=None),
    "a number for a claim": dict(claim=1.0),
    "a tuple for a claim": dict(claim=(1.0, 0.0)),
    "the class of a claim": dict(claim=ApproxDP),
    "no pairs": dict(pairs=[]),
    "pairs that are none": dict(pairs=None),
    "a number for pairs": dict(pairs=7),
    "a text for pairs": dict(pairs="ab"),
    "bytes for pairs": dict(pairs=b"ab"),
    "a pair for pairs": dict(pairs=(0, 1)),
    "a pair of three": dict(pairs=[(1, 2, 3)]),
    "a pair of one": dict(pairs=[(1,)]),
    "a text for a pair": dict(pairs=["ab"]),
    "a set for a pair": dict(pairs=[{0, 1}]),
    "an empty pair": dict(pairs=[()]),
    "no trials": dict(trials=0),
    "fewer than no trials": dict(trials=-5),
    "half a trial": dict(trials=1.5),
    "trials as a float": dict(trials=1e6),
    "trials that are not a number": dict(trials=NAN),
    "infinitely many trials": dict(trials=INF),
    "trials as text": dict(trials="1000"),
    "trials that are true": dict(trials=True),
    "trials that are none": dict(trials=None),
    "trials as a list": dict(trials=[100]),
    "alpha of nothing": dict(alpha=0.0),
    "alpha of one": dict(alpha=1.0),
    "alpha of next to nothing": dict(alpha=5e-324),
    "alpha of two": dict(alpha=2.0),
    "alpha below nothing": dict(alpha=-0.01),
    "alpha that is not a number": dict(alpha=NAN),
    "alpha as text": dict(alpha="0.01"),
    "alpha that is none": dict(alpha=None),
    "alpha that is true": dict(alpha=True),
    "alpha that is complex": dict(alpha=0.1j),
    "a seed below nothing": dict(seed=-1),
    "half a seed": dict(seed=0.5),
    "a seed as text": dict(seed="seed"),
    "a seed that is none": dict(seed=None),
    "a seed that is an array": dict(seed=np.array([1, 2])),
    "a view that is none": dict(views=("colours",)),
    "no views": dict(views=()),
    "a text for views": dict(views="values"),
    "a number for views": dict(views=3),
    "views with none among them": dict(views=("values", None)),
    "views with a list among them": dict(views=(["values"],)),
    "no jobs": dict(jobs=0),
    "half a job": dict(jobs=1.5),
    "jobs as text": dict(jobs="two"),
    "jobs that are none": dict(jobs=None),
    "jobs that are true": dict(jobs=True),
    "a time limit of nothing": dict(time_limit=0),
    "a time limit below nothing": dict(time_limit=-1.0),
    "a time limit that is not a number": dict(time_limit=NAN),
    "an infinite time limit": dict(time_limit=INF),
    "a time limit as text": dict(time_limit="1 minute"),
    "progress that cannot be called": dict(progress=3),
    "a name that is a number": dict(name=7),
    "a checkpoint that is a number": dict(checkpoint=7),
    "a checkpoint with a null byte": dict(checkpoint="a\0b"),
    "a checkpoint without a name": dict(checkpoint=""),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_a_bad_argument_is_named_before_anything_is_drawn(case):
    drawn = []

    def listening(dataset, n, rng):
        drawn.append(n)
        return laplace(dataset, n, rng)

    options = ARGUMENTS[case]
    with pytest.raises(UsageError) as found:
        ask(**{"mechanism": listening, **options})
    assert helps(found.value), str(found.value)
    assert not drawn


def changing(*kinds):
    """Another kind of output at each call."""
    calls = iter(range(10**6))

    def sample(dataset, n, rng):
        return kinds[next(calls) % len(kinds)](n, rng)

    return sample


def late(kind, after=300):
    """A good citizen for the first draws."""

    def sample(dataset, n, rng):
        return kind(n, rng) if n > after else laplace(dataset, n, rng)

    return sample


def raising(error):
    def sample(dataset, n, rng):
        raise error

    return sample


class Opaque:
    """An output without a text."""


class Hostile:
    """Whatever is asked of it fails, except how long it is."""

    def __init__(self, n=2):
        self.n = n

    def __len__(self):
        return self.n

    def __iter__(self):
        raise OSError("not now")

    def __repr__(self):
        raise OSError("not now")


class Endless(Hostile):
    """Not even its length is known."""

    def __len__(self):
        raise OSError("not now")


START = np.random.SFC64(1).state


MECHANISMS = {
    "always the same outputs in the same order": lambda d, n, rng: range(n),
    "too few outputs": lambda d, n, rng: rng.random(n - 1),
    "too many outputs": lambda d, n, rng: rng.random(n + 1),
    "no outputs": lambda d, n, rng: [],
    "one number": lambda d, n, rng: 1.0,
    "None": lambda d, n, rng: None,
    "a text as long as n": lambda d, n, rng: "x" * n,
    "bytes as long as n": lambda d, n, rng: b"x" * n,
    "an array without dimensions": lambda d, n, rng: np.array(1.0),
    "a generator": lambda d, n, rng: (x for x in range(n)),
    "n in the second dimension": lambda d, n, rng: rng.random((3, n)),
    "a dict of n": lambda d, n, rng: dict.fromkeys(range(n)),
    "a set": lambda d, n, rng: set(rng.random(n)),
    "another width for each dataset": lambda d, n, rng: rng.random((n, 1 + d)),
    "numbers then vectors": changing(lambda n, r: r.random(n), lambda n, r: r.random((n, 2))),
    "vectors then numbers": changing(lambda n, r: r.random((n, 2)), lambda n, r: r.random(n)),
    "vectors that get wider": late(lambda n, r: r.random((n, 2))),
    "a late empty answer": late(lambda n, r: []),
    "a late None": late(lambda n, r: None),
    "objects without a text": lambda d, n, rng: [Opaque() for _ in range(n)],
    "functions": lambda d, n, rng: [laplace for _ in range(n)] and [Opaque() for _ in range(n)],
    "vectors of no width": lambda d, n, rng: rng.random((n, 0)),
    "a raised ValueError": raising(ValueError("no")),
    "a raised KeyError": raising(KeyError("name")),
    "a raised MemoryError": raising(MemoryError()),
    "a raised RecursionError": raising(RecursionError("deep")),
    "a raised StopIteration": raising(StopIteration()),
    "a raised SystemExit": raising(SystemExit(3)),
    "a raised error without a text": raising(RuntimeError()),
    "a raised AssertionError": raising(AssertionError()),
    "a division by zero": lambda d, n, rng: [1 / 0] * n,
    "an index that is not there": lambda d, n, rng: [[][1]] * n,
    "a dataset that it does not understand": lambda d, n, rng: d["age"] + rng.random(n),
    "a generator that has another method": lambda d, n, rng: rng.gauss(0, 1),
    "outputs that cannot be looped over": lambda d, n, rng: Hostile(n),
    "outputs whose text raises": lambda d, n, rng: [Hostile()] * n,
    "outputs whose number raises": lambda d, n, rng: Endless(),
    "a coroutine's type": lambda d, n, rng: type(n),
    "an array of everything there is": lambda d, n, rng: np.empty(10**15),
    "a stream set back": lambda d, n, rng: [setattr(rng.bit_generator, "state", START), rng.random(n)][1],
}


@pytest.mark.parametrize("case", MECHANISMS)
def test_a_broken_mechanism_is_named(case):
    with pytest.raises(MechanismError) as found:
        ask(MECHANISMS[case], trials=4000, name="the culprit", views=("values",))
    assert helps(found.value), str(found.value)
    assert "the culprit" in str(found.value)


class Failing(Sampler):
    """Each part of it fails when it is asked for."""

    def __init__(self, part):
        super().__init__(lambda dataset, n, rng: np.zeros(n))
        self.part = part

    def __getattribute__(self, name):
        if name == object.__getattribute__(self, "__dict__").get("part"):
            raise RuntimeError("not today")
        return super().__getattribute__(name)


@pytest.mark.parametrize("part", ["sample", "claim", "neighbours", "views", "id"])
def test_a_mechanism_that_fails_before_it_is_run(part):
    with pytest.raises(MechanismError, match=r"got RuntimeError from a Failing: not today"):
        audit(
            Failing(part),
            None if part == "claim" else ApproxDP(1.0),
            None if part == "neighbours" else [(0, 1)],
        )


def test_the_mechanisms_own_error_is_not_lost():
    with pytest.raises(MechanismError, match="database went away") as found:
        ask(raising(RuntimeError("database went away")))
    assert isinstance(found.value.__cause__, RuntimeError)


ODD = {  # unusual, and fine: the true answer is in the last column
    "all the same": (lambda d, n, rng: np.zeros(n), False),
    "never an answer": (lambda d, n, rng: np.full(n, np.nan), False),
    "None only": (lambda d, n, rng: [None] * n, False),
    "infinities": (lambda d, n, rng: np.where(rng.random(n) < 0.5, np.inf, -np.inf), False),
    "infinite on one side": (lambda d, n, rng: np.full(n, np.inf if d else 0.0), True),
    "no answer on one side": (lambda d, n, rng: np.full(n, np.nan if d else 0.0), True),
    "the smallest doubles": (lambda d, n, rng: rng.integers(0, 2, n) * 5e-324, False),
    "the largest doubles": (lambda d, n, rng: rng.choice([1.7e308, -1.7e308], n), False),
    "minus zero and zero": (lambda d, n, rng: np.where(rng.random(n) < 0.5, 0.0, -0.0), False),
    "booleans": (lambda d, n, rng: rng.random(n) < 0.5, False),
    "a boolean that tells": (lambda d, n, rng: np.full(n, bool(d)), True),
    "half precision": (lambda d, n, rng: rng.standard_normal(n).astype(np.float16), False),
    "long doubles": (lambda d, n, rng: rng.standard_normal(n).astype(np.longdouble), False),
    "unsigned bytes": (lambda d, n, rng: rng.integers(0, 9, n).astype(np.uint8), False),
    "whole numbers beyond doubles": (lambda d, n, rng: [10**30 + d] * n, True),
    "huge whole numbers alike": (lambda d, n, rng: [10**400] * n, False),
    "dates": (lambda d, n, rng: np.datetime64("2020-01-01") + rng.integers(0, 3, n), False),
    "complex numbers": (lambda d, n, rng: rng.standard_normal(n) + 1j, False),
    "complex numbers that tell": (lambda d, n, rng: rng.standard_normal(n) + 1j * d, True),
    "a structured array": (lambda d, n, rng: np.zeros(n, dtype=[("a", float), ("b", int)]), False),
    "texts": (lambda d, n, rng: rng.choice(["ja", "nein"], n).tolist(), False),
    "texts from everywhere": (lambda d, n, rng: rng.choice(["⊥", "नमस्ते", "😀", "\u202e", "\x00"], n).tolist(), False),
    "half of a surrogate pair": (lambda d, n, rng: ["\ud800"] * n, False),
    "an empty text": (lambda d, n, rng: [""] * n, False),
    "a long text": (lambda d, n, rng: ["x" * 10_000] * n, False),
    "bytes as labels": (lambda d, n, rng: [b"\xff"] * n, False),
    "tuples": (lambda d, n, rng: [("a", 1, None)] * n, False),
    "ragged lists": (lambda d, n, rng: [[1.0] * k for k in rng.integers(0, 3, n)], False),
    "nested tuples": (lambda d, n, rng: [((1, (2, 3)), "x")] * n, False),
    "dicts": (lambda d, n, rng: [{"a": 1, "b": 2}] * n, False),
    "sets": (lambda d, n, rng: [{1, 2, 3}] * n, False),
    "a mix of everything": (lambda d, n, rng: [(None, 1.5, "a", (1,), True)[k] for k in rng.integers(0, 5, n)], False),
    "rows of a matrix": (lambda d, n, rng: rng.standard_normal((n, 3, 2)), False),
    "a fortran array": (lambda d, n, rng: np.asfortranarray(rng.standard_normal((n, 2))), False),
    "every second of an array": (lambda d, n, rng: rng.standard_normal(2 * n)[::2], False),
    "a read-only array": (lambda d, n, rng: np.broadcast_to(0.0, n), False),
    "an array backwards": (lambda d, n, rng: rng.standard_normal(n)[::-1], False),
    "the other byte order": (lambda d, n, rng: (rng.standard_normal(n) + 9 * d).astype(">f8"), True),
    "fractions": (lambda d, n, rng: [Fraction(int(k), 3) for k in rng.integers(0, 9, n) + 9 * d], True),
    "decimals": (lambda d, n, rng: [Decimal(int(k)) / 3 for k in rng.integers(0, 9, n)], False),
    "numbers from a thread": (lambda d, n, rng: ThreadPoolExecutor(1).submit(rng.random, n).result(), False),
    "a masked array": (lambda d, n, rng: np.ma.masked_less(rng.standard_normal(n), 0), False),
    "wide outputs": (lambda d, n, rng: rng.standard_normal((n, 300)), False),
}


@pytest.mark.parametrize("case", ODD)
def test_unusual_outputs_get_the_right_verdict(case):
    """Those that do not depend on the dataset are private: refuted falsely in one of a million runs."""
    sample, tells = ODD[case]
    result = ask(sample, trials=600, alpha=1e-6, views=("values",))
    assert result.refuted == tells
    assert AuditResult.from_json(result.to_json()) == result


DATASETS = {
    "nothing": (None, None),
    "empty lists": ([], []),
    "arrays that are not numbers": (np.array([NAN]), np.array([INF])),
    "a function": (laplace, laplace),
    "huge": (np.zeros(10**6), np.ones(10**6)),
    "Unicode": ("नमस्ते\x00\ud800", "😀"),
    "something without a text": (Opaque(), Opaque()),
    "something whose text raises": (Hostile(), Endless()),
}


@pytest.mark.parametrize("case", DATASETS)
def test_any_dataset_may_be_audited(case):
    result = ask(lambda d, n, rng: rng.laplace(0, 1, n), pairs=[DATASETS[case]], alpha=1e-6)
    assert not result.refuted  # by chance in one of a million runs
    assert len(result.to_json()) < 200_000


CLAIMS = {
    "epsilon below 0": lambda: ApproxDP(-1.0),
    "epsilon that is not a number": lambda: ApproxDP(NAN),
    "infinite epsilon": lambda: ApproxDP(INF),
    "epsilon as text": lambda: ApproxDP("1"),  # type: ignore[arg-type]
    "epsilon that is none": lambda: ApproxDP(None),  # type: ignore[arg-type]
    "epsilon that is true": lambda: ApproxDP(True),
    "delta below 0": lambda: ApproxDP(1.0, -0.1),
    "delta above 1": lambda: ApproxDP(1.0, 1.5),
    "delta that is not a number": lambda: ApproxDP(1.0, NAN),
    "mu of 0": lambda: GaussianDP(0.0),
    "infinite mu": lambda: GaussianDP(INF),
    "mu as text": lambda: GaussianDP("1"),  # type: ignore[arg-type]
    "rho below 0": lambda: ZCDP(-1.0),
    "rho that is not a number": lambda: ZCDP(NAN),
    "a relation that is none": lambda: NeighbourPair(0, 1, "cousins"),  # type: ignore[arg-type]
    "a group of none": lambda: NeighbourPair(0, 1, group=0),
    "a group and a half": lambda: NeighbourPair(0, 1, group=1.5),  # type: ignore[arg-type]
    "one draw of nothing": lambda: per_draw(3),  # type: ignore[arg-type]
    "more guesses than trials": lambda: Counts(1, 1, 2, 0, 0, 0),
    "fewer than no guesses": lambda: Counts(1, 1, -1, 0, 0, 0),
    "a stored claim that is none": lambda: claim_from_dict({"kind": "Magic"}),
    "a stored claim with more": lambda: claim_from_dict({"kind": "ApproxDP", "epsilon": 1, "sigma": 2}),
    "a stored claim of texts": lambda: claim_from_dict({"kind": "ApproxDP", "epsilon": "one"}),
    "a stored claim that is a list": lambda: claim_from_dict([1]),
    "a stored event that is none": lambda: event_from_dict({}),
    "a stored event of nothing": lambda: event_from_dict(None),
    "a stored event with another score": lambda: event_from_dict(event(score={"kind": "magic"})),
    "a stored event with code for a feature": lambda: event_from_dict(
        event(score={"kind": "value", "feature": "__import__('os')"})
    ),
    "a stored event without sides": lambda: event_from_dict(event(left=None)),
    "a stored event with another sign": lambda: event_from_dict(event(left=["=<", 1])),
    "a stored event at no number": lambda: event_from_dict(event(left=["<=", "nan"])),
    "a stored event in steps that fall": lambda: event_from_dict(
        event(score={"kind": "steps", "feature": "x", "edges": [2, 1], "values": [1, 2, 3], "bottom": 0})
    ),
    "a stored event of a tree that is a circle": lambda: event_from_dict(
        event(score={"kind": "trees", "inputs": ["x"], "trees": [[[0, 1.0, 0, 0, 0.0]]]})
    ),
    "a stored event of nothing in a sum": lambda: event_from_dict(event(score={"kind": "sum", "parts": []})),
}


def event(**changes):
    return {"score": {"kind": "value", "feature": "x"}, "left": ["<=", 0], "right": None, "view": "values", **changes}


@pytest.mark.parametrize("case", CLAIMS)
def test_a_value_that_cannot_be_is_not_made(case):
    with pytest.raises(ValueError, match=r".{15}") as found:
        CLAIMS[case]()
    assert helps(found.value), str(found.value)


def test_a_claim_that_says_nothing_is_never_refuted():
    assert not ask(lambda d, n, rng: np.full(n, d), ApproxDP(0.5, 1.0), trials=2000).refuted


def test_an_epsilon_that_no_double_holds_is_never_refuted():
    assert not ask(lambda d, n, rng: np.full(n, d), ApproxDP(1e300), trials=2000).refuted


# Files


def stored(mechanism=laplace) -> str:
    return ask(mechanism).to_json()


HOSTILE = ["", "null", "[]", "{}", "0", '"text"', "NaN", "{", "[" * 50_000, '{"a": 1e999}', "\x00", "\ufeff{}", "{}{}"]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_a_file_that_is_no_result_is_an_error(text, tmp_path):
    for parse in (AuditResult.from_json, Document.from_json):
        with pytest.raises(UsageError) as found:
            parse(text)
        assert helps(found.value), str(found.value)
    (tmp_path / "file").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError):
        read(tmp_path / "file")


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x80" * 100, bytes(range(256))])
def test_a_file_that_is_no_text_is_an_error(data, tmp_path):
    for name in ("results.json", "audits.toml"):
        (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError):
        read(tmp_path / "results.json")
    with pytest.raises(UsageError):
        run_plan([str(tmp_path / "audits.toml")])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_result_with_anything_in_it_is_read_or_an_error(data):
    """One value of a stored result is replaced by anything; what is accepted can be written and read again."""
    tree = json.loads(RESULT)
    parent, key = data.draw(st.sampled_from(list(places(tree))))
    parent[key] = data.draw(json_values)
    found = attempt(lambda: AuditResult.from_json(json.dumps(tree)), UsageError)
    if found is not None:
        text = found.to_json()
        assert AuditResult.from_json(text).to_json() == text


def places(tree):
    """Every place in a tree of JSON."""
    items = list(tree.items()) if isinstance(tree, dict) else list(enumerate(tree)) if isinstance(tree, list) else []
    for key, value in items:
        yield tree, key
        yield from places(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
RESULT = stored()


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.binary(max_size=60))
def test_any_text_is_an_error_or_a_result(text):
    shown = text if isinstance(text, str) else text.decode("latin-1")
    with pytest.raises(UsageError):
        AuditResult.from_json(shown)
    with pytest.raises(UsageError):
        Document.from_json(shown)


# Anything for an argument, anything for an output


KEYS = ("claim", "pairs", "alpha", "seed", "jobs", "views", "time_limit", "progress", "name")
anything = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=4)
    | st.binary(max_size=4)
    | st.lists(st.integers(), max_size=3)
    | st.builds(object)
    | st.just(np.float64(0.5))
    | st.just(np.array([1.0, 2.0]))
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KEYS), anything)
def test_anything_for_an_argument_is_a_result_or_a_typed_error(key, value):
    result = attempt(lambda: ask(**{"trials": 40, "alpha": 1e-6, key: value}), AuditError)
    assert result is None or not result.refuted or key in ("alpha", "pairs")


outputs = st.one_of(
    st.floats(),
    st.integers(-(2**70), 2**70),
    st.text(max_size=4),
    st.none(),
    st.booleans(),
    st.tuples(st.integers(0, 3), st.floats()),
    st.lists(st.none() | st.floats(), max_size=3),
    st.binary(max_size=2),
    st.frozensets(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=1), st.integers(0, 2), max_size=2),
)


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(outputs, min_size=1, max_size=4))
def test_outputs_of_any_kind_that_ignore_the_dataset_are_not_refuted(values):
    """A true claim, whatever the outputs are; each example fails by chance with probability below 1e-6."""

    def sample(dataset, n, rng):
        return [values[k] for k in rng.integers(0, len(values), n)]

    result = attempt(lambda: ask(sample, ApproxDP(0.0), trials=200, alpha=1e-6), MechanismError)
    if result is not None:
        assert not result.refuted
        assert AuditResult.from_json(result.to_json()).to_json() == result.to_json()


# Writing


def test_a_text_that_cannot_be_encoded_is_written_anyway(tmp_path):
    write_text(tmp_path / "x", "a\ud800b")
    assert (tmp_path / "x").read_text(encoding="utf-8").startswith("a")


@pytest.mark.parametrize("path", ["/proc/nowhere/x", "/dev/null/x", "\0", ""])
def test_a_path_that_cannot_be_written_is_an_error(path):
    with pytest.raises(UsageError) as found:
        write_text(path, "text")
    assert helps(found.value)


# Several at once


def test_audits_in_threads_do_not_disturb_each_other():
    expected = ask(name="m").without_timings()
    found: list[AuditResult] = []
    threads = [threading.Thread(target=lambda: found.append(ask(name="m").without_timings())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
