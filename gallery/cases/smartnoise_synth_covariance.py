"""smartnoise-synth 1.0.4: the covariance is computed of the data before clipping."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="DPcovariance: clipped data is not used",
    kind="finding",
    packages=("smartnoise-synth==1.0.4",),
    alone=True,
    claimed="""smartnoise-synth: epsilon 1, by the parameters of `DPcovariance`, with ranges (0, 1) for both
    columns.""",
    neighbours="One record replaced by another (the sensitivity in the source is 2/n times the widths of the ranges).",
    why="""`release` clips the data to the ranges and fills what is missing, and then computes the covariance of
    what it was given at first. The noise is for data within the ranges.""",
    practice="""One record far outside of the ranges shows through all noise. Its maintainers have mended it (pull
    request 624). Only this one file of the package is loaded, which needs none of the package's requirements.""",
    references=("https://github.com/opendp/smartnoise-sdk/issues/622",),
)


def audited() -> Any:
    import importlib.util
    from pathlib import Path

    import pandas as pd

    from auditor import ApproxDP, audit, per_draw

    package = importlib.util.find_spec("snsynth")  # found, and not imported
    file = Path(next(iter(package.submodule_search_locations or []))) / "models" / "dp_covariance.py" if package else ""
    spec = importlib.util.spec_from_file_location("dp_covariance", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def covariance(rows: list[list[float]], rng: Any) -> list[float]:
        ranges = pd.DataFrame([[0.0, 0.0], [1.0, 1.0]])  # lowest and largest values, a column each
        release = module.DPcovariance(len(rows), ["x", "y"], ranges, 1.0)
        return list(release.release(pd.DataFrame(rows, columns=["x", "y"])))

    rows = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    pair = ([*rows, [1.0, 0.0]], [*rows, [100.0, 0.0]])
    return audit(per_draw(covariance, seed="numpy"), ApproxDP(1.0), [pair], trials=1_000, views=["values"], jobs=1)
