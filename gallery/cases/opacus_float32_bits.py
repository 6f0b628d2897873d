"""Opacus 1.5.4: 32-bit noise is added to 32-bit gradients, and the bits of the sum tell how large the gradient was."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="One DP-SGD step: the bits of 32-bit noise",
    kind="bits",
    packages=("opacus==1.5.4", "torch==2.13.0"),
    claimed="""Opacus: one step with noise multiplier 1 is a Gaussian mechanism with mu = 1, which is what its
    accountants add up. Its documentation says that `secure_mode` is needed against attacks on floating-point
    arithmetic.""",
    neighbours="One record more or less in the batch.",
    why="""The sum of a gradient and noise is rounded to the 32-bit numbers around it, which lie closer together
    around 0 than around 1. With torch alone, 257,143 of a million normal numbers are no multiple of 2^-24; of as
    many with 1 added, none is. A mechanism with mu = 1 allows no event of a quarter on one side that never
    happens on the other.""",
    practice="""Whoever sees all bits of the weights after a single step learns more than the accountant says.
    Over many steps the sums are rounded again and again, and nobody has shown how to use it. In values, rounded
    to what a person would print, nothing is found.""",
    references=(
        "https://opacus.ai/api/privacy_engine.html",
        "Mironov 2012 https://doi.org/10.1145/2382196.2382264",
    ),
)


def audited() -> Any:
    import opacus
    import torch

    from auditor import audit
    from auditor.libraries.opacus import step

    def one_step() -> Any:
        torch.manual_seed(0)
        model = opacus.GradSampleModule(torch.nn.Linear(1, 1, bias=False))
        descent = torch.optim.SGD(model.parameters(), lr=1.0)
        return model, opacus.optimizers.DPOptimizer(
            descent, noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=1
        )

    def mean(model: Any, records: list[list[float]]) -> Any:
        return model(torch.tensor(records)).mean()

    pair = ([[0.0], [9.0]], [[0.0]])
    return audit(step(one_step, mean), pairs=[pair], trials=8_000, views=["bits"], jobs=1)
