"""What tasks do with pieces of a log. Each is a function from batches to batches, for `mapInArrow`.

A task draws from a stream that is named by the piece, or by all it is given, and by nothing else: if Spark runs it
again, on whatever machine, the same comes out. Rows that came over the network are put in order first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..automaton import Automaton
from ..clock import Grid
from ..errors import LogError
from ..groups import Flags, Population
from ..log import EventLog, pairs
from ..methods import method_named
from ..methods.timeline import Timeline
from ..options import Options
from ..outlines import MOST_RUNS, Outline, OutlinedPopulation
from ..ragged import Ints, offsets_of, runs
from ..ragged import pieces as ragged_pieces
from ..randomness import Randomness
from .pieces import Batches, Piece, batch, cells, code_type, flat_cells, unpacked

PATHS = "path binary, cases long"
RUNS = "shard long, key binary, low binary, high binary, total binary, count binary"
SHARES = "shard long, piece binary, variant binary, cases binary"
CHOSEN = "piece binary, variant long, rank long"
RELEASED = "id binary, activity binary, time binary"

_AT_ONCE = 10_000_000  # released events in one batch: cells of bytes have places of 32 bits
_LEVELS = 8  # more than there are: transition, directly-follows pair, activity, the whole log, and starts
_STARTS = 4
_RUN_TYPES = {"key": np.int64, "low": np.int64, "high": np.int64, "total": np.float64, "count": np.int64}


def group_keys(transition: Ints, pair: Ints, activity: Ints) -> list[Ints]:
    """One number for each value's group and for how wide it is, for all widths, narrow to wide."""
    groups = (transition, pair, activity, np.zeros(len(transition), dtype=np.int64))
    return [group * _LEVELS + level for level, group in enumerate(groups)]


STARTS_KEY = _STARTS
"""The key of the one group of all starts."""


@dataclass(frozen=True)
class Log:
    """What is known of the whole log when its pieces have been made, and how it is to be released."""

    labels: tuple[str, ...]
    zone: str
    grid: Grid
    midnight: int
    method: str
    options: Options
    shards: int
    """Into how many parts variants and groups are divided, each of which one task puts together."""

    def pieces(self, batches: Batches) -> Iterator[Piece]:
        """The pieces of a partition."""
        return unpacked(batches, self.labels, self.zone)


class CountPaths:
    """The distinct paths of each piece, with their cases."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def __call__(self, batches: Batches) -> Batches:
        """A row for each path of each piece."""
        for piece in self._log.pieces(batches):
            variants = piece.log.variants
            code = variants.path.astype(code_type(len(self._log.labels)))
            yield batch(PATHS, cells(code, variants.offsets), pa.array(variants.cases))


class ShareVariants:
    """How many cases of each of the chosen variants every piece has."""

    def __init__(self, log: Log, automaton: Automaton, chosen: Ints) -> None:
        self._log, self._automaton, self._chosen = log, automaton, chosen

    def __call__(self, batches: Batches) -> Batches:
        """For each piece a row for each shard of the variants."""
        for piece in self._log.pieces(batches):
            variants = piece.log.variants
            number = self._automaton.reading(variants).numbers(variants)
            asked = is_among(self._chosen, number)
            number, cases = number[asked], variants.cases[asked]
            if len(number):
                shards, (number, cases), offsets = sharded(number % self._log.shards, number, cases)
                yield batch(SHARES, shards, [piece.name] * len(shards), cells(number, offsets), cells(cases, offsets))


class LocateCopies:
    """In which piece each chosen case of a variant is, and which of that piece's it is."""

    def __init__(self, variant: Ints, rank: Ints) -> None:
        self._variant, self._rank = variant, rank

    def __call__(self, batches: Batches) -> Batches:
        """A row for each case that is chosen from the variants of this partition, as often as it is."""
        parts = list(batches)
        if not sum(part.num_rows for part in parts):
            return
        table = pa.Table.from_batches(parts).sort_by("piece")
        variant, offsets = flat_cells(table["variant"], np.int64)
        cases, _ = flat_cells(table["cases"], np.int64)
        row = np.repeat(np.arange(table.num_rows), np.diff(offsets))
        order = np.argsort(variant, kind="stable")  # and by piece
        upto, first = offsets_of(cases[order]), runs(variant[order])
        here = variant[order][first[:-1]]
        wanted = is_among(here, self._variant)
        of, rank = self._variant[wanted], self._rank[wanted]
        place = upto[first[np.searchsorted(here, of)]] + rank
        found = np.searchsorted(upto, place, side="right") - 1
        names = table["piece"].take(pa.array(row[order[found]])).combine_chunks()
        yield batch(CHOSEN, names, of, place - upto[found])


def is_among(known: Ints, asked: Ints) -> Flags:
    """Which of these are among the known, which are sorted and not below 0."""
    return np.append(known, -1)[np.searchsorted(known, asked)] == asked


class PieceTimeline(Timeline):
    """The times of a piece, whose groups are those of the whole log."""

    def __init__(self, log: Log, piece: Piece, groups: Groups | None = None) -> None:
        super().__init__(piece.log, log.grid, log.options.base, log.midnight)
        self._groups = groups

    def keys(self, automaton: Automaton) -> list[Ints]:
        """The keys of the groups of each value, narrow to wide."""
        log, later = self.log, ~self.log.is_first
        activity = log.activity.astype(np.int64)
        groups = automaton.of_events(log), pairs(log.activity, len(log.labels)), activity
        return group_keys(*(group[later] for group in groups))

    def populations(self, automaton: Automaton) -> Iterator[Population]:
        """The values of the piece among all values of the log."""
        assert self._groups is not None
        if len(self.values):
            for level, key in enumerate(self.keys(automaton)):
                yield self._groups.population(level, key, self.values)

    def start_population(self) -> Population:
        """The starts of the piece among all starts of the log."""
        assert self._groups is not None
        return self._groups.population(_STARTS, np.full(len(self.starts), STARTS_KEY), self.starts)


