"""A log's own clock: the zone in which its times were written, and the grid they lie on (T6).

A log that is kept in whole days must stay so, and its days begin at its own midnight. So the method
works on **ticks**, whole steps of the grid. On grids of an hour or a day ticks count local time, on
finer ones they count UTC (all zones differ by whole minutes, so the grid is the same).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from .arrays import Floats, Ints, distinct

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000

GRIDS = {"day": DAY, "hour": HOUR, "minute": MINUTE, "second": SECOND, "millisecond": 1}
"""The grids by name, coarsest first, in milliseconds."""

_MANY = 20  # events that say what a log's clock is like rather than what a person did

EARLIEST, LATEST = -62_135_596_800_000, 253_402_214_400_000
"""0001-01-01 and 9999-12-31, UTC: the times that ISO 8601 can write with four digits."""

# Zones whose clocks change, for telling a log's zone from its offsets.
_CHANGING_ZONES = ("Europe/Berlin", "Europe/London", "Europe/Athens", "America/New_York", "America/Chicago",
                   "America/Denver", "America/Los_Angeles", "America/Halifax", "Australia/Sydney",
                   "Australia/Adelaide", "Pacific/Auckland", "America/Santiago", "America/Sao_Paulo",
                   "Europe/Moscow", "Asia/Jerusalem")  # fmt: skip

_A_FEW = 1000
_DAYS = 512  # a table of days begins and ends at multiples of these, so that one can be used again
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR = 146_097 * DAY // 400  # on average
_RULES = 2_145_916_800  # 2038, in seconds
_FIXED = re.compile(r"([+-])([01]\d|2[0-3]):?([0-5]\d)")


def is_offset(zone: str) -> bool:
    """Whether a zone is a fixed offset such as +02:00."""
    return _FIXED.fullmatch(zone) is not None


def zone_offsets(zone: str, utc: Ints) -> Ints:
    """Local time minus UTC, in milliseconds, at each UTC time; `zone` is ``+02:00`` or ``Europe/Berlin``.

    >>> zone_offsets("+05:30", np.array([0])).tolist(), zone_offsets("Europe/Berlin", np.array([0])).tolist()
    ([19800000], [3600000])
    """
    if zone == "UTC":
        return np.zeros(len(utc), dtype=np.int64)
    if fixed := _FIXED.fullmatch(zone):
        minutes = int(fixed[2]) * 60 + int(fixed[3])
        return np.full(len(utc), (-1 if fixed[1] == "-" else 1) * minutes * MINUTE, dtype=np.int64)
    if len(utc) == 0:
        return np.zeros(0, dtype=np.int64)
    day = utc // DAY
    first, last = int(day.min()) // _DAYS * _DAYS, (int(day.max()) + 1) // _DAYS * _DAYS + _DAYS
    if last - first > len(utc) + 4 * _DAYS:
        return _named_zone_offsets(zone, utc)
    # most days have one offset: look it up by day, and only on days with a change by time
    at_midnight = _at_midnights(zone, first, last)
    offsets, next_offsets = at_midnight[day - first], at_midnight[day - first + 1]
    changing = np.flatnonzero(next_offsets != offsets)
    for change in np.unique(day[changing]).tolist():
        moment = _change(zone, change * DAY)
        late = changing[(day[changing] == change) & (utc[changing] >= moment)]
        offsets[late] = next_offsets[late]
    return offsets


@lru_cache(maxsize=64)
def _at_midnights(zone: str, first: int, last: int) -> Ints:
    return _named_zone_offsets(zone, np.arange(first, last) * DAY)


@cache
def _change(zone: str, midnight: int) -> int:
    """When clocks change on a day on which they do, to the second."""
    before, after = 0, DAY // SECOND
    old = _named_zone_offsets(zone, np.array([midnight]))[0]
    while after - before > 1:
        middle = (before + after) // 2
        same = _named_zone_offsets(zone, np.array([midnight + middle * SECOND]))[0] == old
        before, after = (middle, after) if same else (before, middle)
    return midnight + after * SECOND


def _named_zone_offsets(zone: str, utc: Ints) -> Ints:
    clock = _clock_of(zone)
    # the calendar repeats every 400 years, and so do the rules by which clocks change from 2038 on
    second = np.maximum(utc, EARLIEST + 400 * _YEAR) // SECOND
    second = np.where(second < _RULES, second, _RULES + (second - _RULES) % (400 * _YEAR // SECOND))
    distinct, which = np.unique(second, return_inverse=True)
    offsets = [(_EPOCH + timedelta(seconds=s)).astimezone(clock).utcoffset() for s in distinct.tolist()]
    return np.array([round(o.total_seconds() * SECOND) for o in offsets if o is not None], dtype=np.int64)[which]


@cache
def _clock_of(zone: str) -> ZoneInfo:
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ParameterError(
            f"unknown time zone {zone!r}: give a name such as Europe/Berlin or an offset such as +02:00"
        ) from None


def zone_of_offsets(utc: Ints, minutes: NDArray[np.integer]) -> str:
    """The zone whose clock explains the offsets that times were written with; UTC if none does.

    >>> zone_of_offsets(np.array([0, 15_552_000_000]), np.array([120, 120]))
    '+02:00'
    >>> zone_of_offsets(np.array([1_700_000_000_000, 1_690_000_000_000]), np.array([60, 120]))
    'Europe/Berlin'
    """
    written = distinct(minutes.astype(np.int64)).tolist()
    if len(written) <= 1:
        return utc_offset_text(written[0] * MINUTE) if written and written[0] else "UTC"
    offsets = minutes.astype(np.int64) * MINUTE
    matching = (zone for zone in _CHANGING_ZONES if (zone_offsets(zone, utc) == offsets).all())
    return next(matching, "UTC")


def zone_with_offsets(minutes: Sequence[int]) -> str:
    """The zone whose clocks show these offsets at some time of the year; UTC if none does.

    >>> zone_with_offsets([120]), zone_with_offsets([60, 120]), zone_with_offsets([60, 345])
    ('+02:00', 'Europe/Berlin', 'UTC')
    """
    if len(minutes) <= 1:
        return utc_offset_text(minutes[0] * MINUTE) if minutes and minutes[0] else "UTC"
    seasons = np.array([1_705_276_800_000, 1_721_001_600_000])  # January and July 2024
    shown = {zone: set((zone_offsets(zone, seasons) // MINUTE).tolist()) for zone in _CHANGING_ZONES}
    return next((zone for zone, offsets in shown.items() if set(minutes) <= offsets), "UTC")


def from_local(zone: str, local: Ints) -> Ints:
    """UTC of local times: the earlier one where clocks go back, as much later as clocks go forward where it is skipped.

    >>> skipped = 1_711_850_400_000  # 02:00 on 31 March 2024, when 03:00 followed 01:59 in Berlin
    >>> from_local("Europe/Berlin", np.array([skipped])).tolist() == [skipped - HOUR]
    True
    """
    before, after = (zone_offsets(zone, local + shift) for shift in (-DAY, DAY))
    if (before == after).all():
        return local - before
    early, late = local - before, local - after
    is_early = zone_offsets(zone, early) == before
    is_late = zone_offsets(zone, late) == after
    return np.where(is_early & is_late, np.minimum(early, late), np.where(is_late, late, early))


@dataclass(frozen=True)
class Grid:
    """Whole steps of so many milliseconds on the clock of a zone.

    >>> grid = Grid(DAY, "+02:00")
    >>> grid.times(grid.ticks(np.array([79_200_000]))).tolist()  # 22:00 UTC is midnight there
    [79200000]
    """

    step: int
    zone: str

    @property
    def name(self) -> str:
        """The grid's name: day, hour, minute, second or millisecond."""
        return next(name for name, step in GRIDS.items() if step == self.step)

    @property
    def day(self) -> int:
        """Steps in a day."""
        return DAY // self.step

    @property
    def may_go_back(self) -> bool:
        """Whether the order of ticks may not be that of their times: where clocks change by other than an hour."""
        return self.step >= HOUR and "/" in self.zone

    def ticks(self, time: Ints) -> Ints:
        """Steps since 1970 at each UTC time, rounded down."""
        return self._local(time) // self.step

    def times(self, ticks: Ints) -> Ints:
        """UTC time of each tick; what lies beyond the year 9999 becomes its end."""
        local = np.clip(ticks, EARLIEST // self.step, LATEST // self.step) * self.step
        return from_local(self.zone, local) if self.step >= HOUR else local

    def hours(self, time: Ints) -> Floats:
        """Hours since 1970 on the zone's clock, in the middle of the tick of each UTC time.

        >>> Grid(HOUR, "+02:00").hours(np.array([0])).tolist()
        [2.5]
        """
        tick = (time + zone_offsets(self.zone, time)) // self.step
        return (tick.astype(np.float64) + 0.5) * (self.step / HOUR)

    def times_of_hours(self, hours: Floats) -> Ints:
        """UTC time of the tick of each moment, given in hours since 1970 on the zone's clock."""
        local = np.floor(hours * (HOUR / self.step)) * self.step
        return from_local(self.zone, np.clip(local, EARLIEST, LATEST).astype(np.int64))

    def fits(self, time: Ints) -> bool:
        """Whether all times lie on the grid."""
        if len(time) > _A_FEW and not self.fits(time[:_A_FEW]):
            return False  # nearly all grids that do not fit are found out by these
        on_grid = not (self._local(time) % self.step).any()
        # a day whose midnight is skipped begins later
        return on_grid or (self.step >= HOUR and bool((self.times(self.ticks(time)) == time).all()))

    def midnight(self, tick: int) -> int:
        """The last midnight on the zone's clock at or before this tick."""
        ahead = 0 if self.step >= HOUR else int(zone_offsets(self.zone, np.array([tick * self.step]))[0]) // self.step
        return (tick + ahead) // self.day * self.day - ahead

    def power_of_two_minutes(self, ticks: Ints) -> Ints:
        """The next power of two minutes that is not below, in whole ticks: tells little of the longest time (T3)."""
        minutes = np.maximum(1, -(-ticks * self.step // MINUTE))
        power = np.ldexp(1.0, np.frexp((minutes - 1).astype(np.float64))[1]).astype(np.int64)
        return -(-power * MINUTE // self.step)

    def _local(self, time: Ints) -> Ints:
        return time + zone_offsets(self.zone, time) if self.step >= HOUR else time


class ClockFacts(NamedTuple):
    """What the times of a log, or of a part of it, say of its clock: enough to know the grid of the whole.

    `step` is that of the coarsest grid that they lie on, `earliest` and `latest` their time of day in UTC (of some of
    them, if it is not the same), `events` how many they are.
    """

    zone: str
    step: int
    earliest: int
    latest: int
    events: int

    @classmethod
    def of(cls, time: Ints, zone: str) -> ClockFacts:
        """The facts of these times."""
        step = next(step for step in GRIDS.values() if Grid(step, zone).fits(time))
        of_day = time[:_A_FEW] % DAY
        if of_day.min() == of_day.max():
            of_day = time % DAY
        return cls(zone, step, int(of_day.min()), int(of_day.max()), len(time))

    @property
    def grid(self) -> Grid:
        """The coarsest grid that all times lie on."""
        kept = self._kept_midnight
        return Grid(DAY, kept) if kept and self.step < DAY else Grid(self.step, self.zone)

    @property
    def _kept_midnight(self) -> str | None:
        """The fixed offset at which all events are at midnight: some logs keep their days through the summer's clock.

        Only a whole hour, and only of a log with many events: else it would be a person's own time of day.
        """
        since = self.earliest
        if since != self.latest or since % HOUR or self.events < _MANY:
            return None
        return utc_offset_text(-since if since <= DAY // 2 else DAY - since)


def utc_offset_text(offset: int) -> str:
    """An offset in milliseconds as it is written: +01:00."""
    hours, minutes = divmod(abs(offset) // MINUTE, 60)
    return f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"
