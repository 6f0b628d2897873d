"""A trade-off curve as a paragraph, a notebook card and a picture."""

from __future__ import annotations

import html
import io
import math
from typing import TYPE_CHECKING

import numpy as np

from auditor.paragraph import paragraph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from auditor.certify.tradeoff import TradeOff
    from mechanisms.core.claims import Claim, Profile

_BOX = "border:1px solid #8886;border-left-width:6px;border-radius:6px;padding:.6em 1em;max-width:52em;line-height:1.4"
DELTAS = (0.0, 1e-6, 1e-5, 1e-3)


def rows(curve: TradeOff, deltas: tuple[float, ...] = DELTAS) -> list[tuple[str, str]]:
    """What is certified: epsilon at some deltas, and mu."""
    found = [(f"epsilon at delta {delta:.6g}", _number(curve.epsilon_at(delta))) for delta in deltas]
    return [*found, ("mu of Gaussian DP", _number(curve.mu))]


def title(curve: TradeOff) -> str:
    """What the curve is of, and on which draws it was counted."""
    names = ", then ".join(dict.fromkeys(c.name for c in curve.certificates))
    pairs = "; ".join(dict.fromkeys(c.pair for c in curve.certificates))
    draws = min(min(c.trials) for c in curve.certificates)
    return f"{names} on {pairs}: certified at {100 * (1 - curve.alpha):.6g} % from {draws:,} draws a side"


def summary(curve: TradeOff, deltas: tuple[float, ...] = DELTAS, claim: Claim | None = None) -> str:
    """What is certified, and what it says of a claim, in at most 12 lines of 80 columns; without deltas mu alone."""
    certificates = curve.certificates
    draws, seed = min(min(c.trials) for c in certificates), certificates[0].seed
    said = [f"{_number(curve.epsilon_at(delta))} at delta\u00a0{delta:.6g}" for delta in deltas]
    verdict = "refuted by this curve" if claim and curve.refutes(claim) else "not refuted by this curve"
    parts = {
        "pair": "; ".join(dict.fromkeys(c.pair for c in certificates)),
        "certified": f"at {100 * (1 - curve.alpha):.6g} %, from {draws:,} draws a side, seed\u00a0{seed}",
        **({"epsilon": f"at least {', '.join(said)}"} if said else {}),
        "mu": f"at least {_number(curve.mu)}, of Gaussian DP",
        **({"composed": "; ".join(curve.assumed)} if curve.assumed else {}),
        **({"claim": f"{claim}, {verdict}"} if claim else {}),
        "blind spot": "what is not seen on this pair; a lower bound is no proof of privacy",
    }
    names = ", then ".join(dict.fromkeys(c.name for c in certificates))
    return paragraph(f"Trade-off curve of {names}.", parts)


def card(curve: TradeOff) -> str:
    """The notebook card: the same numbers as a table, and the picture."""
    cells = "".join(
        f"<tr><th style='text-align:left;padding-right:1em;white-space:nowrap'>{html.escape(name)}</th>"
        f"<td style='text-align:left'>at least {html.escape(value)}</td></tr>"
        for name, value in rows(curve)
    )
    composed = "".join(f"<p style='margin:.2em 0'>{html.escape(line)}</p>" for line in curve.assumed)
    table = f"<table>{cells}</table><p style='margin:.4em 0 0'>A lower bound is no proof of privacy.</p>"
    fitting = picture(curve).replace("<svg ", "<svg style='max-width:100%;height:auto' ", 1)
    drawing = f"<div style='background:white;flex:0 1 22em;max-width:100%'>{fitting}</div>"
    parts = f"<div style='flex:1 0 auto;max-width:100%'>{composed}{table}</div>{drawing}"
    head = f"<p style='margin:0 0 .4em'><b>{html.escape(title(curve))}</b></p>"
    return f"<div style='{_BOX}'>{head}<div style='display:flex;flex-wrap:wrap;gap:1.5em'>{parts}</div></div>"


def picture(curve: TradeOff, claim: Profile | None = None, exact: Profile | None = None) -> str:
    """The picture as one inline `<svg>` element."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4, 3.6), layout="constrained")
    FigureCanvasSVG(figure)
    plot(curve, figure.add_subplot(), claim, exact)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]


def plot(curve: TradeOff, ax: Axes | None, claim: Profile | None, exact: Profile | None) -> Axes:
    """True against false positives: the certified region, the claimed curve and the exact one."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(layout="constrained")[1]
    x, y = np.array(curve.points).T
    ax.fill_between(x, x, y, color="tab:red", alpha=0.2, linewidth=0)
    ax.plot(x, y, color="tab:red", label=f"certified at {100 * (1 - curve.alpha):.6g} %")
    for profile, label, look in ((claim, "claimed at most", "--"), (exact, "exact", ":")):
        if profile is not None:
            grid = np.linspace(0, 1, 201)
            ax.plot(grid, most(profile, grid), look, color="black", linewidth=1, label=label)
    ax.plot([0, 1], [0, 1], color="gray", linewidth=0.8)
    ax.set(xlabel="false positives", ylabel="true positives", xlim=(0, 1), ylim=(0, 1))
    ax.set_aspect("equal")
    ax.legend(loc="lower right")
    return ax


def most(profile: Profile, x: np.ndarray) -> np.ndarray:
    """The most true positives that a profile allows at each rate of false positives.

    y <= e^epsilon x + delta(epsilon), and, for the complement, 1 - x <= e^epsilon (1 - y) + delta(epsilon).
    """
    best = np.ones_like(x)
    for epsilon in (*np.linspace(0, 2, 81), *np.geomspace(2.05, 60, 60)):
        delta = profile.delta_at(float(epsilon))
        factor = math.exp(epsilon)
        best = np.minimum(best, np.minimum(factor * x + delta, 1 - (1 - x - delta) / factor))
    return best


def _number(value: float) -> str:
    return "infinity" if math.isinf(value) else f"{value:.4g}"
