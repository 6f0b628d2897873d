"""A measurement of OpenDP, with the claim that OpenDP makes. Needs: pip install opendp

    python examples/opendp_count.py

OpenDP's map says what a release costs when `d_in` records differ. How many records one patient has is for you to say.
Here a patient comes up to twice, and the first audit says d_in=1.
"""

import opendp.prelude as dp

from auditor import audit
from auditor.libraries import opendp

dp.enable_features("contrib")
visits = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
count = dp.t.make_count(*visits) >> dp.m.then_laplace(scale=1.0)
without_bob, with_bob = [1], [1, 2, 2]

for d_in in (1, 2):
    print(f"d_in={d_in}")
    print(audit(opendp.measurement(count, d_in=d_in), pairs=[(with_bob, without_bob)], trials=5_000, jobs=1))
