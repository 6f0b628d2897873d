"""diffprivlib 0.6.6: Laplace: noise on doubles."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Laplace: noise on doubles",
    kind="bits",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1, by the mechanism's parameters.",
    neighbours="Numbers that differ by the mechanism's `sensitivity`, 1.",
    why="""`randomise` returns value − scale · noise, with noise made of four uniform doubles (Holohan and Braghin
    2021). The sum of doubles is rounded to the spacing of the result, so that the last bits depend on the value.""",
    practice="""The witness needs all 53 bits of an output: it asks whether the number is a multiple of 2⁻⁵³,
    which near 1 all doubles are and near 0 they are not. Someone who is given the number as it is can rule inputs
    out; with numbers rounded to a grid that does not depend on the data the mechanism is not refuted
    (`views=["values"]`). Discrete noise (Geometric, GaussianDiscrete) has no such trace.""",
    references=(
        "https://github.com/IBM/differential-privacy-library/issues/94",
        "https://github.com/IBM/differential-privacy-library/issues/19",
        "Mironov 2012 https://doi.org/10.1145/2382196.2382264",
        "Haney et al. 2022 https://arxiv.org/abs/2207.13793",
    ),
)


def audited() -> Any:
    from diffprivlib import mechanisms

    from auditor import audit
    from auditor.libraries import diffprivlib

    noise = mechanisms.Laplace(epsilon=1.0, sensitivity=1)
    return audit(diffprivlib.mechanism(noise), pairs=[(0, 1)], trials=20_000, jobs=1)
