"""Reference implementations of the mechanisms of five lecture notes on differential privacy.

One mechanism a file, with its claim, its worst neighbours, its exact profile and its broken twins.
"""

from mechanisms.claims import ZCDP, ApproxDP, Claim, GaussianDP, NumericProfile, Profile
from mechanisms.mechanism import Accuracy, Mechanism, Outputs
from mechanisms.neighbours import NeighbourPair, Relation

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
]
