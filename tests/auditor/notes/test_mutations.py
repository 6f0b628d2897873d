"""Changes one formula at a time and sees an entry turn red: a check that notices nothing checks nothing.

Each mutation is a formula of a mechanism, a theorem or an exact computation; the entry named beside it must
come out as something else than expected (that it is as expected without the change is tested by lecture).
Lectures 000, 001 and 003; quick runs, fixed seed.
"""

import math
import re
import sys

import numpy as np
import pytest

from auditor.notes import run
from auditor.notes.everything import checks, run_check
from auditor.notes.exact import composition, finite, gaussian_loss, selection, sensitivity
from mechanisms import exponential, eye_colour, gaussian, gaussian_classic, laplace, pricing, randomized_response
from mechanisms.attribute_means import AttributeMeans
from mechanisms.core import accounting, profiles, queries, sums
from mechanisms.core.budget import PrivacyBudget
from mechanisms.core.claims import ApproxDP, GaussianDP
from mechanisms.noisy_queries import NoisyQueries
from mechanisms.threshold_queries import ThresholdQueries
from mechanisms.vector_laplace import VectorLaplace


def everywhere(monkeypatch, original, changed):
    """Replaces a function in every module of the project that holds it under its name."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("mechanisms", "auditor"):
            for attribute, value in list(vars(module).items()):
                if value is original:
                    monkeypatch.setattr(module, attribute, changed)


def scaled(function, factor):
    """The function with its value multiplied."""
    return lambda *args, **kwargs: factor * function(*args, **kwargs)


def member(owner, name, change):
    """A mutation of a method or property of a class: `change` gets the true value and its arguments."""

    def apply(monkeypatch):
        home = next(cls for cls in owner.__mro__ if name in vars(cls))
        original = vars(home)[name]
        if isinstance(original, property):
            monkeypatch.setattr(home, name, property(lambda self: change(original.fget(self), self)))
        else:
            monkeypatch.setattr(home, name, lambda self, *a, **k: change(original(self, *a, **k), self, *a))

    return apply


def function(module, name, make):
    """A mutation of a function, wherever it is imported: `make` gets the original."""

    def apply(monkeypatch):
        original = getattr(module, name)
        everywhere(monkeypatch, original, make(original))

    return apply


def attribute(owner, name, value):
    """A mutation of a class's constant."""
    return lambda monkeypatch: monkeypatch.setattr(owner, name, value)


def strictly_below(universe):
    return queries.counting_queries(universe, {str(y): y for y in universe}, lambda x, y: x < y)


def shifted_profile(original, factor):
    """A profile as if epsilon were another one."""
    return lambda epsilon, *rest: original(factor * epsilon, *rest)


