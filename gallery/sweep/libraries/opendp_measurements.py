"""The measurements of OpenDP 0.16.0. Neighbours are inputs within `d_in` of the measurement's input metric."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gallery.cases.opendp_gaussian_threshold import audited as gaussian_threshold
from gallery.sweep.item import Item, asked

PACKAGES = ("opendp[polars]==0.16.0",)
LEFT_OUT = {
    "make_proof_link": "no measurement",
    "make_user_measurement": "the user's own function",
    "make_private_expr": "frames: audited through make_private_lazyframe, and in the gallery's cases of Polars",
}
THRESHOLD = "https://github.com/opendp/opendp/issues/2922"
LENGTH = "https://github.com/opendp/opendp/issues/2930"


def public() -> list[str]:
    """The constructors of opendp.measurements."""
    import opendp.prelude as dp

    return [name for name in dir(dp.m) if name.startswith("make_")]


def items() -> list[Item]:
    """Each constructor, and the kinds of numbers and measures that it takes."""
    return [*_noise(), *_thresholds(), *_choices(), *_responses(), *_others()]


def _item(
    name: str,
    make: Callable[[Any], Any],
    d_in: Any,
    *pairs: Any,
    reported: str = "",
    read: Any = None,
    trials: int = 5_000,
) -> Item:
    """`make(dp)` makes the measurement; both views are looked at, because OpenDP claims its outputs bit by bit."""

    def audited() -> Any:
        import opendp.prelude as dp

        from auditor.libraries import opendp

        dp.enable_features("contrib", "honest-but-curious")
        mechanism = opendp.measurement(make(dp), d_in, read=read)
        return asked(mechanism, *pairs, views=["values", "bits"], trials=trials)

    return Item(name, f"within {d_in!r}", audited, refuted=bool(reported), reported=reported)


def _number(dp: Any, kind: Any) -> tuple[Any, Any]:
    atoms = dp.atom_domain(T=float, nan=False) if kind is float else dp.atom_domain(T=kind)
    return atoms, dp.absolute_distance(T=kind)


def _numbers(dp: Any, kind: Any, metric: str) -> tuple[Any, Any]:
    return dp.vector_domain(_number(dp, kind)[0]), getattr(dp, metric)(T=kind)


def _noise() -> list[Item]:
    l1, l2 = ([0, 0], [1, 1]), ([0.0, 0.0], [1.0, 1.0])
    return [
        _item("make_laplace, whole numbers", lambda dp: dp.m.make_laplace(*_number(dp, int), scale=1.0), 1, (0, 1)),
        _item("make_laplace, numbers", lambda dp: dp.m.make_laplace(*_number(dp, float), scale=1.0), 1.0, (0.0, 1.0)),
        _item(
            "make_laplace, small scale", lambda dp: dp.m.make_laplace(*_number(dp, float), scale=0.1), 0.1, (0.0, 0.1)
        ),
        _item(
            "make_laplace, coarse", lambda dp: dp.m.make_laplace(*_number(dp, float), scale=1.0, k=0), 1.0, (0.2, 1.2)
        ),
        _item(
            "make_laplace, vector", lambda dp: dp.m.make_laplace(*_numbers(dp, int, "l1_distance"), scale=2.0), 2, l1
        ),
        _item("make_gaussian, whole numbers", lambda dp: dp.m.make_gaussian(*_number(dp, int), scale=1.0), 1, (0, 1)),
        _item("make_gaussian, numbers", lambda dp: dp.m.make_gaussian(*_number(dp, float), scale=1.0), 1.0, (0.0, 1.0)),
        _item(
            "make_gaussian, vector",
            lambda dp: dp.m.make_gaussian(*_numbers(dp, float, "l2_distance"), scale=1.0),
            1.5,
            l2,
        ),
        _item("make_geometric", lambda dp: dp.m.make_geometric(*_number(dp, int), scale=1.0), 1, (0, 1)),
        _item(
            "make_geometric, bounds",
            lambda dp: dp.m.make_geometric(*_number(dp, int), scale=1.0, bounds=(0, 3)),
            1,
            (0, 1),
            (1, 2),
        ),
        _item("make_noise, pure", lambda dp: dp.m.make_noise(*_number(dp, int), dp.max_divergence(), 1.0), 1, (0, 1)),
        _item(
            "make_noise, zCDP",
            lambda dp: dp.m.make_noise(*_number(dp, int), dp.zero_concentrated_divergence(), 1.0),
            1,
            (0, 1),
        ),
        _item(
            "make_canonical_noise",
            lambda dp: dp.m.make_canonical_noise(*_number(dp, float), 1.0, (1.0, 0.05)),
            1.0,
            (0.0, 1.0),
        ),
    ]


def _thresholds() -> list[Item]:
    """A key with a single count, and none; and two keys of which one is shared."""
    alone: tuple[Any, Any] = ({"a": 1}, {})
    shared = ({"a": 5, "b": 1}, {"a": 5})

    def counts(dp: Any) -> Any:
        return dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))

    def laplace(dp: Any) -> Any:
        return dp.m.make_laplace_threshold(
            counts(dp), dp.l01inf_distance(dp.absolute_distance(T=int)), scale=1.0, threshold=5
        )

    def noise(dp: Any) -> Any:
        metric, measure = dp.l01inf_distance(dp.absolute_distance(T=int)), dp.approximate(dp.max_divergence())
        return dp.m.make_noise_threshold(counts(dp), metric, measure, scale=1.0, threshold=5)

    one = (1, 1, 1)
    return [
        _item("make_laplace_threshold", laplace, one, alone, shared, reported=THRESHOLD, trials=20_000),
        Item("make_gaussian_threshold", "as in the gallery", gaussian_threshold, refuted=True, reported=THRESHOLD),
        _item("make_noise_threshold", noise, one, alone, shared, reported=THRESHOLD, trials=20_000),
    ]


def _choices() -> list[Item]:
    """Scores that move by 1 at most: some up and others down, or all of them up."""
    both_ways = ([0, 1, 0], [1, 0, 0]), ([1, 1, 0], [0, 0, 1]), ([0, 0, 0], [1, 0, 0])
    up = ([0, 0, 0], [1, 0, 0]), ([0, 0, 0], [0, 1, 1])
    found = []
    for kind, measure in (("pure", "max_divergence"), ("zCDP", "zero_concentrated_divergence")):
        for name, make in (("make_noisy_max", _noisy_max), ("make_noisy_top_k", _noisy_top_k)):
            found.append(_item(f"{name}, {kind}", partial(make, measure), 1, *both_ways))
    return [
        *found,
        _item("make_noisy_max, monotonic", partial(_noisy_max, "max_divergence", monotonic=True), 1, *up),
        _item("make_noisy_top_k, monotonic", partial(_noisy_top_k, "max_divergence", monotonic=True), 1, *up),
        _item("make_report_noisy_max_gumbel", _gumbel, 1, *both_ways),
        _item("make_private_quantile", _quantile, 1, ([1, 1, 3], [1, 1]), ([1, 3], [3])),
        _item("make_private_quantile, known size", _sized_quantile, 2, ([1, 1, 3], [1, 1, 1]), ([1, 3, 3], [3, 3, 3])),
    ]


def _scores(dp: Any, monotonic: bool = False) -> tuple[Any, Any]:
    return dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=monotonic)


def _noisy_max(measure: str, dp: Any, monotonic: bool = False) -> Any:
    return dp.m.make_noisy_max(*_scores(dp, monotonic), getattr(dp, measure)(), scale=1.0 if monotonic else 2.0)


def _noisy_top_k(measure: str, dp: Any, monotonic: bool = False) -> Any:
    return dp.m.make_noisy_top_k(*_scores(dp, monotonic), getattr(dp, measure)(), 2, scale=1.0 if monotonic else 2.0)


def _gumbel(dp: Any) -> Any:
    return dp.m.make_report_noisy_max_gumbel(*_scores(dp), scale=2.0)


def _quantile(dp: Any) -> Any:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    return dp.m.make_private_quantile(*space, dp.max_divergence(), candidates=[0, 2, 4], alpha=0.5, scale=1.0)


def _sized_quantile(dp: Any) -> Any:
    space = dp.vector_domain(dp.atom_domain(T=int), size=3), dp.symmetric_distance()
    return dp.m.make_private_quantile(*space, dp.max_divergence(), candidates=[0, 2, 4], alpha=0.5, scale=1.0)


def _responses() -> list[Item]:
    def vector(dp: Any) -> Any:
        return dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=2), dp.discrete_distance(), f=0.9)

    bits = lambda data: data  # noqa: E731
    return [
        _item("make_randomized_response_bool", lambda dp: dp.m.make_randomized_response_bool(0.75), 1, (True, False)),
        _item(
            "make_randomized_response_bool, constant time",
            lambda dp: dp.m.make_randomized_response_bool(0.75, constant_time=True),
            1,
            (True, False),
        ),
        _item(
            "make_randomized_response", lambda dp: dp.m.make_randomized_response(["a", "b", "c"], 0.6), 1, ("a", "b")
        ),
        _item(
            "make_randomized_response, unknown label",
            lambda dp: dp.m.make_randomized_response(["a", "b", "c"], 0.6),
            1,
            ("a", "z"),
        ),
        _item("make_randomized_response_bitvec", vector, 1, (b"\x03", b"\x00"), (b"\x80", b"\x00"), read=bits),
        _item(
            "make_randomized_response_bitvec, lengths", vector, 1, (b"\x01", b"\x01\x00"), read=bits, reported=LENGTH
        ),
    ]


def _others() -> list[Item]:
    def projected(dp: Any) -> Any:
        counts = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
        return dp.m.make_alp_queryable(
            counts, dp.l01inf_distance(dp.absolute_distance(T=int)), scale=1.0, total_limit=24, value_limit=24
        )

    def frame(dp: Any) -> Any:
        import polars as pl

        frames = dp.lazyframe_domain([dp.series_domain("x", dp.atom_domain(T=int))])
        query = pl.LazyFrame(schema={"x": pl.Int64}).select(pl.len().dp.noise())
        metric = dp.frame_distance(dp.symmetric_distance())
        return dp.m.make_private_lazyframe(frames, metric, dp.max_divergence(), query, global_scale=1.0)

    answers = lambda projection: (projection("a"), projection("b"))  # noqa: E731
    return [
        _item(
            "make_alp_queryable",
            projected,
            (1, 1, 1),
            ({"a": 1}, {}),
            ({"a": 3, "b": 4}, {"a": 3, "b": 3}),
            read=answers,
        ),
        Item("make_private_lazyframe", "one record more or less", lambda: _frame_audit(frame)),
    ]


def _frame_audit(frame: Callable[[Any], Any]) -> Any:
    import opendp.prelude as dp

    from auditor.libraries import opendp

    dp.enable_features("contrib")
    count = opendp.measurement(frame(dp), [dp.polars.Bound(per_group=1)])
    return asked(count, ({"x": [1, 2]}, {"x": [1]}), views=["values", "bits"], trials=2_000)
