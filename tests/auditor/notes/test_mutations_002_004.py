"""Changes one formula at a time and sees an entry of lectures 002 or 004 turn red; quick runs, fixed seed."""

import math
import re
import sys

import pytest

from auditor.notes import run as ledger_run
from auditor.notes.everything import checks, run_check
from auditor.notes.exact import renyi, renyi_finite, stability
from mechanisms import (
    gaussian,
    gaussian_classic,
    gaussian_simple,
    laplace_log_normal,
    median,
    ptr_reciprocal,
    truncated_laplace,
)
from mechanisms.core import accounting, graph
from mechanisms.core.claims import ZCDP, GaussianDP
from mechanisms.distance_to_instability import StableRelease
from mechanisms.gaussian_zero import GaussianZero
from mechanisms.name_and_shame import NameAndShame
from mechanisms.noisy_test import NoisyTest
from mechanisms.private_local_sensitivity import PrivateLocalSensitivity
from mechanisms.propose_test_release import ProposeTestRelease
from mechanisms.smooth_sensitivity import SmoothMedian
from mechanisms.stable_majority import StableMajority

BY_ID = {check.id: check for check in checks()}


def member(owner, name, change):
    """A changed method or property: `change` gets the true value, the object and its arguments."""

    def apply(monkeypatch):
        original = vars(owner)[name]
        if isinstance(original, property):
            monkeypatch.setattr(owner, name, property(lambda self: change(original.fget(self), self)))
        else:
            monkeypatch.setattr(owner, name, lambda self, *a, **k: change(original(self, *a, **k), self, *a))

    return apply


def function(module, name, make):
    """A changed function, in every module that holds it: `make` gets the original."""

    def apply(monkeypatch):
        original = getattr(module, name)
        changed = make(original)
        for key, other in list(sys.modules.items()):
            if key.split(".")[0] in ("mechanisms", "auditor"):
                for attribute, value in list(vars(other).items()):
                    if value is original:
                        monkeypatch.setattr(other, attribute, changed)

    return apply


def scaled(factor):
    return lambda original: lambda *args, **kwargs: factor * original(*args, **kwargs)


def plus(amount):
    return lambda original: lambda *args, **kwargs: original(*args, **kwargs) + amount


def unamplified(claim, rate):
    return accounting.ApproxDP(rate * claim.epsilon, rate * claim.delta)


def whole_delta(original):
    return lambda claim, rate: accounting.ApproxDP(original(claim, rate).epsilon, claim.delta)


def no_delta(original):
    return lambda *claims: accounting.ApproxDP(original(*claims).epsilon, 0.0)


def without_growth(value, self):
    return ZCDP((self.t / self.sigma + self.s) ** 2 / 2)


