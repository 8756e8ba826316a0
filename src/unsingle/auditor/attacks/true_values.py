"""Is a released value somebody's own? Rare texts, values on the path of someone alone there, whole combinations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Ints, distinct, mix_pair, positions, row_of, take_rows
from ...core.columns import MISSING, Column, Field
from ...core.log import EventLog, pairs
from ...evaluation.kept import Kept, kept_columns
from ...privacy.guarantee import Secret
from ..base import ATTACKS, ReleaseAttack, Tried, counted
from ..setting import Shown
from ..values import Entries

_FEW = 2  # people: what they have is rare
_CROWD = 20  # others who must be alike, so that what they have is usual
_DIGITS = 9  # to which numbers are compared


class Numbered(NamedTuple):
    """A column of the original and of the release, with equal numbers for equal values; `MISSING` for none."""

    field: Field
    true: Ints
    shown: Ints

    @classmethod
    def of(cls, kept: Kept) -> Numbered:
        """Texts by name, pseudonyms by how frequent they are, and numbers as exactly as they are written."""
        if kept.is_text:
            return cls(kept.before.field, kept.values.before - 1, kept.values.after - 1)
        columns = (kept.before, kept.after)
        known = np.unique(np.concatenate([np.round(each.values[each.present], _DIGITS) for each in columns]))
        place = (np.searchsorted(known, np.round(each.values, _DIGITS)) for each in columns)
        numbers = (np.where(each.present, here, MISSING) for each, here in zip(columns, place, strict=True))
        return cls(kept.before.field, *numbers)


def _in_both(on: Shown) -> tuple[Kept, ...]:
    """The kept columns that both logs have."""
    return kept_columns(on.original, on.release.log)[0]


def rare_texts_shown(on: Shown) -> Tried | None:
    """Guess that a text which one or two people have is in the log if it is released, else that it is not.

    A text that is not in the log is one that nobody has. A yes/no guess: chance is one half. Columns whose values are
    public are left out.
    """
    found = [
        shown
        for kept in _in_both(on)
        if kept.is_text and kept.before.field not in on.public_values
        for shown in _rare_shown(Entries(on.original, kept.before), kept.after)
    ]
    return Tried(float(sum(found) + len(found)), float(len(found)), 2.0 * len(found)) if found else None


def _rare_shown(entries: Entries, released: Column) -> list[bool]:
    rare = np.unique(entries.value[entries.people <= _FEW])
    shown = {released.texts[code] for code in np.unique(released.values[released.present]).tolist()}
    return [entries.cell(code) in shown for code in rare]


def values_of_lone_people(on: Shown) -> Tried | None:
    """Guess that the values that are released on the path of someone alone there are theirs.

    One guess for each person and column, which may be right in part. Chance is the share of other people's values that
    are the same, at whichever activity, or pair of activities, that share is largest.
    """
    lone = _Lone(on)
    tried = [lone.tried(Numbered.of(kept)) for kept in _in_both(on)]
    right, chance = (np.concatenate([np.empty(0), *(each[part] for each in tried)]) for part in (0, 1))
    return counted(right, chance) if len(right) else None


class _Lone:
    """People alone on a path that was released, and the released cases on their paths."""

    def __init__(self, on: Shown) -> None:
        self._original, self._release = on.original, on.release.log
        variants = on.original.variants
        alone = on.people[variants.cases[variants.of_case[on.people]] == 1]
        of_path = np.full(variants.count + 1, -1, dtype=np.int64)  # the last is for paths of nobody
        of_path[variants.of_case[alone]] = alone
        whose = of_path[on.release.path_of_case]
        self._shown = np.flatnonzero(whose >= 0)
        self._whose = whose[self._shown]

    def tried(self, column: Numbered) -> tuple[Floats, Floats]:
        """How much of each person's values is right, and how much would be by chance."""
        of_cases = column.field.of_cases
        row = self._whose if of_cases else take_rows(self._original.case_offsets, self._whose)[0]
        shown = self._shown if of_cases else take_rows(self._release.case_offsets, self._shown)[0]
        there = column.true[row] != MISSING
        row, shown = row[there], shown[there]
        person = row if of_cases else row_of(self._original.case_offsets)[row]
        usual = _usual_in_cases(self._original, column) if of_cases else _usual_at_events(self._original, column)
        right = (column.true[row] == column.shown[shown]).astype(np.float64)
        return _mean_by(person, right), _mean_by(person, usual[row])


