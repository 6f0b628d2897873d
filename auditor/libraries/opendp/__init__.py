"""OpenDP's measurements, queries and transformations (written for opendp 0.16).

Neighbours: two datasets at a distance of at most `d_in` in the `input_metric`. That is the pair that an audit needs.
Under SymmetricDistance, d_in=1 is one record more or less, and d_in=2 covers a record replaced; under
ChangeOneDistance, d_in=1 is a record replaced; under AbsoluteDistance and L1Distance, d_in is how far answers move;
under DiscreteDistance any two values are neighbours. A query of a context takes them from its `privacy_unit`.
"""

from auditor.libraries.opendp.distances import Distance, distance
from auditor.libraries.opendp.measurements import measurement, query
from auditor.libraries.opendp.transformations import Stability, stability

__all__ = ["Distance", "Stability", "distance", "measurement", "query", "stability"]
