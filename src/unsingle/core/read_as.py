"""What was found out about a source while it was read: its encoding, how times are written, rows that were left out."""

from __future__ import annotations

from typing import Any, NamedTuple

_SEPARATORS: dict[str | None, str] = {"\t": "tab", ",": "comma", ";": "semicolon"}
_MOST_FORMATS = 3  # that are shown


class ReadAs(NamedTuple):
    """What was found out about a source while it was read. Private: nothing of it goes into a release.

    `time_formats` say how times are written, `zone` where those were taken to be that name no zone. `left_out` are the
    rows that were left out because something was missing, by what that was.
    """

    files: int = 1
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None
    sheets: int = 1
    time_formats: tuple[str, ...] = ()
    zone: str | None = None
    rows: int = 0
    left_out: tuple[tuple[str, int], ...] = ()

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> ReadAs:
        """From what `plain` gave."""
        lists = {name: tuple(plain[name]) for name in ("time_formats",) if name in plain}
        left_out = {"left_out": tuple(plain["left_out"].items())} if "left_out" in plain else {}
        return cls(**{**plain, **lists, **left_out})

    def plain(self) -> dict[str, Any]:
        """All that there is to say, as JSON has it.

        >>> ReadAs(encoding="cp1252", separator=";", rows=9, left_out=(("time", 2),)).plain()
        {'encoding': 'cp1252', 'separator': ';', 'rows': 9, 'left_out': {'time': 2}}
        """
        said = {name: value for name, value in self._asdict().items() if (value and value != 1) or name == "rows"}
        lists = {"time_formats": list(self.time_formats), "left_out": dict(self.left_out)}
        return said | {name: value for name, value in lists.items() if value}

    @property
    def words(self) -> list[str]:
        r"""The same in words, one part after the other.

        >>> ReadAs(files=2, encoding="UTF-8", separator="\t", time_formats=("%d.%m.%Y",), zone="UTC").words
        ['2 files', 'encoding UTF-8', 'separator tab', 'times as %d.%m.%Y, taken to be in UTC']
        """
        parts = [f"{self.files} files"] if self.files > 1 else []
        parts += [f"encoding {self.encoding}"] if self.encoding else []
        parts += [f"separator {_SEPARATORS.get(self.separator, self.separator)}"] if self.separator else []
        of = f", of {self.sheets} sheets" if self.sheets > 1 else ""
        parts += [f'sheet "{self.sheet}"{of}'] if self.sheet else []
        is_plain = not self.zone and all(each.startswith("%Y-") for each in self.time_formats)  # nothing was guessed
        shown = "" if is_plain else " or ".join(self.time_formats[:_MOST_FORMATS])
        more = " and others" if len(self.time_formats) > _MOST_FORMATS else ""
        written = f" as {shown}{more}" if shown else ""
        zone = f"{',' if written else ''} taken to be in {self.zone}" if self.zone else ""
        return [*parts, f"times{written}{zone}"] if written or zone else parts

    @property
    def rows_left_out(self) -> str:
        """How many rows were left out, and why; empty if none was.

        >>> ReadAs(rows=9, left_out=(("activity", 1), ("time", 2))).rows_left_out
        '3 of 9 rows are left out: 1 has no activity, 2 have no time'
        """
        if not self.left_out:
            return ""
        why = ", ".join(f"{count:,} {'has' if count == 1 else 'have'} no {role}" for role, count in self.left_out)
        out = sum(count for _, count in self.left_out)
        return f"{out:,} of {self.rows:,} rows {'is' if out == 1 else 'are'} left out: {why}"
