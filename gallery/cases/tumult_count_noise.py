"""Tumult Core 0.20.0: the noise of its counts is not refuted."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="AddGeometricNoise, the noise of Tumult's counts",
    kind="control",
    packages=("tmlt.core==0.20.0",),
    claimed="Tumult Core: `privacy_function(1)` says epsilon 1 (alpha = 1).",
    neighbours="Counts that differ by 1 (`AbsoluteDifference`), as one record more or less makes them.",
    why="Two-sided geometric noise on whole numbers.",
    practice="What Tumult Analytics adds to counts under pure differential privacy.",
)


def audited() -> Any:
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise

    from auditor import ApproxDP, audit, per_draw

    noise = AddGeometricNoise(alpha=1)
    claim = ApproxDP(float(noise.privacy_function(1).to_float(round_up=True)))
    return audit(
        per_draw(lambda count, rng: noise(count)), claim, [(3, 2)], trials=10_000, jobs=1, name="AddGeometricNoise"
    )
