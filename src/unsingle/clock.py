"""A log's own clock: the zone in which its times were written, and the grid they lie on (T6).

A log that is kept in whole days must stay so, and its days begin at its own midnight. So the method
works on **ticks**, whole steps of the grid. On grids of an hour or a day ticks count local time, on
finer ones they count UTC (all zones differ by whole minutes, so the grid is the same).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .errors import ParameterError
from .log import EventLog
from .ragged import Ints

if TYPE_CHECKING:
    import polars

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000

GRIDS = {"day": DAY, "hour": HOUR, "minute": MINUTE, "second": SECOND, "millisecond": 1}
"""The grids by name, coarsest first, in milliseconds."""

EARLIEST, LATEST = -62_135_596_800_000, 253_402_214_400_000
"""0001-01-01 and 9999-12-31, UTC: the times that ISO 8601 can write with four digits."""

_FIXED = re.compile(r"([+-])(\d{2}):?(\d{2})$")


def zone_offsets(zone: str, utc: Ints) -> Ints:
    """Local time minus UTC, in milliseconds, at each UTC time; `zone` is ``+02:00`` or ``Europe/Berlin``.

    >>> zone_offsets("+05:30", np.array([0])).tolist(), zone_offsets("Europe/Berlin", np.array([0])).tolist()
    ([19800000], [3600000])
    """
    if zone == "UTC":
        return np.zeros(len(utc), dtype=np.int64)
    if fixed := _FIXED.match(zone):
        minutes = int(fixed[2]) * 60 + int(fixed[3])
        return np.full(len(utc), (-1 if fixed[1] == "-" else 1) * minutes * MINUTE, dtype=np.int64)
    import polars as pl

    try:
        local = pl.Series(utc, dtype=pl.Datetime("ms", "UTC")).dt.convert_time_zone(zone).dt
    except pl.exceptions.PolarsError:
        raise ParameterError(
            f"unknown time zone {zone!r}: give a name such as Europe/Berlin or an offset such as +02:00"
        ) from None
    offset = local.base_utc_offset() + local.dst_offset()
    return offset.dt.total_milliseconds().to_numpy().astype(np.int64)


def zone_name(offset: str) -> str:
    """The name of a fixed offset such as +0200.

    >>> zone_name("+0200"), zone_name("-00:00")
    ('+02:00', 'UTC')
    """
    digits = offset.replace(":", "")
    return "UTC" if digits[1:] == "0000" else f"{digits[:3]}:{digits[3:]}"


def from_local(zone: str, local: Ints) -> Ints:
    """UTC of local times.

    Whole hours keep their order also where clocks change, which is all that a `Grid` asks for.
    """
    first_guess = local - zone_offsets(zone, local)
    return local - zone_offsets(zone, first_guess)


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

    def ticks(self, time: Ints) -> Ints:
        """Steps since 1970 at each UTC time, rounded down."""
        return self._local(time) // self.step

    def times(self, ticks: Ints) -> Ints:
        """UTC time of each tick; what lies beyond the year 9999 becomes its end."""
        local = np.clip(ticks, EARLIEST // self.step, LATEST // self.step) * self.step
        return from_local(self.zone, local) if self.step >= HOUR else local

    def fits(self, time: Ints) -> bool:
        """Whether all times lie on the grid."""
        return not (self._local(time) % self.step).any()

    def _local(self, time: Ints) -> Ints:
        return time + zone_offsets(self.zone, time) if self.step >= HOUR else time


def grid_of(log: EventLog, name: str | None = None) -> Grid:
    """The coarsest grid that all times of the log lie on, or the one that is named."""
    if name is not None:
        if name not in GRIDS:
            raise ParameterError(f"unknown grid {name!r}: choose one of {', '.join(GRIDS)}")
        return Grid(GRIDS[name], log.zone)
    clocks = dict.fromkeys((log.zone, _zone_of_midnight(int(log.time[0]))))
    grids = (Grid(step, zone) for step in GRIDS.values() for zone in clocks)
    return next(grid for grid in grids if grid.fits(log.time))


def _zone_of_midnight(time: int) -> str:
    """The fixed offset at which this is midnight: some logs keep their days through the summer's clock.

    >>> _zone_of_midnight(23 * HOUR)
    '+01:00'
    """
    since = time % DAY
    return _suffix(-since if since <= DAY // 2 else DAY - since)


def iso_times(time: Ints, zone: str) -> polars.Series:
    """ISO 8601 with milliseconds and the zone's offset.

    >>> iso_times(np.array([0]), "+05:30").to_list()
    ['1970-01-01T05:30:00.000+05:30']
    """
    import polars as pl

    offset = zone_offsets(zone, time)
    local = pl.Series(time + offset, dtype=pl.Datetime("ms")).dt.strftime("%Y-%m-%dT%H:%M:%S%.3f")
    distinct, which = np.unique(offset, return_inverse=True)
    suffixes = pl.Series([_suffix(ms) for ms in distinct.tolist()])
    return local + suffixes.gather(which)


def _suffix(offset: int) -> str:
    hours, minutes = divmod(abs(offset) // MINUTE, 60)
    return f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"
