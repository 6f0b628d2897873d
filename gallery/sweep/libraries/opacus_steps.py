"""Opacus 1.6.0: one step of each optimizer, and the accountants.

Neighbours: one sample more or less in the batch. Everything is looked at in values: what 32-bit numbers leak in their
last bits has a page in the gallery.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("opacus==1.6.0", "torch==2.13.0")
SEVERAL = "needs several processes; its step is that of the class without Distributed"
LEFT_OUT = {
    "optimizers.DistributedDPOptimizer": SEVERAL,
    "optimizers.DistributedDPOptimizerFastGradientClipping": SEVERAL,
    "optimizers.FSDPOptimizerFastGradientClipping": SEVERAL,
    "optimizers.SimpleDistributedPerLayerOptimizer": SEVERAL,
    "accountants.IAccountant": "abstract",
}
SAMPLE, ADDED = "one sample more or less in the batch", "one sample more or less, Poisson sampling"
BATCH_SIZE = (  # "We currently ignore the privacy leak due to the the private batch size"
    "a comment of its own "
    "https://github.com/meta-pytorch/opacus/blob/main/opacus/utils/adaptive_clipping/adaptive_clipping_utils.py"
)
# The accountant says so when it is made, and refers to Gopi, Lee and Wutschitz 2021 (Figure 1: GDP's central limit).
UNDERESTIMATED = "its own warning, Gopi et al. 2021 https://arxiv.org/abs/2106.02848"
PAIR = ([0.5, 9.0], [0.5])


def public() -> list[str]:
    """The optimizers, the schedules of noise and clipping, and the accountants."""
    from opacus import accountants, optimizers, schedulers

    parts = {"optimizers": optimizers, "schedulers": schedulers, "accountants": accountants}
    return [
        f"{part}.{name}"
        for part, module in parts.items()
        for name, value in vars(module).items()
        if isinstance(value, type) and not name.startswith("_")
    ]


def items() -> list[Item]:
    """Steps, schedules and accountants."""
    return [*_steps(), *_schedules(), *_accountants()]


def _made(mode: str = "hooks", norm: Any = 1.0, after: Callable[[Any], Any] | None = None, **settings: Any) -> Any:
    """What `make_private` returns for a model of one weight that starts at 0."""
    import opacus
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    data = TensorDataset(torch.zeros(4, 1), torch.zeros(4, 1))
    made = opacus.PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        criterion=torch.nn.L1Loss(),
        data_loader=DataLoader(data, batch_size=2),
        noise_multiplier=1.0,
        max_grad_norm=norm,
        grad_sample_mode=mode,
        **settings,
    )
    if after is not None:
        after(made[1])
    return made


def _stepped(*pairs: Any, read: Any = None, shown: str = "mean", trials: int = 1_200, **settings: Any) -> Any:
    """`shown` says what the loss is: the mean answer, or how far answers are from their inputs, squared; or in rows."""
    import torch

    from auditor.libraries.opacus import step

    def loss(model: Any, numbers: list[float], criterion: Any = None) -> Any:
        inputs = torch.tensor(numbers).reshape(-1, 1)
        answers = model(inputs)
        if criterion is not None:
            answers = answers if shown == "rows" else answers[:, 0]
            return criterion(answers, torch.ones_like(answers))
        return ((answers - inputs) ** 2 if shown == "squares" else answers).mean()

    return asked(step(partial(_made, **settings), loss, read), *(pairs or (PAIR,)), trials=trials)


def _item(name: str, *pairs: Any, reported: str = "", **settings: Any) -> Item:
    return Item(f"optimizers.{name}", SAMPLE, partial(_stepped, *pairs, **settings), bool(reported), reported)


def _steps() -> list[Item]:
    adaptive: dict[str, Any] = {
        "clipping": "adaptive",
        "target_unclipped_quantile": 0.5,
        "clipbound_learning_rate": 1.0,
        "max_clipbound": 1e3,
        "min_clipbound": 1e-3,
        "unclipped_num_std": 0.6,
    }
    norm = lambda model, optimizer: float(optimizer.max_grad_norm)  # noqa: E731
    empty: tuple[list[float], list[float]] = ([9.0], [])
    overflow = ([0.5, 1e30], [0.5])
    unclipped = ([0.5, 1.0], [0.5])
    return [
        _item("DPOptimizer"),
        _item("DPOptimizer, sums", loss_reduction="sum"),
        _item("DPOptimizer, an empty batch", empty),
        _item("DPOptimizer, expanded weights", mode="ew"),
        _item("DPOptimizer, functorch", mode="functorch"),
        _item("DPOptimizer, not wrapped", wrap_model=False),
        _item("DPOptimizer, a gradient that overflows", overflow, shown="squares", trials=500, reported="no"),
        _item("DPOptimizer, NaN", ([0.5, float("nan")], [0.5]), trials=500, reported="no"),
        _item("DPOptimizerFastGradientClipping", mode="ghost"),
        # Clipping factors of shape (n,) meet losses of shape (n, 1), and each sample gets the sum of all factors.
        _item("DPOptimizerFastGradientClipping, losses in rows", mode="ghost", shown="rows", reported="no"),
        _item("DPOptimizerFastGradientClipping, an empty batch", empty, mode="ghost"),
        _item("DPPerLayerOptimizer", clipping="per_layer", norm=[1.0]),
        _item("AdaClipDPOptimizer", **adaptive),
        _item("AdaClipDPOptimizer, with its clipping norm", unclipped, read=norm, reported=BATCH_SIZE, **adaptive),
    ]


def _schedules() -> list[Item]:
    """The claim is that of the noise multiplier after the schedule has moved once."""

    def moved(name: str, optimizer: Any, **settings: Any) -> None:
        from opacus import schedulers

        getattr(schedulers, name)(optimizer, **settings).step()

    schedules: dict[str, dict[str, Any]] = {
        "ExponentialNoise": {"gamma": 0.5},
        "StepNoise": {"step_size": 1, "gamma": 0.5},
        "LambdaNoise": {"noise_lambda": lambda epoch: 0.5},
        "ExponentialGradClip": {"gamma": 0.5},
        "StepGradClip": {"step_size": 1, "gamma": 0.5},
        "LambdaGradClip": {"scheduler_function": lambda epoch: 0.5},
    }
    return [
        Item(f"schedulers.{name}", SAMPLE, partial(_stepped, after=partial(moved, name, **settings)))
        for name, settings in schedules.items()
    ]


def _accountants() -> list[Item]:
    """A history is of (noise multiplier, rate, steps). Opacus warns that the accountant by GDP can underestimate."""
    histories: dict[str, list[tuple[float, float, int]]] = {
        "one step": [(0.5, 0.1, 1)],
        "some steps": [(1.0, 0.2, 30)],
        "many steps": [(1.0, 0.01, 1_000)],
        "less and less noise": [(1.0, 0.2, 15), (0.8, 0.05, 50)],
    }
    found = []
    for name in ("RDPAccountant", "PRVAccountant", "GaussianAccountant"):
        wrong = name == "GaussianAccountant"
        for special, history in histories.items():
            for delta in () if wrong and len(history) > 1 else (0.003, 1e-5):
                audited = partial(_accounted, name, history, delta)
                reported = UNDERESTIMATED if wrong else ""
                full = f"accountants.{name}, {special}, delta {delta}"
                found.append(Item(full, ADDED, audited, wrong, reported))
    return found


def _accounted(name: str, history: list[tuple[float, float, int]], delta: float) -> Any:
    """What is certified of all steps, composed from curves of the Gaussian mechanism, and the accountant's epsilon."""
    from functools import reduce

    from opacus import accountants

    from auditor import ApproxDP, tradeoff
    from gallery.sweep.item import ALPHA

    accountant = getattr(accountants, name)()
    accountant.history = history

    def curve(noise: float, rate: float, steps: int) -> Any:
        def step(records: list[float], n: int, rng: Any) -> Any:
            return rng.normal(sum(records), noise, n)

        alone = tradeoff(step, ([1.0], []), trials=4_000_000, alpha=ALPHA, jobs=1, views=["values"])
        return alone.subsampled(rate, added="left").times(steps)

    composed = reduce(lambda first, second: first.then(second), [curve(*part) for part in history])
    return composed, ApproxDP(accountant.get_epsilon(delta=delta), delta)
