"""Reference implementations of the mechanisms of five lecture notes on differential privacy.

One mechanism a file, with its claim, its worst neighbours, its exact profile and its broken twins.
"""

from mechanisms.core.catalogue import catalogue
from mechanisms.core.claims import ZCDP, ApproxDP, Claim, GaussianDP, NumericProfile, Profile
from mechanisms.core.mechanism import Accuracy, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation

__all__ = [
    "ZCDP",
    "Accuracy",
    "ApproxDP",
    "Claim",
    "GaussianDP",
    "Mechanism",
    "NeighbourPair",
    "NumericProfile",
    "Outputs",
    "Profile",
    "Relation",
    "catalogue",
]
