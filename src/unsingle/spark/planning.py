"""What is decided where all paths are, on the driver: the automaton, the counts, and which groups are needed.

Memory here grows with the distinct variants alone: a limit says so before it runs out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..automaton import Automaton
from ..errors import LogError, ParameterError
from ..log import Paths, pairs
from ..methods.times import SMALLEST_GROUP
from ..ragged import Ints, row_of
from .pieces import activities, chunk_bytes, flat_cells
from .tasks import group_keys

MOST_STEPS = 25_000_000
"""Steps that all distinct variants may have together; the driver needs about 150 bytes for each."""

MOST_RUNS_OF_ALL = 1_000_000
"""Runs that the outlines of all groups may have together, of 40 bytes each; they go to every task."""

MOST_COPIES = 10_000_000
"""Cases that may be added in all; which they copy goes to every task, in 16 bytes each."""

LONGEST, _FEWEST_RUNS = 1 << 16, 8
"""Runs that one outline may have where there is room, and at the least where there are very many groups."""


def paths_of(rows: pa.Table, n_labels: int) -> Paths:
    """The distinct paths and their cases, as they were counted."""
    rows = rows.sort_by("path")  # they come in any order
    code = b"".join(map(chunk_bytes, rows["path"].chunks))
    path = activities(code, n_labels)
    _, offsets = flat_cells(rows["path"], np.dtype("u1"))
    return Paths(path, offsets * len(path) // max(1, len(code)), rows["cases"].combine_chunks().to_numpy())


def too_many_variants(most_steps: int) -> LogError:
    """What to do about a log whose variants do not fit the driver."""
    return LogError(
        f"the distinct variants of this log have more than {most_steps:,} steps together, which is too much for the "
        "driver: use coarser activities (--activity), keep one --lifecycle, cut long cases, or give the driver more "
        "memory (150 bytes a step) and raise most_steps"
    )


def refuse_too_many_copies(copies: int) -> None:
    """Say so if more cases are added than can be told to all tasks."""
    if copies > MOST_COPIES:
        raise ParameterError(
            f"delta is too small for this log: {copies:,} cases would be added, and the driver can place "
            f"{MOST_COPIES:,}: take a larger delta"
        )


class Wanted(NamedTuple):
    """The groups whose outlines are needed, by key; and how long outlines may be."""

    keys: Ints
    most_runs: int


def wanted_groups(paths: Paths, automaton: Automaton, n_labels: int) -> Wanted:
    """The groups that some value may be looked up in.

    How many values a group has follows from the paths alone. That a group has a range only the times can tell, so all
    that are large enough are kept, narrow and wide, and the whole log in any case.
    """
    later = np.ones(len(paths.path), dtype=np.bool_)
    later[paths.offsets[:-1]] = False
    row = row_of(paths.offsets)[later]
    activity = paths.path.astype(np.int64)
    levels = group_keys(*(each[later] for each in (automaton.of_path, pairs(paths.path, n_labels), activity)))
    weight = paths.cases[row]
    keys, sizes = [], [paths.cases.sum(keepdims=True)]  # of the starts, which are always asked for
    for level, key in enumerate(levels):
        distinct, of_value = np.unique(key, return_inverse=True)
        values = np.bincount(of_value, weights=weight, minlength=len(distinct)).astype(np.int64)
        taken = (values >= SMALLEST_GROUP) | (level == len(levels) - 1)
        keys.append(distinct[taken])
        sizes.append(values[taken])
    return Wanted(np.sort(np.concatenate(keys)), _most_runs(np.concatenate(sizes)))


def _most_runs(sizes: Ints) -> int:
    """How many runs each outline may have so that all together are not too many."""
    most = LONGEST
    while most > _FEWEST_RUNS and np.minimum(sizes, most).sum() > MOST_RUNS_OF_ALL:
        most //= 2
    return most
