"""The ids that cases have in written files and frames: numbers from 1, never the ids of their source."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Ints


def case_numbers(first: int, after: int) -> Ints:
    """The ids of these cases: their places in the log, from 1.

    So the numbers of a release tell as much as the order of its cases, which is random: `mechanisms/synthesis.py`
    shuffles cases that are made up, `methods/paper.py` those that are copied.

    >>> case_numbers(0, 3).tolist()
    [1, 2, 3]
    """
    return np.arange(first + 1, after + 1)
