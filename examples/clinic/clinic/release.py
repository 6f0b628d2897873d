"""Two tables that the clinic publishes. A visit is (patient, ward); a patient may come more than once."""

import numpy as np

EPSILON = 1.0
WARDS = ("eyes", "heart")


def noise(size, rng):
    """Two-sided geometric noise: whole numbers, so that no floating-point bits leak."""
    stop = -np.expm1(-EPSILON)
    return rng.geometric(stop, size) - rng.geometric(stop, size)


def patients(visits, n, rng):
    """How many people came. Each counts once, whatever they do: right."""
    return len({patient for patient, _ in visits}) + noise(n, rng)


def visits_per_ward(visits, n, rng):
    """How many visits each ward had. A patient who came twice counts twice, the noise hides one: broken."""
    counts = [sum(ward == name for _, ward in visits) for name in WARDS]
    return counts + noise((n, len(WARDS)), rng)
