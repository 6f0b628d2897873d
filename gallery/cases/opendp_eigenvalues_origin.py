"""OpenDP 0.16.0: the eigenvalues of data around a point other than zero."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Private eigendecomposition: the origin of the data is dropped",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map says epsilon 2 at d_in = 2.",
    neighbours="""Six rows, each within distance 1 of the point (10, 0), as the domain says, of which one is replaced
    (`symmetric_distance`, d_in = 2).""",
    why="""The matrix of squares and products is made by `make_np_sscp`, which passes on the norm of its domain, 1,
    and not the point from which that norm is measured. Rows around (10, 0) have squares up to 121, and noise is
    added for squares up to 1: the largest eigenvalue moves by 40 when a row (9, 0) becomes (11, 0).""",
    practice="""Center the data around zero before, as the library's own PCA does. Its noise comes from numbers that
    the operating system makes, in a generator whose state cannot be read: this audit is of releases that were drawn
    before.""",
    references=("https://github.com/opendp/opendp/issues/2952",),
)


def audited() -> Any:
    import numpy as np
    import opendp.prelude as dp

    from auditor import ApproxDP, audit_samples

    dp.enable_features("contrib", "idealized-numerics")
    center = np.array([10.0, 0.0])
    rows = dp.numpy.array2_domain(norm=1.0, p=2, origin=center, num_columns=2, size=6, nan=False, T=float)
    release = (rows, dp.symmetric_distance()) >> dp.sklearn.decomposition.then_private_np_eigendecomposition(
        eigvals_epsilon=1.0, eigvecs_epsilons=[1.0]
    )
    near, far = (np.array([center] * 5 + [last]) for last in ([9.0, 0.0], [11.0, 0.0]))
    left, right = ([max(release(data)[0]) for _ in range(1_000)] for data in (near, far))
    return audit_samples(left, right, ApproxDP(release.map(2)))
