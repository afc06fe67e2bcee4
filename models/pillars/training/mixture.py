"""Which sample comes at which place of a training: sets mixed in given shares, each in a new order every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vedette.errors import ConfigError
from vedette.geometry import NDArrayInt
from vedette.models.pillars.training.shards import Sample, SampleSet

_CHOICE, _ORDER = 3, 1  # streams of random numbers


@dataclass(frozen=True)
class Share:
    """One set of a mixture.

    Args:
        samples: at least one.
        weight: its share, among those of the others.
    """

    samples: SampleSet
    weight: float = 1.0


class Mixture:
    """A row of samples, each place of which follows from the seed alone.

    Args:
        shares: the sets.
        places: how many samples the training takes.
        seed: of the order.

    Raises:
        ConfigError: no set, an empty one, or a weight that is not above 0.
    """

    def __init__(self, shares: Sequence[Share], places: int, seed: int) -> None:
        if not shares or any(len(share.samples) == 0 or not share.weight > 0 for share in shares):
            met = [(len(share.samples), share.weight) for share in shares]
            raise ConfigError(f"sets of (samples, weight) {met}; expected some, with samples and weights above 0")
        self._sets = [share.samples for share in shares]
        weights = np.array([share.weight for share in shares])
        rng = np.random.default_rng([seed, _CHOICE])
        self._choices = rng.choice(len(shares), size=places, p=weights / weights.sum())
        self._turns = _turns(self._choices)
        self._seed = seed

    def __len__(self) -> int:
        return len(self._choices)

    def of_world(self, place: int) -> bool:
        """Whether the sample at a place was generated."""
        return self._sets[int(self._choices[place])].of_world

    def __getitem__(self, place: int) -> Sample:
        """The sample at a place."""
        number = int(self._choices[place])
        samples = self._sets[number]
        epoch, within = divmod(int(self._turns[place]), len(samples))
        order = np.random.default_rng([self._seed, _ORDER, number, epoch]).permutation(len(samples))
        return samples[int(order[within])]


def _turns(choices: NDArrayInt) -> NDArrayInt:
    """How often the choice of each place was made before."""
    turns = np.empty_like(choices)
    for number in np.unique(choices):
        chosen = np.flatnonzero(choices == number)
        turns[chosen] = np.arange(len(chosen))
    return turns