def _mean_by(person: Ints, values: Floats) -> Floats:
    _, number = np.unique(person, return_inverse=True)
    return np.bincount(number, weights=values) / np.maximum(np.bincount(number), 1)


def _usual_at_events(log: EventLog, column: Numbered) -> Floats:
    """How usual the value of each event is: at its activity, at its pair of activities, or at all."""
    activity = log.activity.astype(np.int64)
    pair = np.where(log.is_first, -1, pairs(activity, len(log.labels)))
    return np.max([_share_of_others(group, column.true) for group in (activity, pair, 0 * activity)], axis=0)


def _usual_in_cases(log: EventLog, column: Numbered) -> Floats:
    """How usual the value of each case is: among cases with one of its activities, or among all."""
    labels = len(log.labels)
    case, activity = np.divmod(distinct(row_of(log.case_offsets) * labels + log.activity), labels)
    usual = _share_of_others(np.zeros(log.n_cases, dtype=np.int64), column.true)
    np.maximum.at(usual, case, _share_of_others(activity, column.true[case]))
    return usual


def _share_of_others(group: Ints, value: Ints) -> Floats:
    """The share of the others in its group that have the same value; 0 where there are too few of them."""
    _, place, size = np.unique(group, return_inverse=True, return_counts=True)
    both = place * (int(value.max(initial=0)) + 2) + value - MISSING
    _, alike, times = np.unique(both, return_inverse=True, return_counts=True)
    others = size[place] - 1
    return np.where(others >= _CROWD, (times[alike] - 1) / np.maximum(others, 1), 0.0)


def true_combinations(on: Shown) -> Tried | None:
    """Guess that a released case has all values of one person on its path.

    Chance is how often that is so if the values of each column are taken from another released case on the same path.
    None where fewer than two columns are kept.
    """
    columns = [Numbered.of(kept) for kept in _in_both(on)]
    if len(columns) < 2:
        return None
    original, release = on.original, on.release
    true = _together(original.variants.of_case, [_digests(each.field, each.true, original) for each in columns])
    shown = [_digests(each.field, each.shown, release.log) for each in columns]
    mixed = [shown[0], *(_mixed(each, release.path_of_case, on) for each in shown[1:])]
    some = (release.path_of_case >= 0) & (release.counts[release.path_of_case] > 1)
    right, chance = (np.isin(_together(release.path_of_case, each)[some], true) for each in (shown, mixed))
    return counted(right, chance)


def _digests(field: Field, code: Ints, log: EventLog) -> Ints:
    """A number for all values of each case."""
    if field.of_cases:
        return code
    words = mix_pair(code, positions(log.case_offsets), salt=5)
    return np.add.reduceat(words, log.case_offsets[:-1]).view(np.int64)


def _together(path: Ints, digests: list[Ints]) -> Ints:
    """A number for the path of each case and for its values in all columns."""
    for salt, digest in enumerate(digests, start=6):
        path = mix_pair(path, digest, salt).view(np.int64)
    return path


def _mixed(digest: Ints, path: Ints, on: Shown) -> Ints:
    """The same among the cases of each path, in another order."""
    mixed = np.empty_like(digest)
    mixed[np.argsort(path, kind="stable")] = digest[np.lexsort((on.random.permutation(len(path)), path))]
    return mixed


RARE_TEXTS = ATTACKS.add(
    ReleaseAttack(
        "true rare values",
        rank=540,
        kind="value",
        question="does somebody have this value, which only one or two people have?",
        secret=Secret.VALUE,
        of_columns=True,
        attempt=rare_texts_shown,
    )
)
LONE_VALUES = ATTACKS.add(
    ReleaseAttack(
        "true values",
        rank=550,
        kind="value",
        question="did a person alone on their path have exactly these values in a kept column?",
        secret=Secret.ANY_VALUE,
        of_columns=True,
        attempt=values_of_lone_people,
    )
)
COMBINATIONS = ATTACKS.add(
    ReleaseAttack(
        "true combinations of values",
        rank=560,
        kind="value",
        question="did someone on this path have exactly these values in all kept columns?",
        secret=Secret.ANY_VALUE,
        of_columns=True,
        attempt=true_combinations,
    )
)
