"""Results that look like those of a real run, made without the engine: what reports are tested on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor.events.event import Event
from auditor.events.scores import Labels, Region, Value
from auditor.results.counts import Counts
from auditor.results.document import Document
from auditor.results.entry import Entry
from auditor.results.one_run import GAUSSIAN, OneRunResult
from auditor.results.pictures import profile_picture
from auditor.results.result import AuditResult, Verdict
from auditor.results.witness import PairDescription, Witness
from mechanisms.core.claims import ApproxDP, Claim, GaussianDP, NumericProfile
from mechanisms.laplace import laplace_profile

N = 20_000


def sketch_of(left: np.ndarray, right: np.ndarray, shade: list[Any], bins: int = 32) -> dict[str, Any]:
    """What the engine keeps of the outputs: bins of the finite values, ⊥ as an atom."""
    finite = np.concatenate([left[np.isfinite(left)], right[np.isfinite(right)]])
    low, high = np.quantile(finite, [0.001, 0.999])
    edges = np.linspace(low, high, bins + 1)
    atoms = []
    if np.isnan(left).any() or np.isnan(right).any():
        atoms.append(["⊥", int(np.isnan(left).sum()), int(np.isnan(right).sum())])
    return {
        "edges": edges.tolist(),
        "left": np.histogram(left[np.isfinite(left)], edges)[0].tolist(),
        "right": np.histogram(right[np.isfinite(right)], edges)[0].tolist(),
        "atoms": atoms,
        "score": "x",
        "shade": shade,
    }


def evidence_of(refuted: bool, alpha: float, seed: int) -> tuple[tuple[int, float], ...]:
    rng = np.random.default_rng(seed)
    draws = np.unique(np.geomspace(48, 3000 if refuted else 400_000, 22).astype(int))
    line = -math.log10(alpha)
    drift = np.linspace(0, line + 0.4 if refuted else -1.5, len(draws)) + rng.normal(0, 0.2, len(draws))
    return tuple((int(d), float(v)) for d, v in zip(draws, drift, strict=True))


def result_of(
    name: str,
    claim: Claim,
    left: np.ndarray,
    right: np.ndarray,
    *,
    at: float,
    certified: float,
    refuted: bool,
    alpha: float = 5e-5,
    seed: int = 0,
    limits: tuple[str, ...] = (),
) -> AuditResult:
    """An audit whose event is "x >= at": guess right, on 1-d outputs."""
    point = claim.points()[0]
    shade = [[at, None, "right"]]
    event = Event(Value("x"), None, Region(">=", at))
    counts = Counts(
        left_trials=len(left),
        right_trials=len(right),
        left_guessed_left=0,
        left_guessed_right=int((left >= at).sum()),
        right_guessed_left=0,
        right_guessed_right=int((right >= at).sum()),
    )
    pair = PairDescription(0, "(0, 0, 1)", "(0, 1, 1)", "replace-one", "the count moves by its sensitivity")
    return AuditResult(
        name=name,
        claim=claim,
        verdict=Verdict.REFUTED if refuted else Verdict.NOT_REFUTED,
        epsilon_lower=certified,
        delta=point[1],
        p_value=1e-9 if refuted else 0.43,
        trials_used=3000 if refuted else 400_000,
        trials=1_000_000,
        alpha=alpha,
        seed=seed,
        views=("values",),
        witness=Witness(
            pair, "right", event, counts, point[0], point[1], "running evidence" if refuted else "last round"
        ),
        detectable_epsilon=1.06 * point[0] + 0.02,
        limits=("No black-box audit sees an event rarer than about one in 400,000.", *limits),
        evidence=evidence_of(refuted, alpha, seed),
        sketch=sketch_of(left, right, shade),
        seconds=0.61,
    )


def labelled_result(alpha: float = 5e-5) -> AuditResult:
    """An audit of labels: randomized response that keeps its bit too often."""
    event = Event(Labels((("no", 1.0), ("yes", -1.0))), Region(">=", 0.5), Region("<=", -0.5))
    counts = Counts(N, N, 17_600, 2_400, 2_380, 17_620)
    pair = PairDescription(0, "(0,)", "(1,)", "replace-one")
    return AuditResult(
        name="randomized-response/keeps-too-often",
        claim=ApproxDP(1.0),
        verdict=Verdict.REFUTED,
        epsilon_lower=1.91,
        delta=0.0,
        p_value=3e-40,
        trials_used=195,
        trials=1_000_000,
        alpha=alpha,
        seed=3,
        views=("values",),
        witness=Witness(pair, "both", event, counts, 1.0, 0.0, "running evidence"),
        detectable_epsilon=1.03,
        limits=("The mechanism draws its own randomness: it cannot be replayed.",),
        warnings=("The draws on the left input depend on their order (p = 1.0e-09 under independence).",),
        diagnosis=(
            "It draws binomial(p=0.88) on the left, binomial(p=0.12) on the right: that alone is epsilon 1.992.",
        ),
        replayable=False,
        evidence=evidence_of(True, alpha, 3),
        sketch={
            "edges": [],
            "left": [],
            "right": [],
            "atoms": [["no", 17_600, 2_380], ["yes", 2_400, 17_620]],
            "score": "label",
            "shade": [],
        },
    )


def audit_entry(kind: str, result: AuditResult, **more: Any) -> Entry:
    """An entry as the notes run makes it from an audit."""
    described: dict[str, Any] = {
        "id": result.name,
        "kind": kind,
        "title": result.name.replace("-", " ").capitalize(),
        "source": "001 Algorithm 2 and privacy theorem",
        "outcome": result.verdict.value,
        "expected": {"mechanism": "not refuted", "mutant": "refuted"}.get(kind),
        "claimed": result.claim.epsilon_at(result.delta),
        "certified": result.epsilon_lower,
        "delta": result.delta,
        "detectable": result.detectable_epsilon,
        "p_value": result.p_value,
        "trials_used": result.trials_used,
        "witness": str(result.witness),
        "seed": result.seed,
        "seconds": result.seconds,
        "statement": str(result.claim),
        "audit": result.to_dict(),
        "replay": f"dp-audit replay results.json {result.name}",
    }
    return Entry(**{**described, **more})


def laplace(name: str, factor: float, kind: str, seed: int = 0, **more: Any) -> Entry:
    """Laplace noise with 1/factor of the scale that epsilon = 1 needs: truly factor-DP."""
    rng = np.random.default_rng(seed)
    left, right = 1 + rng.laplace(0, 1 / factor, N), 2 + rng.laplace(0, 1 / factor, N)
    refuted = factor > 1
    result = result_of(name, ApproxDP(1.0), left, right, at=1.9, certified=0.97 * factor, refuted=refuted, seed=seed)
    picture = profile_picture(ApproxDP(1.0), laplace_profile(factor), result)
    return audit_entry(kind, result, **{"exact": factor, "pictures": (picture,), **more})


def gaussian(name: str, mu: float, claim: Claim, kind: str, refuted: bool, seed: int = 1, **more: Any) -> Entry:
    rng = np.random.default_rng(seed)
    left, right = rng.normal(0, 1, N), rng.normal(mu, 1, N)
    exact = GaussianDP(mu)
    delta = claim.points()[0][1]
    result = result_of(
        name, claim, left, right, at=2.2, certified=0.8 * exact.epsilon_at(delta), refuted=refuted, seed=seed
    )
    picture = profile_picture(claim, NumericProfile(exact.delta_at), result)
    return audit_entry(kind, result, **{"exact": exact.epsilon_at(delta), "pictures": (picture,), **more})


def with_bottom(name: str, seed: int = 2) -> Entry:
    """PTR: ⊥ or a noisy value."""
    rng = np.random.default_rng(seed)
    left = np.where(rng.random(N) < 0.6, np.nan, rng.laplace(0, 1, N))
    right = np.where(rng.random(N) < 0.25, np.nan, 1 + rng.laplace(0, 1, N))
    result = result_of(name, ApproxDP(2.0, 1e-3), left, right, at=1.2, certified=1.4, refuted=False, seed=seed)
    return audit_entry("mechanism", result, exact=2.0, source="004 Prop 15.5")


def claims() -> list[Entry]:
    """Ledger entries of every outcome."""
    ks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    composition = {
        "type": "lines",
        "title": "Composed ε over k, for ε = 0.1 each and δ′ = 1e-6",
        "x": {"label": "k, number of mechanisms", "values": ks, "log": True},
        "y": {"label": "ε of the composition", "log": True},
        "series": [
            {"label": "basic", "values": [0.1 * k for k in ks], "style": "claimed"},
            {
                "label": "advanced",
                "values": [math.sqrt(2 * k * math.log(1e6)) * 0.1 + k * 0.1 * math.expm1(0.1) for k in ks],
            },
            {
                "label": "exact",
                "values": [0.1 * k if k < 10 else 0.46 * k**0.5 for k in ks],
                "style": "exact",
            },
            {
                "label": "certified",
                "values": [0.09 * k if k < 10 else None for k in ks],
                "style": "certified",
            },
        ],
        "caption": "Advanced composition is worse than basic below k = 35.",
    }
    facts = "as printed:\n  ✓ exact epsilon: 4.775 ≤ 6.308\ncross-checks:\n  ✓ two ways to one: 4.775 = 4.775"
    return [
        Entry(
            "000-T2.1",
            "claim",
            "Advanced composition",
            "000 Theorem 2.1",
            "holds",
            "holds",
            claimed=6.308,
            exact=4.775,
            certified=4.5,
            delta=1e-6,
            explanation=facts,
            pictures=(composition,),
            statement="k-fold composition of (ε, δ)-DP is (√(2k ln(1/δ′)) ε + k ε(e^ε − 1), kδ + δ′)-DP",
            conditions="δ′ > 0",
            seconds=0.4,
        ),
        Entry(
            "000-T3",
            "claim",
            "Gaussian mechanism",
            "000 Theorem 3",
            "holds under condition",
            "holds under condition",
            claimed=10.0,
            exact=10.83,
            delta=1e-5,
            conditions="ε ≤ 1, stated only in 002",
            statement="f + N(0, 2 ln(5/(4δ)) Δ²/ε²) is (ε, δ)-DP",
            witness="at ε = 10, δ = 1e-5 the exact delta is 2.265e-5",
            seconds=0.01,
        ),
        Entry(
            "000-R1",
            "claim",
            "δ as a probability of no guarantee",
            "000 §1, after Theorem 1",
            "false as printed",
            "false as printed",
            claimed=1e-5,
            exact=1.612e-4,
            quantity="P[loss > ε]",
            statement="With probability 1 − δ we obtain the guarantee of pure DP; else none at all.",
            finding="Read as P[loss > ε] ≤ δ this is false: the Gaussian mechanism with exact δ = 1e-5"
            " at ε = 1 exceeds the loss 1 with probability 1.612e-4, sixteen times as often.",
            correction="P[loss > ε] ≤ δ is sufficient for (ε, δ)-DP, not necessary (002 Lemma 5.5).",
            witness="P[loss > 1] = 0.0001612 > 1e-05 for the Gaussian mechanism",
            seconds=0.002,
        ),
        Entry(
            "002-T5.19",
            "claim",
            "Lower bound on σ",
            "002 Theorem 5.19",
            "false as printed",
            "false as printed",
            claimed=0.485955,
            exact=0.286208,
            quantity="δ",
            statement="δ < 1/2 − e^{−3ε}/√(4πε) ⇒ σ ≥ Δ/√(2ε)",
            finding="At ε = 1 and δ = 0.4 < 0.486, σ = 0.58723 Δ < 0.70711 Δ is exactly (1, 0.4)-DP.",
            correction="δ < 1/2 − e^ε Φ(−√(2ε)); at ε = 1 that is 0.286208.",
            witness="σ = 0.58723 at ε = 1, δ = 0.4",
            seconds=0.003,
        ),
        Entry(
            "003-R1",
            "claim",
            "Mean of Laplace noise",
            "003 remark after Lap(b)",
            "misprint",
            "misprint",
            claimed=1.0,
            exact=0.0,
            quantity="E[Lap(1)]",
            statement="E[Lap(1/ε)] = 1/ε",
            finding="The mean is 0; the absolute value is missing.",
            correction="E|Lap(1/ε)| = 1/ε",
        ),
        Entry("001-D", "claim", "Differential privacy", "001 Definition", "definition", "definition"),
        Entry(
            "003-R3",
            "claim",
            "Blatant non-privacy",
            "003 recalled bounds",
            "not checked",
            "not checked",
            reason="recalled from elsewhere without proof or constants; nothing to compute",
        ),
        Entry(
            "004-E1",
            "claim",
            "Local sensitivity of 1/f",
            "004 Example",
            "holds",
            "holds under condition",
            witness="1/(f(f−1)) at f = 2",
        ),
        Entry(
            "004-L15.2",
            "claim",
            "Triangle inequality",
            "004 Lemma 15.2",
            "error",
            "holds",
            reason="ZeroDivisionError: float division by zero",
        ),
    ]


def notes_document() -> Document:
    """A small run over the notes: every kind, every outcome."""
    approx = ApproxDP(0.5, 1e-5)
    entries = [
        *claims(),
        laplace("laplace", 1.0, "mechanism"),
        laplace("laplace/half-scale", 2.0, "mutant", 4, of="laplace", title="Laplace with half the noise"),
        gaussian("gaussian-classic", 0.1032, approx, "mechanism", False, source="000 Theorem 3"),
        gaussian("gaussian-classic/half-sigma", 0.6, approx, "mutant", True, 5, of="gaussian-classic"),
        with_bottom("ptr"),
        audit_entry(
            "mutant",
            labelled_result(),
            exact=2.0,
            of="randomized-response",
            source="001 Algorithm 1",
            replay="",
        ),
        laplace("laplace/one-sided", 3.0, "mutant", 6, of="laplace", exact=math.inf),
    ]
    return Document(tuple(entries), "0.1.0", "The lecture notes, checked", 0.01, 0, "dp-audit notes", 134.2)


def run_document() -> Document:
    """`dp-audit run` on someone's code: one refuted, one not, one that raised."""
    bad = laplace(
        "release.py::histogram",
        2.0,
        "audit",
        7,
        exact=None,
        source="release.py",
        pictures=(),
        location={"file": "src/release.py", "line": 42},
        replay="dp-audit replay results.json release.py::histogram",
    )
    good = laplace("release.py::count", 1.0, "audit", 8, exact=None, source="release.py", pictures=())
    broken = Entry(
        "release.py::mean",
        "audit",
        "mean",
        "release.py",
        "error",
        reason="RuntimeError: database went away",
        location={"file": "src/release.py", "line": 77},
    )
    return Document((bad, good, broken), "0.1.0", "dp-audit run release.py", 0.01, 0, "dp-audit run release.py", 3.2)


HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'>`}}{{7*7}}{%raw%}"
    "[x](javascript:alert(1)) | ]]> </style> -->\x1b[31m\u202e\x00$\\frac$ &lt; *b* _i_ # ~~ "
    "::error::x [bold]"
)


TEXTS = (
    *("title", "source", "witness", "quantity", "of", "statement"),
    *("conditions", "explanation", "finding", "correction", "reason", "replay"),
)


def one_run_entry() -> Entry:
    """An audit of one training run that refutes its claim."""
    found = OneRunResult(
        claim=ApproxDP(1.0),
        verdict=Verdict.REFUTED,
        epsilon_lower=3.74,
        epsilon_lower_any=2.41,
        mu_lower=0.87,
        delta=0.0,
        assumption=GAUSSIAN,
        p_value=0.0001,
        canaries=2000,
        included=1002,
        guesses=177,
        correct=168,
        alpha=0.05,
        limits=("Each canary must have been included by a coin of its own.",),
        name="scores.csv",
    )
    return Entry(
        id="scores.csv",
        kind="audit",
        title="one training run",
        source="scores.csv",
        outcome=found.verdict.value,
        claimed=1.0,
        certified=found.epsilon_lower_any,
        trials_used=found.canaries,
        witness=found.sentence(),
        statement=str(found.claim),
        explanation="\n".join(found.limits),
        location={"file": "scores.csv", "line": None, "one_run": found.to_dict()},
    )