MUTATIONS = {
    "classic sigma without its 2": (
        "002-T5.9",
        function(gaussian_classic, "classic_sigma", scaled(0.5**0.5)),
    ),
    "classic sigma a hundredth larger": (
        "002-T5.9",
        function(gaussian_classic, "classic_sigma", scaled(1.01)),
    ),
    "simple sigma a tenth smaller": ("002-T5.7", function(gaussian_simple, "simple_sigma", scaled(0.9))),
    "simple sigma in k dimensions, a third": (
        "002-T5.12",
        function(gaussian_simple, "simple_sigma", scaled(0.33)),
    ),
    "analytic sigma a thousandth smaller": ("002-T5.18", function(gaussian, "analytic_sigma", scaled(0.999))),
    "least noise by another sigma": ("002-T5.19", function(gaussian, "analytic_sigma", scaled(1.3))),
    "epsilon-0 sigma halved": ("002-T5.14", member(GaussianZero, "sigma", lambda v, _: v / 2)),
    "Gaussian profile without its second term": (
        "002-T5.15",
        member(GaussianDP, "delta_at", lambda v, self, e: v / 2),
    ),
    "Gaussian profile that falls with mu": (
        "002-L5.17",
        member(GaussianDP, "delta_at", lambda v, self, e: v * math.exp(-self.mu)),
    ),
    "Gaussian profile in Lemma 5.16": (
        "002-L5.16",
        member(GaussianDP, "delta_at", lambda v, self, e: v * 1.01),
    ),
    "Gaussian noise a tenth larger": (
        "002-L5.13",
        member(gaussian.GaussianNoise, "noise", lambda v, *_: 1.1 * v),
    ),
    "Gaussian noise twice": ("002-L5.8", member(gaussian.GaussianNoise, "noise", lambda v, *_: 2 * v)),
    "l2 sensitivity k for sqrt k": (
        "002-D5.10",
        member(gaussian_simple.GaussianVector, "sensitivity", lambda v, self: float(self.k)),
    ),
    "truncation without its 2": (
        "002-T5.6",
        member(truncated_laplace.TruncatedLaplace, "cut", lambda v, self: v + math.log(2)),
    ),
    "truncated profile of another width": (
        "002-T5.6",
        function(truncated_laplace, "truncated_laplace_profile", lambda f: lambda shift, cut: f(shift, cut + 0.01)),
    ),
    "name and shame at twice the rate": ("002-NS", member(NameAndShame, "rate", lambda v, _: 2 * v)),
    "subsampling by q epsilon": ("002-T5.4", function(accounting, "subsampling", lambda f: unamplified)),
    "subsampling that keeps delta": ("002-T5.4", function(accounting, "subsampling", whole_delta)),
    "rule of thumb with q epsilon": ("002-R5.4", function(accounting, "subsampling", lambda f: unamplified)),
    "composition without deltas": ("002-L5.3", function(accounting, "basic_composition", no_delta)),
    "CDP without e^(3 sigma^2/2)": ("004-P15.1", member(SmoothMedian, "claim", without_growth)),
    "smooth sensitivity that ignores t": (
        "004-P15.1",
        function(median, "smooth_sensitivity", lambda f: lambda x, t: f(x, 3 * t)),
    ),
    "log-normal density of another sigma": (
        "004-P15.1",
        function(laplace_log_normal, "density", lambda f: lambda z, sigma: f(z, 1.05 * sigma)),
    ),
    "Rényi divergence of finite laws, halved": ("004-L15.2", function(renyi_finite, "renyi", scaled(2.0))),
    "dilated density of another sigma": (
        "004-L15.3",
        member(renyi.LaplaceLogNormal, "of_log", lambda v, *_: (1.2 * v[0], v[1], v[2])),
    ),
    "translated density too steep": (
        "004-L15.4",
        member(renyi.LaplaceLogNormal, "of_log", lambda v, *_: (1.2 * v[0], v[1], v[2])),
    ),
    "sensitivity of 1/f to an added record": (
        "004-E1",
        function(ptr_reciprocal, "local_sensitivity", lambda f: lambda count: 1 / (count * (count + 1))),
    ),
    "threshold without its 1/epsilon": (
        "004-D2I",
        member(NoisyTest, "threshold", lambda v, self: v * self.epsilon),
    ),
    "test noise of another scale": ("004-D2I", member(NoisyTest, "scale", lambda v, _: 1.1 * v)),
    "test that is reversed": ("004-D2I", member(NoisyTest, "passes", lambda v, *_: ~v)),
    "distance without its -1": ("004-D2I", member(StableRelease, "distance", lambda v, *_: v + 1)),
    "majority's distance counts the lead": (
        "004-D2I-A",
        member(StableMajority, "changes", lambda v, self, data: abs(2 * sum(data) - len(data))),
    ),
    "PTR noise without beta": (
        "004-P15.5",
        member(ProposeTestRelease, "spread", lambda v, self: v / self.bound / 3),
    ),
    "PTR profile without ⊥": (
        "004-P15.5",
        member(ProposeTestRelease, "hockey", lambda v, self, left, right, e: 0.9 * v),
    ),
    "sensitivity one step nearer": (
        "004-PTR",
        function(median, "sensitivity_at_distance", lambda f: lambda x, k: f(x, k + 1)),
    ),
    "triangles counted from edges twice": ("004-TRI", function(graph, "triangles", scaled(2))),
    "local sensitivity of deletions": (
        "004-TRI",
        function(graph, "triangle_sensitivity", lambda f: graph.deletion_sensitivity),
    ),
    "released sensitivity without its offset": (
        "004-L15.6",
        member(PrivateLocalSensitivity, "offset", lambda v, _: 0.0),
    ),
    "released sensitivity, another quadrature": (
        "004-L15.6",
        member(PrivateLocalSensitivity, "hockey", lambda v, *_: 1.01 * v),
    ),
    "graph degrees one too small": ("004-TRI", member(stability.AllGraphs, "degrees", lambda v, _: v - 1)),
    "distance to instability off by one": (
        "004-D2I",
        function(stability, "distance_to_instability", plus(1)),
    ),
    "median that is the minimum": ("004-PTR", function(median, "median", lambda f: lambda x: x.at(1))),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_changed_formula_turns_an_entry_red(monkeypatch, name):
    monkeypatch.setattr(ledger_run, "QUICK_TRIALS", 2_000)
    identifier, apply = MUTATIONS[name]
    apply(monkeypatch)
    entry = run_check(BY_ID[identifier], quick=True)
    assert not entry.as_expected, f"{name}: {identifier} is still “{entry.outcome}”"
    assert not re.match(r"\w+Error:", entry.reason), f"{name} breaks the check itself: {entry.reason}"


def test_there_are_enough_mutations():
    assert len(MUTATIONS) >= 12
    assert len({identifier for identifier, _ in MUTATIONS.values()}) >= 20
