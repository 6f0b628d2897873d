"""The transformations of OpenDP 0.16.0 against their stability maps, over searched pairs: no draws are needed.

Random ones are audited with the sum and the noise that may follow them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from auditor.errors import UsageError
from gallery.sweep.item import Item, asked

PACKAGES = ("opendp[polars]==0.16.0",)
FRAMES = "rows of text and frames that are deprecated: no distance of ours"
LEFT_OUT = {
    "make_proof_link": "no transformation",
    "make_user_transformation": "the user's own function",
    "make_cdf": "a function of a release",
    "make_consistent_b_ary_tree": "a function of a release",
    "make_quantiles_from_counts": "a function of a release",
    "make_ordered_random": "random, and only sums that bring their own domain use the order",
    "make_create_dataframe": FRAMES,
    "make_df_cast_default": FRAMES,
    "make_df_is_equal": FRAMES,
    "make_select_column": FRAMES,
    "make_split_dataframe": FRAMES,
    "make_split_lines": FRAMES,
    "make_split_records": FRAMES,
    "make_subset_by": FRAMES,
    "make_stable_expr": "frames: audited in the gallery's cases of Polars",
    "make_stable_lazyframe": "frames: audited in the gallery's cases of Polars",
}
REPORTS = "https://github.com/opendp/opendp/issues/"
Make = Callable[[Any], Any]


def public() -> list[str]:
    """The constructors of opendp.transformations."""
    import opendp.prelude as dp

    return [name for name in dir(dp.t) if name.startswith("make_")]


def items() -> list[Item]:
    """Each constructor on short lists of small numbers, and on the largest ones where sums may overflow."""
    return [*_row_by_row(), *_counts(), *_sums(), *_moments(), *_metrics(), *_trees(), *_random()]


def _item(
    name: str,
    make: Make,
    d_in: Any,
    data: str = "whole",
    reported: str = "",
    size: int | None = None,
    moved: bool = False,
) -> Item:
    """`make(dp)` makes the transformation. A record is added or removed, or replaced (`d_in` 2, or a known size); where
    entries are `moved`, any two lists within `d_in` are neighbours."""
    relation = "local" if moved else "replace-one" if size or d_in == 2 else "add/remove"

    def audited() -> Any:
        import opendp.prelude as dp

        from auditor import neighbouring
        from auditor.libraries import opendp

        dp.enable_features("contrib", "honest-but-curious")
        pairs = neighbouring(_lists(data, size), relation=relation)
        found = opendp.stability(make(dp), d_in=d_in, pairs=pairs, examples=120)
        if all("raised" in repr(answer) for answer in found.answers):
            raise UsageError(f"a transformation must answer, got {found.answers}")
        return found

    return Item(name, f"within {d_in!r}", audited, refuted=bool(reported), reported=reported)


def _lists(data: str, size: int | None) -> Any:
    import hypothesis.strategies as st

    entries = {
        "whole": st.integers(0, 3),
        "numbers": st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 3.0]),
        "large": st.sampled_from([0, 1, 2**30 - 1, -(2**30)]),
        "rounded": st.sampled_from([0.0, 0.1, 0.2, 0.3, 1e-17, 1.0, 2.9999999999999996, 3.0]),
        "texts": st.sampled_from(["0", "1", "2", "x", ""]),
        "missing": st.sampled_from([float("nan"), 0.0, 1.0]),
    }[data]
    return st.lists(entries, min_size=size or 0, max_size=size or 4)


def _called(name: str, *arguments: Any, **named: Any) -> Make:
    """Makes a transformation that brings its own domain and metric."""
    return lambda dp: getattr(dp.t, name)(*arguments, **named)


def _shown(name: str, case: str) -> Item:
    """What a case of the gallery shows; its pair is too special to be found by searching."""
    module = import_module(f"gallery.cases.{case}")
    return Item(name, "as in the gallery", module.audited, refuted=True, reported=module.CASE.references[0])


def _space(
    dp: Any, kind: Any = int, bounds: Any = None, size: int | None = None, metric: str = "symmetric_distance"
) -> Any:
    settings: dict[str, Any] = {"nan": False} if kind is float and bounds is None else {}
    atoms = dp.atom_domain(bounds=bounds, T=kind) if bounds is not None else dp.atom_domain(T=kind, **settings)
    return dp.vector_domain(atoms, size=size), getattr(dp, metric)()


def _missing(dp: Any) -> Any:
    return dp.vector_domain(dp.atom_domain(T=float, nan=True)), dp.symmetric_distance()


def _row_by_row() -> list[Item]:
    return [
        _item("make_cast", lambda dp: dp.t.make_cast(*_space(dp, str), TOA=int) >> dp.t.then_drop_null(), 1, "texts"),
        _item("make_cast_default", lambda dp: dp.t.make_cast_default(*_space(dp, str), TOA=int), 1, "texts"),
        _item("make_cast_inherent", lambda dp: dp.t.make_cast_inherent(*_space(dp), TOA=float), 1),
        _item("make_clamp", lambda dp: dp.t.make_clamp(*_space(dp), bounds=(1, 2)), 1),
        _item("make_clamp, numbers", lambda dp: dp.t.make_clamp(*_space(dp, float), bounds=(1.0, 2.0)), 1, "numbers"),
        _item("make_drop_null", lambda dp: dp.t.make_drop_null(*_missing(dp)), 1, "missing"),
        _item("make_find", lambda dp: dp.t.make_find(*_space(dp), categories=[1, 2]) >> dp.t.then_drop_null(), 1),
        _item("make_find_bin", lambda dp: dp.t.make_find_bin(*_space(dp), edges=[1, 2]), 1),
        _item("make_identity", lambda dp: dp.t.make_identity(*_space(dp)), 1),
        _item("make_impute_constant", lambda dp: dp.t.make_impute_constant(*_missing(dp), 0.0), 1, "missing"),
        _item(
            "make_index",
            lambda dp: dp.t.make_index(
                dp.vector_domain(dp.atom_domain(T=dp.usize)), dp.symmetric_distance(), ["a", "b", "c"], "n"
            ),
            1,
        ),
        _item("make_is_equal", lambda dp: dp.t.make_is_equal(*_space(dp), 1), 1),
        _item("make_is_null", lambda dp: dp.t.make_is_null(*_missing(dp)), 1, "missing"),
        Item("make_lipschitz_float_mul", "within 1.0", _multiplied),
    ]


def _multiplied() -> Any:
    import hypothesis.strategies as st
    import opendp.prelude as dp

    from auditor import neighbouring
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    numbers = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.0000000000000002, 2.0, 2.9999999999999996, 3.0])
    times = dp.t.make_lipschitz_float_mul(*space, 1.1, (0.0, 3.0))
    return opendp.stability(times, d_in=1.0, pairs=neighbouring(numbers, relation="local"), examples=400)


def _counts() -> list[Item]:
    return [
        _item("make_count", lambda dp: dp.t.make_count(*_space(dp)), 1),
        _item("make_count_distinct", lambda dp: dp.t.make_count_distinct(*_space(dp)), 2),
        _item("make_count_by", lambda dp: dp.t.make_count_by(*_space(dp)), 2),
        _item("make_count_by_categories", lambda dp: dp.t.make_count_by_categories(*_space(dp), categories=[0, 1]), 2),
        _item(
            "make_count_by_categories, L2",
            lambda dp: dp.t.make_count_by_categories(*_space(dp), categories=[0, 1], MO="L2Distance<f64>", TOA="f64"),
            2,
        ),
        _item(
            "make_quantile_score_candidates",
            lambda dp: dp.t.make_quantile_score_candidates(*_space(dp), candidates=[0, 1, 2], alpha=0.3),
            1,
        ),
        _item(
            "make_quantile_score_candidates, known size",
            lambda dp: dp.t.make_quantile_score_candidates(*_space(dp, size=3), candidates=[0, 1, 2], alpha=0.3),
            2,
            size=3,
        ),
    ]


def _sums() -> list[Item]:
    whole, wide, numbers = (0, 3), (-(2**30), 2**30 - 1), (0.0, 3.0)
    found = [
        _item("make_sum", lambda dp: dp.t.make_sum(*_space(dp, bounds=whole)), 1),
        _item("make_sum, known size", lambda dp: dp.t.make_sum(*_space(dp, bounds=whole, size=3)), 2, size=3),
        _item("make_sum, numbers", lambda dp: dp.t.make_sum(*_space(dp, float, numbers, 3)), 2, "rounded", size=3),
        _item("make_sum, overflow", lambda dp: dp.t.make_sum(*_space(dp, "i32", wide)), 1, "large"),
        _item("make_bounded_float_checked_sum", _called("make_bounded_float_checked_sum", 4, numbers), 1, "rounded"),
        _item("make_bounded_float_ordered_sum", _called("make_bounded_float_ordered_sum", 4, numbers), 1, "rounded"),
        _item(
            "make_sized_bounded_float_checked_sum",
            _called("make_sized_bounded_float_checked_sum", 3, numbers),
            2,
            "rounded",
            size=3,
        ),
        _item(
            "make_sized_bounded_float_ordered_sum",
            _called("make_sized_bounded_float_ordered_sum", 3, numbers),
            2,
            "rounded",
            size=3,
        ),
        _item(
            "make_sized_bounded_int_checked_sum",
            _called("make_sized_bounded_int_checked_sum", 3, whole),
            2,
            size=3,
        ),
    ]
    for name, bounds in (("monotonic", (0, 2**30 - 1)), ("ordered", wide), ("split", wide)):
        plain, sized = f"make_bounded_int_{name}_sum", f"make_sized_bounded_int_{name}_sum"
        found += [
            _item(plain, _called(plain, bounds, T="i32"), 1, "large"),
            _item(sized, _called(sized, 3, bounds, T="i32"), 2, "large", size=3),
        ]
    return found


def _moments() -> list[Item]:
    sized: Make = lambda dp: _space(dp, float, (0.0, 3.0), 3)  # noqa: E731
    return [
        _item("make_mean", lambda dp: dp.t.make_mean(*sized(dp)), 2, "rounded", size=3),
        _item("make_variance", lambda dp: dp.t.make_variance(*sized(dp)), 2, "rounded", size=3),
        _item(
            "make_sum_of_squared_deviations",
            lambda dp: dp.t.make_sum_of_squared_deviations(*sized(dp)),
            2,
            "rounded",
            size=3,
        ),
        _shown("make_sum_of_squared_deviations, large numbers", "opendp_squared_deviations"),
    ]


def _metrics() -> list[Item]:
    return [
        _item("make_metric_bounded", lambda dp: dp.t.make_metric_bounded(*_space(dp, size=3)), 2, size=3),
        _item(
            "make_metric_bounded, order",
            lambda dp: dp.t.make_metric_bounded(*_space(dp, size=3, metric="insert_delete_distance")),
            2,
            size=3,
            moved=True,
            reported=REPORTS + "2926",
        ),
        _item(
            "make_metric_unbounded",
            lambda dp: dp.t.make_metric_unbounded(*_space(dp, size=3, metric="change_one_distance")),
            1,
            size=3,
        ),
        _item("make_unordered", lambda dp: dp.t.make_unordered(*_space(dp, metric="insert_delete_distance")), 1),
    ]


def _trees() -> list[Item]:
    def tree(metric: str, kind: Any) -> Make:
        return lambda dp: dp.t.make_b_ary_tree(
            dp.vector_domain(dp.atom_domain(T=kind)), getattr(dp, metric)(T=kind), 4, 2
        )

    return [
        _item("make_b_ary_tree, L1", tree("l1_distance", int), 1, moved=True, size=4),
        _shown("make_b_ary_tree, L2", "opendp_tree_l2"),
        _shown("make_b_ary_tree, overflow", "opendp_tree_overflow"),
    ]


def _random() -> list[Item]:
    """Lists are cut to three records, or filled up to them; and missing numbers are drawn from the bounds."""

    def audited(make: Make, d_in: int, *pairs: Any) -> Any:
        import opendp.prelude as dp

        from auditor.libraries import opendp

        dp.enable_features("contrib")
        return asked(opendp.measurement(make(dp), d_in), *pairs)

    def resized(dp: Any) -> Any:
        space = _space(dp, bounds=(0, 3))
        return dp.t.make_resize(*space, size=3, constant=0) >> dp.t.then_sum() >> dp.m.then_laplace(scale=3.0)

    def imputed(dp: Any) -> Any:
        space = dp.vector_domain(dp.atom_domain(T=float, nan=True), size=3), dp.symmetric_distance()
        drawn = dp.t.make_impute_uniform_float(*space, bounds=(0.0, 3.0)) >> dp.t.then_clamp((0.0, 3.0))
        return drawn >> dp.t.then_sum() >> dp.m.then_laplace(scale=3.0)

    nan = float("nan")
    lists = ([3, 0, 0, 0], [0, 0, 0]), ([3, 3, 3], [3, 3]), ([3, 3, 3, 0], [3, 3, 3])
    numbers = ([nan, 1.0, 1.0], [3.0, 1.0, 1.0]), ([nan, nan, nan], [nan, nan, 0.0])
    return [
        Item("make_resize", "within 1", lambda: audited(resized, 1, *lists)),
        _shown("make_resize, order", "opendp_resize"),
        Item("make_impute_uniform_float", "within 2", lambda: audited(imputed, 2, *numbers)),
    ]
