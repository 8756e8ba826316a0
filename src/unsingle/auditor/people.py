"""People and their cases: an attack on a person goes for all of their cases together."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Flags, Ints
from ..core.log import EventLog
from ..mechanisms.cases import people_on_paths, persons_of


class People:
    """The people of a log; where it does not say whose each case is, every case is a person's only one.

    `most` is how many cases someone may have who is attacked: those with more are promised less.
    """

    def __init__(self, log: EventLog, most: int | None = None) -> None:
        self.of_case = persons_of(log)
        self.cases = np.bincount(self.of_case)
        """How many cases each person has."""
        self.crowd = people_on_paths(log)[log.variants.of_case]
        """How many people take the path of each case."""
        self.attacked: Flags = np.ones(len(self.cases), dtype=np.bool_)
        if most is not None:
            self.attacked = self.cases <= most

    @property
    def several(self) -> bool:
        """Whether anybody who is attacked has several cases."""
        return bool((self.cases[self.attacked] > 1).any())

    def with_case(self, case: int) -> Ints:
        """All cases of the person whose case this is."""
        return np.flatnonzero(self.of_case == self.of_case[case])

    def sum_of(self, values: Ints | Flags) -> Ints:
        """The sum over each person's cases of a number that each case has."""
        return np.bincount(self.of_case, weights=values).astype(np.int64)

    def best_case(self, cases: Ints, *keys: Ints) -> int | None:
        """Of these cases the first with the least keys, the first key before the second; only of people to attack."""
        cases = cases[self.attacked[self.of_case[cases]]]
        if not len(cases):
            return None
        return int(cases[np.lexsort([key[cases] for key in reversed(keys)])[0]])