def hostile_document() -> Document:
    """Every text is an attack; the numbers are odd but legal."""
    bad = labelled_result().to_dict()
    bad["name"] = HOSTILE
    bad["limits"] = [HOSTILE]
    bad["warnings"] = [HOSTILE]
    bad["diagnosis"] = [HOSTILE]
    bad["witness"]["names"] = [HOSTILE]
    bad["witness"]["pair"] |= {"left": HOSTILE, "right": HOSTILE, "why": HOSTILE, "relation": HOSTILE}
    bad["witness"]["event"]["score"]["table"] = [[HOSTILE, 1.0], ["b", -1.0]]
    bad["sketch"]["atoms"] = [[HOSTILE, 10, 20], ["b", 30, 5]]
    bad["sketch"]["score"] = HOSTILE
    picture = {
        "type": "lines",
        "title": HOSTILE,
        "caption": HOSTILE,
        "x": {"label": HOSTILE, "values": [1, 2]},
        "y": {"label": HOSTILE},
        "series": [{"label": HOSTILE, "values": [1, None]}],
    }
    texts = {name: HOSTILE for name in TEXTS}
    entries = [
        Entry(
            id=HOSTILE + str(place),
            kind=kind,
            outcome=outcome,
            expected=expected,
            audit=bad,
            pictures=(picture,),
            location={"file": "javascript:alert(1)//" + HOSTILE, "line": 1},
            claimed=math.inf,
            **texts,
        )
        for place, (kind, outcome, expected) in enumerate(
            [
                ("audit", "refuted", None),
                ("claim", "false as printed", "false as printed"),
                ("claim", "error", "holds"),
                ("mutant", "refuted", "refuted"),
                ("claim", "not checked", "not checked"),
                ("claim", "misprint", "misprint"),
            ]
        )
    ]
    return Document(tuple(entries), HOSTILE, HOSTILE, 0.01, 0, HOSTILE, 1.0)


def json_string(text: str) -> str:
    """The text as it stands inside a JSON string."""
    import json

    return json.dumps(text, ensure_ascii=False)[1:-1]
