"""A result shows the exact value beside the claimed and the certified one, where the mechanism knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from auditor import ApproxDP, AuditResult, audit
from mechanisms.core.catalogue import find
from mechanisms.core.claims import Profile
from mechanisms.laplace import Laplace


@dataclass(frozen=True)
class Unsure(Laplace):
    """A mechanism whose `exact()` fails."""

    id: ClassVar[str] = "unsure"

    def exact(self) -> Profile | None:
        raise ArithmeticError("no closed form")


@pytest.mark.parametrize(("identifier", "exact"), [("laplace", "1"), ("laplace/half-scale", "2")])
def test_exact_beside_claimed_and_certified(identifier: str, exact: str) -> None:
    result = audit(find(identifier), trials=1000, jobs=1)
    assert result.exact == pytest.approx(float(exact))
    assert f", claimed 1, exactly {exact} (" in " ".join(str(result).split())
    assert f"exactly {exact}" in result._repr_html_()
    assert AuditResult.from_json(result.to_json()) == result


def test_a_theorem_about_real_numbers_says_nothing_of_bits() -> None:
    result = audit(find("laplace"), trials=1000, jobs=1, views=("values", "bits"))
    assert result.refuted
    assert result.exact is None
    assert "exactly" not in str(result)


@pytest.mark.parametrize("mechanism", [Unsure(), lambda d, n, rng: sum(d) + rng.laplace(0, 1, n)])
def test_nothing_is_said_where_it_is_not_known(mechanism: object) -> None:
    pairs = [((1.0,), ())]
    result = audit(mechanism, claim=ApproxDP(1.0), pairs=pairs, trials=1000, jobs=1, views=("values",))
    assert result.exact is None
    assert "exactly" not in str(result)
    assert "exact" not in result.to_dict()


def test_it_is_that_of_the_instance() -> None:
    doubled = audit(Laplace(epsilon=2.0), claim=ApproxDP(1.0), trials=1000, jobs=1)
    assert doubled.refuted
    assert doubled.exact == pytest.approx(2.0)
