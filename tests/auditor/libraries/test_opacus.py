"""Opacus's adapter on small stand-ins for torch and the library: what is asked of them, and what is read from them."""

import sys
import types

import numpy as np
import pytest

from auditor import GaussianDP, UsageError, audit
from auditor.libraries import opacus

STATE = {"rng": np.random.default_rng(0)}


class Tensor(np.ndarray):
    requires_grad = True

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.asarray(self)


class Model:
    """Two parameters."""

    def __init__(self):
        self.weights = np.zeros(2).view(Tensor)

    def parameters(self):
        return [self.weights]

    def state_dict(self):
        return {"weights": self.weights.copy()}

    def load_state_dict(self, state):
        self.weights = state["weights"].copy().view(Tensor)


class DPOptimizer:
    """A step by the sum of the samples, each cut to length 1, with Gaussian noise; `short` of it is left out."""

    def __init__(self, model, noise_multiplier=1.0, short=1.0):
        self.model, self.noise_multiplier, self.short, self.steps = model, noise_multiplier, short, 0
        self.max_grad_norm = 1.0

    def state_dict(self):
        return {"steps": self.steps}

    def load_state_dict(self, state):
        self.steps = state["steps"]

    def zero_grad(self):
        self.total = np.zeros(2)

    def step(self):
        self.steps += 1
        self.max_grad_norm *= 2  # as if it were adaptive: not part of its state_dict
        noise = STATE["rng"].normal(0, self.noise_multiplier / self.short, 2)
        self.model.weights = (self.model.weights + (self.total + noise) / self.steps).view(Tensor)


class Loss:
    def __init__(self, model, data, criterion=None):
        self.model, self.data = model, criterion(data) if criterion else data

    def backward(self):
        optimizer = self.model.optimizer
        for sample in self.data:
            optimizer.total += np.array(sample) / max(1.0, np.linalg.norm(sample))


@pytest.fixture(autouse=True)
def library(monkeypatch):
    module = types.ModuleType("opacus.optimizers")
    module.DPOptimizer = DPOptimizer
    torch = types.ModuleType("torch")
    torch.manual_seed = lambda seed: STATE.update(rng=np.random.default_rng(seed))
    torch.get_rng_state = lambda: np.zeros(1).view(Tensor)
    torch.set_rng_state = lambda state: None
    monkeypatch.setitem(sys.modules, "opacus", types.ModuleType("opacus"))
    monkeypatch.setitem(sys.modules, "opacus.optimizers", module)
    monkeypatch.setitem(sys.modules, "torch", torch)


def made(**settings):
    model = Model()
    model.optimizer = DPOptimizer(model, **settings)
    return model, model.optimizer


PAIR = [([(0.1, 0.0), (30.0, 40.0)], [(0.1, 0.0)])]


@pytest.mark.parametrize(("short", "refuted"), [(1.0, False), (3.0, True)])
def test_a_healthy_step_is_not_refuted_and_one_with_too_little_noise_is(short, refuted):
    """The healthy one is audited at alpha 1e-6."""
    mechanism = opacus.step(lambda: made(short=short), Loss)
    assert mechanism.claim == GaussianDP(1.0)
    assert audit(mechanism, pairs=PAIR, trials=500, alpha=1e-6, views=["values"], jobs=1).refuted == refuted


def test_each_draw_starts_anew_and_can_be_replayed():
    """The second step of an optimizer would be half as long."""
    mechanism = opacus.step(lambda: made(noise_multiplier=1e-9), Loss)
    outputs = mechanism.sample([(30.0, 40.0)], 3, np.random.default_rng(1))
    np.testing.assert_allclose(outputs, [[0.6, 0.8]] * 3, atol=1e-6)
    again = mechanism.sample([(30.0, 40.0)], 3, np.random.default_rng(1))
    np.testing.assert_array_equal(outputs, again)


def test_settings_that_adapt_are_set_back_and_can_be_read():
    mechanism = opacus.step(
        lambda: made(noise_multiplier=1e-9), Loss, read=lambda model, optimizer: [optimizer.max_grad_norm]
    )
    outputs = mechanism.sample([(30.0, 40.0)], 3, np.random.default_rng(1))
    np.testing.assert_allclose(outputs, [[0.6, 0.8, 2.0]] * 3, atol=1e-6)


def test_make_may_return_what_make_private_does():
    """A criterion is handed to the loss, a data loader is not; a model that is not wrapped stands behind its hooks."""
    halved = lambda data: [np.array(sample) / 100 for sample in data]  # noqa: E731

    def whole():
        model, optimizer = made(noise_multiplier=1e-9)
        return types.SimpleNamespace(_module=model), optimizer, halved, ["a data loader"]

    outputs = opacus.step(whole, Loss).sample([(30.0, 40.0)], 1, np.random.default_rng(1))
    np.testing.assert_allclose(outputs, [[0.3, 0.4]], atol=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [(lambda: 3, "make must return"), (lambda: made(noise_multiplier=0.0), "noise_multiplier must be positive")],
)
def test_what_does_not_fit_gets_a_sentence_of_opacus(make, words):
    step = opacus.step(make, Loss)
    with pytest.raises(UsageError, match=words):
        step.sample([], 1, np.random.default_rng(0))
    with pytest.raises(UsageError, match="two functions"):
        opacus.step(3, Loss)
    with pytest.raises(UsageError, match="read must be a function"):
        opacus.step(make, Loss, read=3)
