"""The layers of Opacus 1.6.0: the clipped gradients of a batch, without noise, in batches of random samples.

Neighbours: one sample more or less in the batch. A clipped sum moves by the clipping norm at most, which is 1 here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gallery.sweep.item import Item

PACKAGES = ("opacus==1.6.0", "torch==2.13.0")
LEFT_OUT: dict[str, str] = {}
SAMPLE = "one sample more or less in the batch"
ROOM = 1e-4  # for rounding to 32 bits
# The arguments of a layer, and the shape of a sample.
SHAPES: dict[str, tuple[tuple[Any, ...], tuple[int, ...]]] = {
    "Linear": ((3, 2), (3,)),
    "Conv1d": ((2, 2, 2), (2, 4)),
    "Conv2d": ((2, 2, 2), (2, 4, 4)),
    "Conv3d": ((1, 2, 2), (1, 3, 3, 3)),
    "GroupNorm": ((1, 2), (2, 4)),
    "InstanceNorm1d": ((2, 1e-5, 0.1, True), (2, 4)),
    "InstanceNorm2d": ((2, 1e-5, 0.1, True), (2, 3, 3)),
    "InstanceNorm3d": ((2, 1e-5, 0.1, True), (2, 2, 2, 2)),
    "LayerNorm": ((4,), (4,)),
    "RMSNorm": ((4,), (4,)),
    "RNNLinear": ((3, 2), (4, 3)),
    "Embedding": ((5, 3), (4,)),
    "EmbeddingBag": ((5, 3), (4,)),
}
WORDS = ("Embedding", "EmbeddingBag")
GHOST = ("Linear", "Conv2d", "GroupNorm", "LayerNorm", "Embedding")


def public() -> list[str]:
    """The layers for which Opacus has gradients a sample."""
    from opacus import GradSampleModule

    return [layer.__name__ for layer in GradSampleModule.GRAD_SAMPLERS]


def items() -> list[Item]:
    """Each layer by itself, or in the layer that uses it; some of them with ghost clipping."""
    inside = {
        "SequenceBias, in DPMultiheadAttention": ("DPMultiheadAttention", (4, 2, 0.0, True, True), (3, 4)),
        "RNNLinear, in DPRNN": ("DPRNN", (3, 2), (4, 3)),
        "RNNLinear, in DPGRU": ("DPGRU", (3, 2), (4, 3)),
        "RNNLinear, in DPLSTM": ("DPLSTM", (3, 2), (4, 3)),
    }
    return [
        *(Item(name, SAMPLE, partial(_clipped, name, *SHAPES[name], _sum)) for name in SHAPES),
        *(Item(name, SAMPLE, partial(_clipped, *what, _sum)) for name, what in inside.items()),
        *(Item(f"{name}, ghost", SAMPLE, partial(_clipped, name, *SHAPES[name], _ghost_sum)) for name in GHOST),
    ]


def _clipped(name: str, settings: tuple[Any, ...], shape: tuple[int, ...], summed: Callable[..., Any]) -> Any:
    """The largest distance found, in the L2 norm, and what is allowed."""
    import torch

    from auditor import sensitivity

    generator = torch.Generator().manual_seed(0)

    def batch(size: int) -> Any:
        if name in WORDS:
            return torch.randint(0, settings[0], (size, *shape), generator=generator)
        return 10 * torch.randn((size, *shape), generator=generator)

    batches = [batch(size) for size in (2, 3, 4, 5) for _ in range(8)]
    pairs = [(one, one[:-1]) for one in batches]
    return sensitivity(partial(summed, partial(_model, name, settings)), pairs, norm="l2"), 1 + ROOM


def _model(name: str, settings: tuple[Any, ...]) -> Any:
    """A model of one layer that takes a batch and gives numbers; always with the same weights."""
    import torch
    from opacus import GradSampleModule, layers

    class Calling(torch.nn.Module):  # type: ignore[misc]
        """Calls the layer in the way that it wants to be called."""

        batch_first = name != "DPMultiheadAttention"

        def __init__(self, layer: Any) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, batch: Any) -> Any:
            if name == "EmbeddingBag":
                return self.layer(batch.reshape(-1), torch.arange(0, batch.numel(), batch.shape[1]))
            turned = batch.transpose(0, 1)  # time comes first
            found = self.layer(turned, turned, turned) if name == "DPMultiheadAttention" else self.layer(turned)
            return found[0].transpose(0, 1)

    torch.manual_seed(0)
    known = {kind.__name__: kind for kind in GradSampleModule.GRAD_SAMPLERS}
    layer = (known.get(name) or getattr(layers, name))(*settings)
    return Calling(layer) if name.startswith("DP") or name == "EmbeddingBag" else layer


def _sum(made: Callable[[], Any], samples: Any) -> Any:
    """The clipped sum of the gradients of each sample."""
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    inner = made()
    first = getattr(inner, "batch_first", True)
    model = GradSampleModule(inner, batch_first=first, loss_reduction="sum", strict=False)
    optimizer = DPOptimizer(
        torch.optim.SGD(model.parameters(), lr=1.0),
        noise_multiplier=0.0,
        max_grad_norm=1.0,
        expected_batch_size=None,
        loss_reduction="sum",
    )
    (model(samples) ** 3).sum().backward()
    optimizer.step()
    return torch.cat([part.grad.ravel() for part in model.parameters()]).numpy()


def _ghost_sum(made: Callable[[], Any], samples: Any) -> Any:
    """The clipped sum by ghost clipping."""
    import torch
    from opacus import GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    class Cubes:
        """A loss of one number a sample, as ghost clipping takes it."""

        reduction = "sum"

        def __call__(self, answers: Any) -> Any:
            return (answers**3).flatten(1).sum(dim=1)

    model = GradSampleModuleFastGradientClipping(
        made(), max_grad_norm=1.0, use_ghost_clipping=True, loss_reduction="sum"
    )
    optimizer = DPOptimizerFastGradientClipping(
        torch.optim.SGD(model.parameters(), lr=1.0),
        noise_multiplier=0.0,
        max_grad_norm=1.0,
        expected_batch_size=None,
        loss_reduction="sum",
    )
    criterion = DPLossFastGradientClipping(model, optimizer, Cubes(), loss_reduction="sum")
    criterion(model(samples)).backward()
    optimizer.step()
    return torch.cat([part.grad.ravel() for part in model.parameters()]).numpy()