class Groups(NamedTuple):
    """The outlines of all groups that are asked for, by how wide they are."""

    outlines: list[Outline]

    @classmethod
    def of(cls, outline: Outline) -> Groups:
        """From one outline of all groups."""
        return cls([outline.where(outline.key % _LEVELS == level) for level in range(_STARTS + 1)])

    def population(self, level: int, key: Ints, values: Ints) -> Population:
        """Values among those of these groups."""
        return OutlinedPopulation(self.outlines[level], key, values)


class OutlineGroups:
    """The outlines of the chosen groups in each piece, those of many values shortened."""

    def __init__(self, log: Log, automaton: Automaton, chosen: Ints, most: int = MOST_RUNS) -> None:
        self._log, self._automaton, self._chosen, self._most = log, automaton, chosen, most

    def __call__(self, batches: Batches) -> Batches:
        """For each piece a row for each shard of the groups."""
        for piece in self._log.pieces(batches):
            timeline = PieceTimeline(self._log, piece)
            keys = timeline.keys(self._automaton.reading(piece.log.variants))
            starts = Outline.of(np.full(len(timeline.starts), STARTS_KEY), timeline.starts)
            parts = [Outline.of(key[asked := is_among(self._chosen, key)], timeline.values[asked]) for key in keys]
            outline = Outline.merged([starts, *parts]).shortened(self._most)
            yield run_rows(outline, self._log.shards)


class MergeOutlines:
    """The outlines of groups from those of all pieces, no longer than what is done with them needs."""

    def __init__(self, shards: int, most: int = MOST_RUNS) -> None:
        self._shards, self._most = shards, most

    def __call__(self, batches: Batches) -> Batches:
        """The same kind of rows again, with each group in one."""
        parts = list(batches)
        if sum(part.num_rows for part in parts):
            outline = Outline.merged([outline_of(pa.Table.from_batches(parts))]).shortened(self._most)
            yield run_rows(outline, self._shards)


def run_rows(outline: Outline, shards: int) -> pa.RecordBatch:
    """An outline as a row for each shard of its groups."""
    columns = [getattr(outline, name).astype(kind) for name, kind in _RUN_TYPES.items()]
    shard, columns, offsets = sharded(outline.key // _LEVELS % shards, *columns)
    return batch(RUNS, shard, *(cells(column, offsets) for column in columns))


def sharded(shard: Ints, *columns: NDArray[Any]) -> tuple[Ints, list[NDArray[Any]], Ints]:
    """The shards that there are, the columns in their order, and where each shard begins in these."""
    order = np.argsort(shard, kind="stable")
    offsets = runs(shard[order])
    return shard[order][offsets[:-1]], [column[order] for column in columns], offsets


def outline_of(rows: pa.Table) -> Outline:
    """The runs of all rows, in no order."""
    return Outline(*(flat_cells(rows[name], kind)[0] for name, kind in _RUN_TYPES.items()))


class ReleasePieces:
    """The release of each piece: its cases and the copies that are added to it, with new ids and new times.

    `copies` has every piece by its name. One that is not there was made of other events than when copies were chosen.
    """

    def __init__(
        self, log: Log, automaton: Automaton, groups: Groups, copies: Mapping[bytes, tuple[Ints, Ints]], key: bytes
    ) -> None:
        self._log, self._automaton, self._groups, self._copies, self._key = log, automaton, groups, copies, key

    def __call__(self, batches: Batches) -> Batches:
        """A row for each released case."""
        steps = method_named(self._log.method).steps
        assert steps is not None
        for piece in self._log.pieces(batches):
            random = Randomness.named(self._key, "piece", piece.name)
            timeline = PieceTimeline(self._log, piece, self._groups)
            automaton = self._automaton.reading(piece.log.variants)
            added = self._added(piece, automaton)
            released = steps.released(timeline, automaton, added, self._log.options, random).log
            for cases in ragged_pieces(released.case_offsets, _AT_ONCE):
                yield self._rows(released, cases, random)

    def _added(self, piece: Piece, automaton: Automaton) -> Ints:
        """The cases of the piece that are copied once more."""
        if piece.name not in self._copies:
            raise LogError(
                "a part of the log is not as it was before: give a frame that is the same whenever it is computed, and "
                "an order for events at the same time"
            )
        variant, rank = self._copies[piece.name]
        variants = piece.log.variants
        number = automaton.numbers(variants)
        by_number = np.argsort(number)
        local = by_number[np.searchsorted(number[by_number], variant)]
        by_variant = np.argsort(variants.of_case, kind="stable")
        return by_variant[offsets_of(variants.cases)[local] + rank]

    def _rows(self, released: EventLog, cases: slice, random: Randomness) -> pa.RecordBatch:
        labels = self._log.labels
        number = {label: i for i, label in enumerate(labels)}
        code = np.array([number[label] for label in released.labels], dtype=code_type(len(labels)))
        offsets = released.case_offsets[cases.start : cases.stop + 1]
        some = slice(int(offsets[0]), int(offsets[-1]))
        n_cases, offsets = len(offsets) - 1, offsets - offsets[0]
        ids = cells(random.words(2 * n_cases), 2 * np.arange(n_cases + 1))
        columns = (cells(flat, offsets) for flat in (code[released.activity[some]], released.time[some]))
        return batch(RELEASED, ids, *columns)
