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


def step(
    make: Callable[[], tuple[Any, ...]],
    loss: Callable[..., Any],
    read: Callable[[Any, Any], Any] | None = None,
) -> BuiltInWorker:
    """One optimizer step as a mechanism: an output is by how much each parameter has changed, as one vector.

    The claim is that of the Gaussian mechanism with the optimizer's `noise_multiplier`, 1/noise_multiplier-GDP: what
    the accountants of Opacus add up for each step. Model and optimizer are set back before each draw, also what an
    adaptive optimizer has learnt. The noise comes from torch's generator, which is seeded from the audit's: the audit
    can be replayed (but not in secure mode).

    Args:
        make: A function without arguments that returns what `PrivacyEngine.make_private` does: (model, optimizer, …).
            Of what follows only the criterion of ghost clipping is used. It must start from the same parameters
            each time: seed torch in it.
        loss: A function of (model, dataset) that returns the loss of the batch as a tensor, with the reduction that
            the optimizer was told (`loss_reduction`, "mean" unless said otherwise). With ghost clipping it is called
            with (model, dataset, criterion).
        read: Adds to an output what (model, optimizer) show after the step beside the parameters: numbers.
    """
    _optimizer_class()
    if not callable(make) or not callable(loss):
        raise UsageError(f"step takes two functions, got make={make!r:.60}, loss={loss!r:.60}")
    if read is not None and not callable(read):
        raise UsageError(f"read must be a function of (model, optimizer), got read={read!r:.60}")
    return in_workers(make, lambda made: _adapted(made, loss, read))


def _adapted(made: Any, loss: Callable[..., Any], read: Callable[[Any, Any], Any] | None) -> Adapted:
    model, optimizer = made[:2] if isinstance(made, tuple) and len(made) >= 2 else (None, None)
    if not isinstance(optimizer, _optimizer_class()):
        raise UsageError(f"make must return (model, optimizer) with a DPOptimizer of opacus, got {made!r:.60}")
    if optimizer.noise_multiplier <= 0:
        raise UsageError(f"noise_multiplier must be positive, got noise_multiplier={optimizer.noise_multiplier}")
    if not hasattr(model, "state_dict"):  # hooks on a model that is not wrapped
        model = model._module
    criteria = [part for part in made[2:] if callable(part)]  # a data loader cannot be called
    draws = per_draw(OptimizerStep(model, optimizer, loss, criteria[:1], read), seed="torch")
    return Adapted("opacus", GaussianDP(1 / optimizer.noise_multiplier), draws.sample)


class OptimizerStep:
    """Makes one step from where model and optimizer stood at first."""

    def __init__(self, model: Any, optimizer: Any, loss: Any, criteria: list[Any], read: Any) -> None:
        self.model, self.optimizer, self.loss, self.criteria, self.read = model, optimizer, loss, criteria, read
        self.start = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())
        self.settings = {name: value for name, value in vars(optimizer).items() if _is_plain(value)}

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """By how much each parameter has changed, and what `read` sees beside that."""
        self.model.load_state_dict(self.start[0])
        self.optimizer.load_state_dict(copy.deepcopy(self.start[1]))
        vars(self.optimizer).update(copy.deepcopy(self.settings))
        self.optimizer.zero_grad()
        before = self._parameters()
        self.loss(self.model, dataset, *self.criteria).backward()
        self.optimizer.step()
        changed = self._parameters() - before
        if self.read is None:
            return changed
        return np.concatenate([changed, np.ravel(np.asarray(self.read(self.model, self.optimizer), dtype=np.float64))])

    def _parameters(self) -> np.ndarray[Any, Any]:
        parts = [part.detach().cpu().numpy().ravel() for part in self.model.parameters() if part.requires_grad]
        return np.concatenate(parts).astype(np.float64)


def _is_plain(value: Any) -> bool:
    """Numbers and lists of them: a clipping norm that adapts is not part of an optimizer's state_dict."""
    parts = value if isinstance(value, list) else [value]
    return all(isinstance(part, (int, float)) for part in parts)


def _optimizer_class() -> Any:
    try:
        from opacus.optimizers import DPOptimizer
    except ImportError as error:
        raise missing("opacus", error) from error
    return DPOptimizer
