"""The picture of a result: the outputs on both datasets, and where the event lies. Needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.events.words import title
from auditor.results.atoms import guessed, shown
from auditor.results.summary import beyond, claimed_and_exact

if TYPE_CHECKING:
    from auditor.results.result import AuditResult

COLOURS = {"left": "#0b6bb8", "right": "#c2571a"}  # people who do not see red can tell these apart, too
_ATOMS = 24  # at most so many pairs of bars are drawn
_FLAT = 60  # characters of names that fit side by side below the axis


def plot(result: AuditResult, ax: Any = None) -> Any:
    """Draws into `ax`, or into a new figure; returns the matplotlib Axes."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")[1]
    sketch = result.sketch
    if sketch.get("edges"):
        _curves(ax, result)
    elif sketch.get("atoms"):
        _bars(ax, result)
    else:
        _bounds(ax, result)
    at = f" at delta {result.delta:.3g}" if result.delta else ""
    verdict = str(result.verdict).capitalize()
    ax.set_title(f"{verdict}: epsilon {beyond(result)}{at}, claimed {claimed_and_exact(result)}", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _claimed(result: AuditResult) -> float:
    return result.claim.epsilon_at(result.delta)


def _axis(result: AuditResult) -> str:
    name = str(result.sketch.get("score", "output"))
    if name in ("score", "output"):
        return {"score": "what earlier draws say: left above 0, right below"}.get(name, name)
    words = title(name, result.witness.names)
    return ("output" if words == "x" else words).replace("$", r"\$")


def _curves(ax: Any, result: AuditResult) -> None:
    """Histograms of both sides, their common values as stems, the event shaded."""
    sketch = result.sketch
    edges = [float(edge) for edge in sketch["edges"]]
    for side in ("left", "right"):
        total = _total(result, side)
        shares = [count / total for count in sketch[side]]
        ax.stairs(shares, edges, color=COLOURS[side], linewidth=1.6, label=f"{side} input")
    for text, left, right, *_ in sketch.get("atoms", ()):
        if text != "⊥":
            for side, count in (("left", left), ("right", right)):
                ax.vlines(float(text), 0, count / _total(result, side), color=COLOURS[side], linewidth=2, alpha=0.7)
    for start, end, side in sketch.get("shade", ()):
        low, high = edges[0] if start is None else start, edges[-1] if end is None else end
        if low < high:
            ax.axvspan(max(low, edges[0]), min(high, edges[-1]), color=COLOURS[side], alpha=0.1, linewidth=0)
    ax.set(xlabel=_axis(result), ylabel="share of the outputs", xlim=(edges[0], edges[-1]))
    ax.legend(frameon=False)


def _bars(ax: Any, result: AuditResult) -> None:
    """The most common outputs, side by side; shaded where the event guesses a side."""
    rows = list(result.sketch["atoms"])[:_ATOMS]
    for shift, side, place in ((-0.2, "left", 1), (0.2, "right", 2)):
        shares = [row[place] / _total(result, side) for row in rows]
        ax.bar([index + shift for index in range(len(rows))], shares, 0.4, color=COLOURS[side], label=f"{side} input")
    for index, row in enumerate(rows):
        guess = guessed(str(row[0]), result)
        if guess is not None:
            ax.axvspan(index - 0.5, index + 0.5, color=COLOURS[guess], alpha=0.1, linewidth=0)
    names = [shown(str(row[0]), result)[:20].replace("$", r"\$") for row in rows]
    slanted = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if sum(map(len, names)) > _FLAT else {}
    ax.set_xticks(range(len(rows)), names, **slanted)
    ax.set(xlabel=_axis(result), ylabel="share of the outputs")
    ax.set_ylim(top=1.18 * ax.get_ylim()[1])  # room for the legend above the bars
    ax.legend(frameon=False, loc="upper right", ncols=2)


def _bounds(ax: Any, result: AuditResult) -> None:
    """Claimed beside certified, where there are no outputs to show."""
    values = [min(_claimed(result), 1e6), min(result.epsilon_lower, 1e6)]
    ax.barh(["claimed", "certified"], values, color=["#999999", COLOURS["left"]])
    ax.set(xlabel="epsilon")


def _total(result: AuditResult, side: str) -> int:
    place = 1 if side == "left" else 2
    binned, atoms = result.sketch.get(side, ()), result.sketch.get("atoms", ())
    return max(1, int(sum(binned)) + sum(int(row[place]) for row in atoms))