MUTATIONS = {
    "classic sigma without its 2": (
        "000-T3",
        function(gaussian_classic, "classic_sigma", lambda f: scaled(f, 1 / math.sqrt(2))),
    ),
    "classic sigma ten per cent larger": (
        "000-T3",
        function(gaussian_classic, "classic_sigma", lambda f: scaled(f, 1.1)),
    ),
    "analytic sigma a thousandth smaller": (
        "000-R1",
        function(gaussian, "analytic_sigma", lambda f: scaled(f, 0.999)),
    ),
    "Gaussian profile halved": ("000-T3", member(GaussianDP, "delta_at", lambda value, *_: value / 2)),
    "Gaussian loss tail without its mean": (
        "000-R2",
        function(gaussian_loss, "log_loss_tail", lambda f: lambda mu, loss: f(mu, loss + mu**2 / 2)),
    ),
    "(eps, delta) profile flat below eps": (
        "000-T1",
        member(ApproxDP, "delta_at", lambda value, self, *_: self.delta),
    ),
    "hockey stick with e^-eps": (
        "000-T1",
        function(finite, "hockey_stick", lambda f: lambda p, q, e: f(p, q, -e)),
    ),
    "max divergence in one direction, halved": (
        "001-RR-P",
        function(finite, "max_divergence", lambda f: scaled(f, 0.5)),
    ),
    "sum that forgets a record": (
        "000-D2",
        function(sums, "vector_sum", lambda f: lambda dataset, k: f(dataset, k) / 2),
    ),
    "l1 for every norm": (
        "000-E0",
        function(sensitivity, "largest_distance", lambda f: lambda query, pairs, order=1: f(query, pairs, 1)),
    ),
    "revenue of buyers strictly above the price": (
        "000-E1",
        member(
            pricing.Pricing,
            "scores",
            lambda value, self, data: np.where(np.isin(self.prices(), data), 0, value),
        ),
    ),
    "exponential mechanism without its 2": (
        "000-L3.1",
        member(exponential.Exponential, "rate", lambda v, _: 2 * v),
    ),
    "exponential mechanism, rate a tenth off": (
        "000-T4",
        member(exponential.Exponential, "rate", lambda v, _: 0.9 * v),
    ),
    "exponential mechanism that draws from another law": (
        "000-T4",
        member(exponential.Exponential, "sample", lambda v, *_: np.where(v == "Green", "Brown", v)),
    ),
    "utility's worst case without ties": (
        "003-U",
        function(selection, "worst_failure", lambda f: lambda h, m, t: f(h, 1, t)),
    ),
    "permute-and-flip at half the rate": (
        "000-T4.4",
        function(selection, "permute_and_flip", lambda f: lambda s, *rest: f(np.asarray(s) / 2, *rest)),
    ),
    "eye colour counted double": ("003-EYE", member(eye_colour.EyeColour, "scores", lambda v, *_: 2 * v)),
    "logistic profile at half the shift": (
        "003-EM",
        function(exponential, "logistic_profile", lambda f: shifted_profile(f, 2.0)),
    ),
    "randomized response that keeps less often": (
        "001-RR-P",
        member(randomized_response.RandomizedResponse, "keep", lambda v, _: 0.99 * v),
    ),
    "debiasing without its factor": (
        "001-RR-A",
        member(
            randomized_response.RandomizedResponseMean,
            "debias",
            lambda v, self, mean: mean - 1 / (1 + math.e),
        ),
    ),
    "one coin for all records": (
        "001-RR",
        member(
            randomized_response.RandomizedResponse,
            "coins",
            lambda v, *_: np.repeat(v[:, :1], v.shape[1], axis=1),
        ),
    ),
    "Laplace scale halved": ("001-LAP", member(laplace.Laplace, "scale", lambda v, _: v / 2)),
    "Laplace scale doubled": ("001-LAP-A", member(laplace.Laplace, "scale", lambda v, _: 2 * v)),
    "Laplace profile at half of epsilon": (
        "001-LAP",
        function(laplace, "laplace_profile", lambda f: shifted_profile(f, 0.5)),
    ),
    "Laplace noise a tenth larger": ("003-LD", function(laplace, "laplace_noise", lambda f: scaled(f, 1.1))),
    "vector Laplace with one coordinate's noise": (
        "003-LAP",
        member(VectorLaplace, "scale", lambda v, self: v / self.k),
    ),
    "product profile of fewer coordinates": (
        "003-LAP",
        function(profiles, "laplace_product_profile", lambda f: lambda each, k: f(each, k - 1)),
    ),
    "replace-one sensitivity of add/remove": (
        "001-E3b",
        member(queries.CountingQueries, "sensitivity", lambda value, *_: max(1, value // 2)),
    ),
    "noise scale of counts for fractions": (
        "001-E1",
        member(NoisyQueries, "scale", lambda v, self, data: 10 * v),
    ),
    "thresholds with < for ≤": (
        "001-E1",
        attribute(ThresholdQueries, "queries", strictly_below(queries.THREE_BITS)),
    ),
    "means of other attributes": (
        "001-E2",
        attribute(
            AttributeMeans,
            "queries",
            queries.counting_queries(queries.THREE_BITS, {"D1": 2, "D2": 1, "D3": 1}, lambda x, j: bool(x[j])),
        ),
    ),
    "basic composition by the largest epsilon": (
        "000-C0",
        function(accounting, "basic_composition", lambda f: lambda *claims: max(claims, key=lambda c: c.epsilon)),
    ),
    "basic composition without the deltas": (
        "000-C0",
        function(accounting, "basic_composition", lambda f: lambda *claims: ApproxDP(f(*claims).epsilon)),
    ),
    "parallel composition by the sum": (
        "000-C0",
        function(accounting, "parallel_composition", lambda f: accounting.basic_composition),
    ),
    "advanced composition without its 2": (
        "000-R3",
        function(accounting, "advanced_composition", lambda f: lambda c, k, s: f(c, k, math.sqrt(s))),
    ),
    "advanced composition without k delta": (
        "000-T2.1",
        function(accounting, "advanced_composition", lambda f: lambda c, k, s: ApproxDP(f(c, k, s).epsilon, s)),
    ),
    "advanced composition without its second term": (
        "000-R3",
        function(
            accounting,
            "advanced_composition",
            lambda f: lambda c, k, s: ApproxDP(math.sqrt(2 * k * math.log(1 / s)) * c.epsilon, s),
        ),
    ),
    "binomial sum of one answer fewer": (
        "000-R3",
        function(
            composition,
            "composed_randomized_response",
            lambda f: lambda epsilon, k, delta=0.0: f(epsilon, k - 1, delta),
        ),
    ),
    "loss distribution of noise a tenth larger": (
        "000-T2.1",
        function(composition, "composed_laplace", lambda f: lambda epsilon, k: f(epsilon / 1.1, k)),
    ),
    "subsampling as rate times epsilon": (
        "000-L4.1",
        function(accounting, "subsampling", lambda f: lambda c, rate: ApproxDP(rate * c.epsilon, rate * c.delta)),
    ),
    "subsampling of a smaller sample": (
        "000-S4",
        function(accounting, "subsampling", lambda f: lambda c, rate: f(c, rate / 2)),
    ),
    "group privacy with k delta": (
        "001-P1.2",
        function(accounting, "group_privacy", lambda f: lambda c, k: ApproxDP(k * c.epsilon, k * c.delta)),
    ),
    "group privacy with sqrt(k) epsilon": (
        "001-P1.2",
        function(
            accounting,
            "group_privacy",
            lambda f: lambda c, k: ApproxDP(math.sqrt(k) * c.epsilon, f(c, k).delta),
        ),
    ),
    "basic composition a tenth too small": (
        "001-T1.7",
        function(accounting, "basic_composition", lambda f: lambda *c: ApproxDP(f(*c).epsilon * 0.9)),
    ),
    "a budget that never shrinks": (
        "001-BUD",
        member(PrivacyBudget, "remaining", lambda v, self: self.total),
    ),
    "subset sums that forget an element": (
        "003-R2",
        member(queries.CountingQueries, "sensitivity", lambda value, *_: value - 1),
    ),
}
BY_ID = {check.id: check for check in checks()}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_changed_formula_turns_an_entry_red(monkeypatch, name):
    identifier, apply = MUTATIONS[name]
    monkeypatch.setattr(run, "QUICK_TRIALS", 2000)  # the exact facts notice, the audits need not
    apply(monkeypatch)
    entry = run_check(BY_ID[identifier], quick=True)
    assert not entry.as_expected, f"{name}: {identifier} is still “{entry.outcome}”"
    assert not re.match(r"\w+(Error|Exception):", entry.reason), f"{name}: red for another reason, {entry.reason}"


def test_there_are_enough_mutations():
    assert len(MUTATIONS) >= 20
