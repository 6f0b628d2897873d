"""The recording generator is a generator: the same numbers, and each call written down once."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from auditor.diagnosis.recorder import Recorder

ARGUMENTS = {
    "beta": (1.0, 2.0),
    "binomial": (5, 0.3),
    "bytes": (5,),
    "chisquare": (2.0,),
    "choice": (7,),
    "dirichlet": ([1.0, 2.0],),
    "f": (2.0, 3.0),
    "gamma": (2.0,),
    "geometric": (0.3,),
    "hypergeometric": (5, 5, 3),
    "integers": (10,),
    "logseries": (0.5,),
    "multinomial": (5, [0.5, 0.5]),
    "multivariate_hypergeometric": ([3, 4], 2),
    "multivariate_normal": ([0.0, 0.0], np.eye(2)),
    "negative_binomial": (5, 0.5),
    "noncentral_chisquare": (2.0, 1.0),
    "noncentral_f": (2.0, 3.0, 1.0),
    "pareto": (2.0,),
    "permutation": (5,),
    "permuted": ([1, 2, 3],),
    "power": (2.0,),
    "standard_gamma": (2.0,),
    "standard_t": (3.0,),
    "triangular": (0.0, 1.0, 2.0),
    "vonmises": (0.0, 1.0),
    "wald": (1.0, 1.0),
    "weibull": (2.0,),
    "zipf": (2.0,),
}
METHODS = [
    name
    for name in dir(np.random.Generator)
    if not name.startswith("_") and name not in ("bit_generator", "spawn", "shuffle")
]


def recorder(seed: int = 0) -> Recorder:
    return Recorder(np.random.PCG64(seed))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_numbers_of_numpy_and_is_recorded_once(method: str) -> None:
    recording, plain = recorder(), np.random.Generator(np.random.PCG64(0))
    assert isinstance(recording, np.random.Generator)
    for _ in range(2):
        given = getattr(recording, method)(*ARGUMENTS.get(method, ()))
        np.testing.assert_array_equal(given, getattr(plain, method)(*ARGUMENTS.get(method, ())))
    log = recording.finished()
    assert [call.method for call in log.calls] == [method, method]
    assert not log.past_it


def test_a_shuffle_is_recorded() -> None:
    recording, items = recorder(), np.arange(10)
    recording.shuffle(items)
    assert [call.method for call in recording.finished().calls] == ["shuffle"]
    np.testing.assert_array_equal(items, _shuffled(10))


def _shuffled(n: int) -> np.ndarray:
    items = np.arange(n)
    np.random.Generator(np.random.PCG64(0)).shuffle(items)
    return items


def test_parameters_have_names_and_defaults() -> None:
    recording = recorder()
    recording.laplace(1.0, scale=2.0, size=3)
    recording.normal(size=(2, 2))
    recording.integers(10)
    recording.choice(["a", "b"], p=[0.25, 0.75])
    laplace, normal, integers, choice = recording.finished().calls
    assert (laplace.parameters, laplace.size) == ({"loc": 1.0, "scale": 2.0}, 3)
    assert (normal.parameters, normal.size) == ({"loc": 0.0, "scale": 1.0}, 4)
    assert integers.parameters == {"low": 0, "high": 10}
    assert choice.parameters["a"] == 2
    assert choice.values is None
    np.testing.assert_array_equal(choice.parameters["p"], [0.25, 0.75])


def test_what_the_mechanism_does_to_the_numbers_does_not_change_the_record() -> None:
    recording = recorder()
    given = recording.laplace(size=4)
    before = given.copy()
    given += 100
    np.testing.assert_array_equal(recording.finished().calls[0].values, before)


def test_numbers_that_were_drawn_past_it_are_noticed() -> None:
    recording = recorder()
    np.random.Generator(recording.bit_generator).laplace()
    assert recording.finished().past_it
    recording = recorder()
    recording.bit_generator.random_raw()
    recording.laplace()
    assert recording.finished().past_it


def test_children_write_into_the_same_log() -> None:
    recording = recorder()
    for child, plain in zip(recording.spawn(2), np.random.Generator(np.random.PCG64(0)).spawn(2), strict=True):
        assert child.laplace() == plain.laplace()
    assert [call.method for call in recording.finished().calls] == ["laplace", "laplace"]


def test_an_error_of_numpy_stays_one() -> None:
    recording = recorder()
    with pytest.raises(ValueError, match="scale"):
        recording.laplace(scale=-1)
    recording.laplace()
    assert len(recording.finished().calls) == 1


def test_many_numbers_are_not_kept() -> None:
    recording = recorder()
    recording.normal(size=10**5)
    (call,) = recording.finished().calls
    assert (call.size, call.values) == (10**5, None)


def test_the_names_of_the_parameters_are_those_of_numpy() -> None:
    from auditor.diagnosis.recorder import PARAMETERS

    for method, names in PARAMETERS.items():
        try:
            signature = inspect.signature(getattr(np.random.Generator, method))
        except ValueError:
            pytest.skip("this numpy tells no signatures")
        known = [name for name in signature.parameters if name != "self"]
        assert [name for name in known if name in names] == list(names), method
