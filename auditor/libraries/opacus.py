"""One step of an Opacus optimizer as a mechanism (written for opacus 1.5 and 1.6).

Neighbours: one sample more or less in the batch. A sample that is replaced by another one is further: twice the claim.
The batch is the whole dataset: what subsampling adds is `tradeoff(…).subsampled(rate)`, and many steps are `.times(k)`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, in_workers, missing
from auditor.sampling.built import BuiltInWorker
from auditor.sampling.draws import per_draw
from mechanisms.core.claims import GaussianDP


def step(make: Callable[[], tuple[Any, Any]], loss: Callable[[Any, Any], Any]) -> BuiltInWorker:
    """One optimizer step as a mechanism: an output is by how much each parameter has changed, as one vector.

    The claim is that of the Gaussian mechanism with the optimizer's `noise_multiplier`, 1/noise_multiplier-GDP: what
    the accountants of Opacus add up for each step. Model and optimizer are set back before each draw. The noise comes
    from torch's generator, which is seeded from the audit's: the audit can be replayed (but not in secure mode).

    Args:
        make: A function without arguments that returns (model, optimizer) as `PrivacyEngine.make_private` does. It
            must start from the same parameters each time: seed torch in it.
        loss: A function of (model, dataset) that returns the loss of the batch as a tensor, with the reduction that
            the optimizer was told (`loss_reduction`, "mean" unless said otherwise).
    """
    _optimizer_class()
    if not callable(make) or not callable(loss):
        raise UsageError(f"step takes two functions, got make={make!r:.60}, loss={loss!r:.60}")
    return in_workers(make, lambda made: _adapted(made, loss))


def _adapted(made: Any, loss: Callable[[Any, Any], Any]) -> Adapted:
    model, optimizer = made if isinstance(made, tuple) and len(made) == 2 else (None, None)
    if not isinstance(optimizer, _optimizer_class()):
        raise UsageError(f"make must return (model, optimizer) with a DPOptimizer of opacus, got {made!r:.60}")
    if optimizer.noise_multiplier <= 0:
        raise UsageError(f"noise_multiplier must be positive, got noise_multiplier={optimizer.noise_multiplier}")
    draws = per_draw(OptimizerStep(model, optimizer, loss), seed="torch")
    return Adapted("opacus", GaussianDP(1 / optimizer.noise_multiplier), draws.sample)


class OptimizerStep:
    """Makes one step from where model and optimizer stood at first."""

    def __init__(self, model: Any, optimizer: Any, loss: Callable[[Any, Any], Any]) -> None:
        self.model, self.optimizer, self.loss = model, optimizer, loss
        self.start = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """By how much each parameter has changed."""
        self.model.load_state_dict(self.start[0])
        self.optimizer.load_state_dict(copy.deepcopy(self.start[1]))
        self.optimizer.zero_grad()
        before = self._parameters()
        self.loss(self.model, dataset).backward()
        self.optimizer.step()
        return self._parameters() - before

    def _parameters(self) -> np.ndarray[Any, Any]:
        parts = [part.detach().cpu().numpy().ravel() for part in self.model.parameters() if part.requires_grad]
        return np.concatenate(parts).astype(np.float64)


def _optimizer_class() -> Any:
    try:
        from opacus.optimizers import DPOptimizer
    except ImportError as error:
        raise missing("opacus", error) from error
    return DPOptimizer
