"""What the driver decides from the distinct paths: how many cases are added, and which groups are sketched.

The driver's memory grows with the distinct variants alone; limits refuse a log before it runs out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..core.arrays import Ints, row_of, runs
from ..core.automaton import Automaton
from ..core.log import Paths
from ..errors import LogError, ParameterError, argument
from ..mechanisms.groups import Steps
from ..mechanisms.sketches import sketch_keys
from ..mechanisms.time_noise import groups_in_use
from .partitions import activities, chunk_bytes, flat_cells
from .tasks import Copies, PartitionedLog

MOST_STEPS = 25_000_000
"""Steps that all distinct variants may have together; the driver needs about 150 bytes for each."""

MOST_RUNS_OF_ALL = 1_000_000
"""Runs that the sketches of all groups may have together, of 40 bytes each; they are sent to every task."""

MOST_COPIES = 10_000_000
"""Cases that may be added in all; the list of the cases they copy is sent to every task, 16 bytes each."""

LONGEST, _FEWEST_RUNS = 1 << 16, 8
"""Runs that one sketch may have if there is room, and the least it has however many groups there are."""


def paths_of(rows: pa.Table, n_labels: int) -> Paths:
    """The distinct paths and their cases, from the rows that count them."""
    rows = rows.sort_by("path")  # a shuffle keeps no order
    code = b"".join(map(chunk_bytes, rows["path"].chunks))
    path = activities(code, n_labels)
    _, offsets = flat_cells(rows["path"], np.dtype("u1"))
    return Paths(path, offsets * len(path) // max(1, len(code)), rows["cases"].combine_chunks().to_numpy())


def too_many_variants(most_steps: int) -> LogError:
    """The error for a log whose variants do not fit the driver, with advice."""
    return LogError(
        f"the distinct variants of this log have more than {most_steps:,} steps together, which is too much for the "
        f"driver: use coarser activities ({argument('activity')}), keep one lifecycle ({argument('lifecycle')}), cut "
        "long cases, or, in Python, give the driver more memory (150 bytes a step) and raise most_steps"
    )


def refuse_too_many_copies(copies: int) -> None:
    """Refuse to add more cases than can be listed to all tasks."""
    if copies > MOST_COPIES:
        raise ParameterError(
            f"delta is too small for this log: {copies:,} cases would be added, and the driver can place "
            f"{MOST_COPIES:,}: take a larger delta"
        )


def copies_by_partition(found: pa.Table) -> Copies:
    """The copies of each partition that has some, from the rows that tell where they were found."""
    names = found["name"].combine_chunks().dictionary_encode()
    partition, variant, rank = names.indices.to_numpy(), found["variant"].to_numpy(), found["rank"].to_numpy()
    order = np.lexsort((rank, variant, partition))  # a shuffle keeps no order
    edges = runs(partition[order])
    each = zip(names.dictionary.to_pylist(), edges[:-1], edges[1:], strict=True)  # numbered in the dictionary's order
    return {name: (variant[order[first:after]], rank[order[first:after]]) for name, first, after in each}


class SketchPlan(NamedTuple):
    """The keys of the groups to sketch, and how many runs a sketch may have."""

    keys: Ints
    most_runs: int


def sketch_plan(log: PartitionedLog, paths: Paths, automaton: Automaton) -> SketchPlan:
    """Which groups must be sketched: those that the method may look values up in, and the starts."""
    has_value = np.ones(len(paths.path), dtype=np.bool_)
    has_value[paths.offsets[:-1]] = False
    steps = Steps(lambda: automaton.of_path, paths.path, len(log.labels), has_value)
    cases = paths.cases[row_of(paths.offsets)[has_value]]
    levels = list(groups_in_use(log.method.calibration, steps, cases))
    keys = [sketch_keys(level, groups) for level, (groups, _) in enumerate(levels)]
    starts = paths.cases.sum(keepdims=True)  # always in use: tasks sketch them unasked
    return SketchPlan(
        np.sort(np.concatenate(keys)), _most_runs(np.concatenate([starts, *(size for _, size in levels)]))
    )


def _most_runs(sizes: Ints) -> int:
    """How many runs each sketch may have so that all together are not too many."""
    most = LONGEST
    while most > _FEWEST_RUNS and np.minimum(sizes, most).sum() > MOST_RUNS_OF_ALL:
        most //= 2
    return most
