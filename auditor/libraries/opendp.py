"""OpenDP's measurements as mechanisms (written for opendp 0.16).

Neighbours: two datasets at a distance of at most `d_in` in the measurement's `input_metric`. That is the pair that an
audit needs. Under SymmetricDistance, d_in=1 is one record more or less, and d_in=2 covers a record replaced; under
ChangeOneDistance, d_in=1 is a record replaced; under AbsoluteDistance and L1Distance, d_in is how far answers move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, approx_dp, in_workers, missing
from auditor.sampling.built import BuiltInWorker
from auditor.sampling.draws import per_draw
from mechanisms.core.claims import ZCDP, Claim


def measurement(measurement: Any, d_in: Any, elementwise: bool = False) -> Adapted | BuiltInWorker:
    """An OpenDP measurement as a mechanism whose claim is `measurement.map(d_in)`.

    Pure differential privacy and (epsilon, delta) become ApproxDP, zero-concentrated differential privacy ZCDP.
    OpenDP draws from the system's randomness: an audit of it cannot be replayed.

    Args:
        measurement: The Measurement, or a function without arguments that makes it. A Measurement cannot be sent to
            another process: for several workers or a time limit give the function, which also enables the features.
        d_in: The largest distance of neighbours, as `measurement.map` takes it.
        elementwise: Asks for n outputs in one call, on a vector that holds the dataset (one number) n times. For
            measurements that add independent noise to each entry of a vector, such as make_laplace and make_gaussian
            on a vector_domain: many times as fast. The claim is about one entry that moves by `d_in`.
    """
    adapt = partial(_adapted, d_in=d_in, elementwise=elementwise)
    if not isinstance(measurement, _measurement_class()) and callable(measurement):
        return in_workers(measurement, adapt)
    return adapt(measurement)


def _measurement_class() -> Any:
    try:
        from opendp.mod import Measurement
    except ImportError as error:
        raise missing("opendp", error) from error
    return Measurement


def _adapted(measurement: Any, d_in: Any, elementwise: bool) -> Adapted:
    if not isinstance(measurement, _measurement_class()):
        raise UsageError(f"measurement must be an OpenDP Measurement, got a {type(measurement).__name__}")
    call = Call(measurement)
    if elementwise:
        metric = str(measurement.input_metric)
        if not metric.startswith(("L1Distance", "L2Distance")):
            raise UsageError(f"elementwise=True needs a vector under L1Distance or L2Distance, got {metric}")
        return Adapted("opendp", _claim(measurement, d_in), call.entries)
    return Adapted("opendp", _claim(measurement, d_in), per_draw(call).sample)


@dataclass(frozen=True)
class Call:
    """Calls a measurement."""

    measurement: Any

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """One output."""
        return self.measurement(dataset)

    def entries(self, number: Any, n: int, rng: np.random.Generator) -> Any:
        """The measurement of a vector that holds the number n times."""
        return self.measurement([number] * n)


def _claim(measurement: Any, d_in: Any) -> Claim:
    """What the measurement's privacy map says at `d_in`, in the unit of its output measure."""
    measure = str(measurement.output_measure)
    known = {"MaxDivergence": _pure, "ZeroConcentratedDivergence": _zcdp, "Approximate(MaxDivergence)": _approximate}
    if measure not in known:
        raise UsageError(
            f"the output measure must be one of {', '.join(known)}, got {measure}; convert it, for example by "
            "make_fix_delta, or write the claim yourself and audit per_draw(lambda data, rng: measurement(data))"
        )
    try:
        loss = measurement.map(d_in)
    except Exception as error:  # OpenDP's own, and those of a map that a user wrote
        raise UsageError(f"d_in must be a distance that the map takes, got d_in={d_in!r:.60}: {error}") from error
    return known[measure](loss)


def _pure(epsilon: Any) -> Claim:
    return approx_dp(epsilon)


def _approximate(loss: Any) -> Claim:
    return approx_dp(*loss)


def _zcdp(rho: Any) -> Claim:
    try:
        return ZCDP(float(rho))
    except ValueError as error:
        raise UsageError(f"a library's claim must be testable: {error}") from error
