"""Opacus 1.5.4: gradients are divided by a batch size that depends on the number of records."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="One DP-SGD step: the expected batch size is rounded",
    kind="finding",
    packages=("opacus==1.5.4", "torch==2.13.0"),
    claimed="Opacus: `get_epsilon(delta=1e-3)` after one step (noise multiplier 1, sample rate 1/2).",
    neighbours="""One record more or less, the relation of the subsampled Gaussian mechanism that the accountant
    analyses.""",
    why="""Noisy sums of gradients are divided by int(number of records · sample rate): 2 for four records and 1
    for three. The sample rate is 1/2 for both. So the noise in the weights is twice as large for three records,
    which a model with many weights shows at once.""",
    practice="""It matters for small datasets, where rounding changes the quotient; with n records the noise
    differs by a factor of about 1 + 1/(n · rate) at those n where it does. Where the number of records is public
    nothing is lost.""",
    references=(
        "https://github.com/meta-pytorch/opacus/issues/571",
        "https://github.com/meta-pytorch/opacus/issues/819",
    ),
)


def audited() -> Any:
    import torch
    from opacus import PrivacyEngine
    from torch.utils.data import DataLoader, TensorDataset

    from auditor import ApproxDP, audit, per_draw

    def step(records: list[float]) -> tuple[torch.Tensor, PrivacyEngine]:
        """The weights after one step from zero, and the engine that accounts for it."""
        data = TensorDataset(torch.tensor(records)[:, None].repeat(1, 100), torch.zeros(len(records), 1))
        model = torch.nn.Linear(100, 1, bias=False)
        torch.nn.init.zeros_(model.weight)
        engine = PrivacyEngine(accountant="rdp")
        model, optimizer, loader = engine.make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            data_loader=DataLoader(data, batch_size=2),
            noise_multiplier=1.0,
            max_grad_norm=1.0,
        )
        inputs, targets = next(iter(loader))
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        return model._module.weight.detach(), engine

    claim = ApproxDP(step([0.0] * 4)[1].get_epsilon(delta=1e-3), 1e-3)
    spread = per_draw(lambda records, rng: float(step(records)[0].std()), seed="torch")
    return audit(spread, claim, [([0.0] * 4, [0.0] * 3)], trials=1_000, views=["values"], jobs=1, name="one step")
