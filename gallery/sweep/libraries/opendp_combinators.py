"""The combinators of OpenDP 0.16.0. Neighbours are inputs within `d_in` of the measurement's input metric."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("opendp[polars]==0.16.0",)
LEFT_OUT = {
    "make_proof_link": "no combinator",
    "make_select_private_candidate": "not audited: on scores from a Python function a call did not return in a minute",
}


def public() -> list[str]:
    """The constructors of opendp.combinators."""
    import opendp.prelude as dp

    return [name for name in dir(dp.c) if name.startswith("make_")]


def items() -> list[Item]:
    """Compositions with and without a choice between their parts, conversions of measures, chains, amplification."""
    return [*_compositions(), *_conversions(), *_chains(), *_others()]


def _item(name: str, make: Callable[[Any], Any], d_in: Any, *pairs: Any, read: Any = None, trials: int = 4_000) -> Item:
    """`make(dp)` makes the measurement; both views are looked at, because OpenDP claims its outputs bit by bit."""

    def audited() -> Any:
        import opendp.prelude as dp

        from auditor.libraries import opendp

        dp.enable_features("contrib", "honest-but-curious")
        reader = None if read is None else partial(read, dp)
        return asked(opendp.measurement(make(dp), d_in, read=reader), *pairs, views=["values", "bits"], trials=trials)

    return Item(name, f"within {d_in!r}", audited)


def _space(dp: Any, kind: Any = int) -> tuple[Any, Any]:
    atoms = dp.atom_domain(T=float, nan=False) if kind is float else dp.atom_domain(T=kind)
    return atoms, dp.absolute_distance(T=kind)


def _laplace(dp: Any, scale: float = 2.0) -> Any:
    return dp.m.make_laplace(*_space(dp), scale=scale)


def _gaussian(dp: Any, scale: float = 1.0) -> Any:
    return dp.m.make_gaussian(*_space(dp), scale=scale)


def _adaptively(noise: Callable[..., Any], dp: Any, queryable: Any) -> list[int]:
    """Two answers, of which the first chooses how the second is asked for."""
    first = queryable(noise(dp))
    return [first, queryable(noise(dp, 8.0) if first > 0 else noise(dp))]


def _compositions() -> list[Item]:
    pair = (0, 1)

    def adaptive(constructor: str, measure: str, mids: Any, dp: Any) -> Any:
        return getattr(dp.c, constructor)(*_space(dp), getattr(dp, measure)(), d_in=1, d_mids=mids)

    def filtered(measure: str, d_out: float, dp: Any) -> Any:
        odometer = dp.c.make_fully_adaptive_composition(*_space(dp), getattr(dp, measure)())
        return dp.c.make_privacy_filter(odometer, d_in=1, d_out=d_out)

    pure, zcdp = "max_divergence", "zero_concentrated_divergence"
    found = []
    for name in ("make_composition", "make_basic_composition"):
        for special, noise in (("pure", _laplace), ("zCDP", _gaussian)):
            make = partial(lambda name, noise, dp: getattr(dp.c, name)([noise(dp), noise(dp)]), name, noise)
            found.append(_item(f"{name}, {special}", make, 1, pair))
    for name in ("make_adaptive_composition", "make_sequential_composition"):
        found.append(
            _item(
                f"{name}, pure", partial(adaptive, name, pure, [0.5, 0.5]), 1, pair, read=partial(_adaptively, _laplace)
            )
        )
        found.append(
            _item(
                f"{name}, zCDP",
                partial(adaptive, name, zcdp, [0.5, 0.5]),
                1,
                pair,
                read=partial(_adaptively, _gaussian),
            )
        )
    return [
        *found,
        _item(
            "make_fully_adaptive_composition, pure",
            partial(filtered, pure, 1.0),
            1,
            pair,
            read=partial(_adaptively, _laplace),
        ),
        _item("make_privacy_filter, zCDP", partial(filtered, zcdp, 1.0), 1, pair, read=partial(_adaptively, _gaussian)),
    ]


def _conversions() -> list[Item]:
    def fixed(dp: Any) -> Any:
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(_gaussian(dp)), delta=0.05)

    pair = (0, 1)
    return [
        _item("make_approximate, pure", lambda dp: dp.c.make_approximate(_laplace(dp)), 1, pair),
        _item("make_approximate, zCDP", lambda dp: dp.c.make_approximate(_gaussian(dp)), 1, pair),
        _item("make_pureDP_to_zCDP", lambda dp: dp.c.make_pureDP_to_zCDP(_laplace(dp)), 1, pair),
        _item("make_zCDP_to_approxDP", lambda dp: dp.c.make_zCDP_to_approxDP(_gaussian(dp)), 1, pair),
        _item("make_fix_delta", fixed, 1, pair),
        _item("make_fixed_approxDP_to_approxDP", lambda dp: dp.c.make_fixed_approxDP_to_approxDP(fixed(dp)), 1, pair),
    ]


def _chains() -> list[Item]:
    def records(dp: Any) -> tuple[Any, Any]:
        return dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()

    def clamped_sum(dp: Any) -> Any:
        return dp.c.make_chain_tt(_bounded_sum(dp), dp.t.make_clamp(*records(dp), bounds=(0, 10)))

    pair = ([1, 99], [1])
    return [
        _item("make_chain_mt", lambda dp: dp.c.make_chain_mt(_laplace(dp), dp.t.make_count(*records(dp))), 1, pair),
        _item("make_chain_tt", lambda dp: dp.c.make_chain_mt(_laplace(dp, 10.0), clamped_sum(dp)), 1, pair),
        _item(
            "make_chain_pm",
            lambda dp: dp.c.make_chain_pm(dp.new_function(lambda x: x // 2, TO=int), _laplace(dp, 1.0)),
            1,
            (1, 2),
        ),
    ]


def _bounded_sum(dp: Any, **sized: Any) -> Any:
    numbers = dp.vector_domain(dp.atom_domain(bounds=(0, 10), T=int), **sized)
    return dp.t.make_sum(numbers, dp.symmetric_distance())


def _others() -> list[Item]:
    """The claim of an amplified measurement is about the population of which its input is a random sample."""

    def amplified() -> Any:
        import opendp.prelude as dp

        from auditor import per_draw
        from auditor.libraries.opendp.claims import claim_of_map

        dp.enable_features("contrib", "honest-but-curious")
        total = dp.c.make_chain_mt(_laplace(dp, 10.0), _bounded_sum(dp, size=2))
        release = dp.c.make_population_amplification(total, population_size=4)
        sampled = per_draw(lambda people, rng: release([int(one) for one in rng.choice(people, 2, replace=False)]))
        pair = ([10, 0, 0, 0], [0, 0, 0, 0])
        return asked(sampled, pair, claim=claim_of_map(release, 2), views=["values", "bits"], name="amplified")

    return [
        Item("make_population_amplification", "a record of the population replaced", amplified),
    ]
