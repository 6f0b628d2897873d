"""OpenDP's measurements, and queries of its context, as mechanisms with the claim of their privacy map."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, in_workers, missing
from auditor.libraries.opendp.claims import claim_of_map
from auditor.libraries.opendp.frames import as_lazy_frame, read_frame
from auditor.sampling.built import BuiltInWorker
from auditor.sampling.draws import per_draw

Read = Callable[[Any], Any]


def measurement(
    measurement: Any, d_in: Any, elementwise: bool = False, read: Read | None = None
) -> Adapted | BuiltInWorker:
    """An OpenDP measurement as a mechanism whose claim is `measurement.map(d_in)`.

    Pure differential privacy and (epsilon, delta) become ApproxDP, zero-concentrated differential privacy ZCDP, the
    other measures points of their curves (ProfileClaim). OpenDP draws from the system's randomness: an audit of it
    cannot be replayed.

    Args:
        measurement: The Measurement, or a function without arguments that makes it. A Measurement cannot be sent to
            another process: for several workers give the function, which also enables the features.
        d_in: The largest distance of neighbours, as `measurement.map` takes it.
        elementwise: Asks for n outputs in one call, on a vector that holds the dataset (one number) n times. For
            measurements that add independent noise to each entry of a vector, such as make_laplace and make_gaussian
            on a vector_domain: many times as fast. The claim is about one entry that moves by `d_in`.
        read: Takes an output apart. A frame of Polars is read as its rows in an order that does not depend on the
            data, {key: values} where columns that are no numbers tell the rows apart.
    """
    adapt = partial(_adapted, d_in=d_in, elementwise=elementwise, read=read)
    if not isinstance(measurement, _measurement_class()) and callable(measurement):
        return in_workers(measurement, adapt)
    return adapt(measurement)


def query(query: Any, read: Read | None = None) -> Adapted | BuiltInWorker:
    """A query of an OpenDP context, of Polars or of vectors, as a mechanism; the context's own data is not used.

    The query is resolved once, which may take a second, and the measurement is called for each draw. The claim is
    what its map says at the context's privacy unit. Nothing is released through the context: no budget is spent.

    Args:
        query: What `context.query()…` gives before `release()`, or a function without arguments that makes it.
        read: As for `measurement`.
    """
    adapt = partial(_resolved, read=read)
    if not hasattr(query, "resolve") and callable(query):
        return in_workers(query, adapt)
    return adapt(query)


def _resolved(query: Any, read: Read | None) -> Adapted:
    _measurement_class()
    inner = query
    with contextlib.suppress(AttributeError):
        inner = object.__getattribute__(query, "_query")  # Polars' own names are in the way of the query's
    if not hasattr(query, "resolve") or not hasattr(inner, "_d_in"):
        raise UsageError(f"query takes a query of an OpenDP context, got a {type(query).__name__}")
    try:
        resolved = query.resolve()
    except Exception as error:  # OpenDP's own, and those of user-defined parts
        raise UsageError(f"query must be one that can be resolved, got: {error}") from error
    return _adapted(resolved, inner._d_in, False, read)


def _measurement_class() -> Any:
    try:
        from opendp.mod import Measurement
    except ImportError as error:
        raise missing("opendp", error) from error
    return Measurement


def _adapted(measurement: Any, d_in: Any, elementwise: bool, read: Read | None) -> Adapted:
    if not isinstance(measurement, _measurement_class()):
        raise UsageError(f"measurement must be an OpenDP Measurement, got a {type(measurement).__name__}")
    call, claim = MeasurementCall(measurement), claim_of_map(measurement, d_in)
    if elementwise:
        metric = str(measurement.input_metric)
        if not metric.startswith(("L1Distance", "L2Distance")):
            raise UsageError(f"elementwise=True needs a vector under L1Distance or L2Distance, got {metric}")
        return Adapted("opendp", claim, call.entries)
    if "FrameDomain" in str(measurement.input_domain):
        call = FrameCall(measurement)
    return Adapted("opendp", claim, per_draw(call, read=read).sample)


@dataclass(frozen=True)
class MeasurementCall:
    """Calls a measurement."""

    measurement: Any

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """One output."""
        return self.measurement(dataset)

    def entries(self, number: Any, n: int, rng: np.random.Generator) -> Any:
        """The measurement of a vector that holds the number n times."""
        return self.measurement([number] * n)


@dataclass(frozen=True)
class FrameCall(MeasurementCall):
    """Calls a measurement of frames, and collects the frame that it releases."""

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """The rows of one released frame."""
        return read_frame(self.measurement(as_lazy_frame(dataset, self.measurement.input_domain)).collect())
