"""The ledger: a private file that remembers all releases of the same people, and what they are promised in all.

One JSON object a line, and lines are only ever added. The first says that this is a ledger, and holds its salt. One
that *begins* a release is on disk before any noise is drawn, with all that the release may spend; another, before the
release appears, says how it ended: with a digest, or refused. So a run may be killed at any moment: what it began
counts, because nobody knows what was seen of it, and no release is without its line. Each line has a checksum over
itself and the line before it, so a line that was changed or taken out is found. A last line without its end is of a run
that was killed while it wrote; it had drawn no noise or shown nothing, and the next run takes the piece away.

*The same people* are whoever the ledger is kept for: all releases in one ledger add up. Whether two logs share cases is
not asked for that, because the answer, printed with the promise, would itself say of somebody that they are in both.
The fingerprints of cases are there to tell the owner, privately, what the logs share.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ..core.log import EventLog
from ..errors import OutputError, ParameterError, argument
from ..privacy.composition import Spent, Together
from ..privacy.random import unguessable
from ..version import VERSION
from .fingerprints import Fingerprint

_FORMAT = 1
_PRIVATE = 0o600
_CHECKSUM = 16  # digits


@dataclass(frozen=True)
class Entry:
    """A release in a ledger: how it was made, what it may have spent (None without a promise), and how it ended.

    `digest` is that of the release; `refused` says why there is none. Without both it was interrupted.
    """

    number: int
    time: str
    method: str
    delta: float
    parameters: dict[str, Any]
    spent: Spent | None
    version: str
    people: str
    publishes_all_paths: bool
    limit: float | None = None
    digest: str | None = None
    refused: str | None = None

    @property
    def outcome(self) -> str:
        """How it ended, in a word or two."""
        if self.digest is not None:
            return "released"
        return "refused" if self.refused is not None else "interrupted"


@dataclass
class Ledger:
    """What a ledger says: its releases, in order, and fingerprints of their cases, by name."""

    salt: bytes
    entries: list[Entry] = field(default_factory=list)
    people: dict[str, Fingerprint] = field(default_factory=dict)
    torn: bool = False

    @property
    def limit(self) -> float | None:
        """The limit that was given last, if any: it holds until another is given."""
        return next((each.limit for each in reversed(self.entries) if each.limit is not None), None)

    @property
    def unpromised(self) -> list[Entry]:
        """The releases that promise nothing that could be added up."""
        return [each for each in self.entries if each.spent is None]

    def together(self, more: Spent | None = None, delta: float = 0.0) -> Together | None:
        """What all releases with a promise may add together, and one more if it is given; None if there are none."""
        spent = [each.spent for each in self.entries if each.spent is not None]
        deltas = [each.delta for each in self.entries if each.spent is not None]
        if more is not None:
            spent, deltas = [*spent, more], [*deltas, delta]
        return Together.of(spent, deltas) if spent else None


def read_ledger(path: str | os.PathLike[str]) -> Ledger:
    """What the ledger in a file says; raises `OutputError` if it is none, or is damaged."""
    name = os.fspath(path)
    with _one_line_errors(name, "check the name"), Path(name).open("rb") as file:
        return _parsed(file.read(), name)


class OpenLedger:
    """A ledger that nobody else may read or write meanwhile, at the end of which lines can be added."""

    def __init__(self, name: str, *, may_be_new: bool = True) -> None:
        self._name = name
        made = os.O_CREAT if may_be_new else 0
        self._file = os.open(name, os.O_RDWR | made | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), _PRIVATE)
        try:
            _lock(self._file)
            content = self._content()
            if not content.rpartition(b"\n")[0]:
                self._refuse_other(content)
                self._begin()
                content = self._content()
            self.ledger = _parsed(content, name)
            os.fchmod(self._file, _PRIVATE)
            if self.ledger.torn:
                os.ftruncate(self._file, content.rindex(b"\n") + 1)
            self._checksum = _checksum_of(content[: content.rindex(b"\n")].rpartition(b"\n")[2])
        except BaseException:
            self.close()
            raise

    def _content(self) -> bytes:
        size = os.fstat(self._file).st_size
        parts: list[bytes] = []
        os.lseek(self._file, 0, os.SEEK_SET)
        while part := os.read(self._file, max(1, size)):
            parts.append(part)
        return b"".join(parts)

    def _refuse_other(self, content: bytes) -> None:
        """A file without a whole line is new, or what is left of a run that was killed while it made the ledger."""
        if not _line({"ledger": "unsingle"}, "").startswith(content[:20]):
            raise _foreign(self._name)
        os.ftruncate(self._file, 0)

    def _begin(self) -> None:
        self._checksum = ""
        self.add({"ledger": "unsingle", "format": _FORMAT, "salt": unguessable()})
        with contextlib.suppress(OSError):  # not all systems can do so for folders
            folder = os.open(Path(self._name).resolve().parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def add(self, said: dict[str, Any]) -> None:
        """Add a line; it is on disk when this returns."""
        line = _line(said, self._checksum)
        left = memoryview(line)
        while left:
            left = left[os.write(self._file, left) :]
        os.fsync(self._file)
        self._checksum = _checksum_of(line.rstrip(b"\n"))

    def close(self) -> None:
        """Let others read it."""
        os.close(self._file)

    def __enter__(self) -> OpenLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class Plan:
    """A release that is to be made: how, and what it may spend; None if it promises nothing that could be added up."""

    method: str
    delta: float
    parameters: dict[str, Any]
    spent: Spent | None
    publishes_all_paths: bool


@dataclass(frozen=True)
class Begun:
    """A release that was begun, and what it was written down beside. `earlier` and `shared` are private."""

    name: str
    entry: Entry
    together: Together | None
    earlier: Ledger
    fingerprint: Fingerprint

    @property
    def releases(self) -> int:
        """How many releases there are with this one."""
        return len(self.entries)

    @property
    def entries(self) -> list[Entry]:
        """All releases, with this one."""
        return [*self.earlier.entries, self.entry]

    @property
    def methods_without_promise(self) -> list[str]:
        """The methods of releases that promise nothing that could be added up."""
        return [each.method for each in self.entries if each.spent is None]

    @property
    def publishing_all_paths(self) -> int:
        """How many releases publish all paths of their logs."""
        return sum(each.publishes_all_paths for each in self.entries)

    def end(self, **outcome: str) -> None:
        """Write down how it ended; raises `OutputError` if that cannot be done, and then nothing may appear."""
        with _one_line_errors(self.name, _COUNTS), OpenLedger(self.name, may_be_new=False) as ledger:
            if self.entry not in ledger.ledger.entries:
                raise OutputError(f"{self.name}: is another ledger than before: {_COUNTS}")
            ledger.add({"ended": self.entry.number, "time": _now(), **outcome})


_COUNTS = "the release was begun and counts, but it does not appear"


def begin(name: str | os.PathLike[str], log: EventLog, plan: Plan, limit: float | None) -> Begun:
    """Write down that a release is begun, with all that it may spend, before any noise is drawn.

    Raises `ParameterError` if all releases together would go beyond the limit.
    """
    name = os.fspath(name)
    with _opened(name) as opened:
        ledger = opened.ledger
        found = Fingerprint.of(log, ledger.salt)
        all_ = ledger.together(plan.spent, plan.delta)
        _refuse_beyond(ledger, plan, all_, ledger.limit if limit is None else limit)
        if found.name not in ledger.people:
            opened.add({"people": found.name, "cases": found.size, "hashes": found.text()})
        number = 1 + max((each.number for each in ledger.entries), default=0)
        entry = Entry(version=VERSION, number=number, time=_now(), people=found.name, limit=limit, **plan.__dict__)
        opened.add(_written(entry))
    return Begun(name, entry, all_, ledger, found)


@contextlib.contextmanager
def written_down(begun: Begun | None) -> Iterator[None]:
    """Write down that a release was refused or interrupted, if it was."""
    try:
        yield
    except BaseException as error:
        if begun is not None:
            begun.end(refused=type(error).__name__)
            error.add_note("it was written into the ledger, and counts")
        raise


def check_ledger(ledger: object, limit: float | None, seed: int | None) -> None:
    """Refuse a limit that is none, or that nothing is held against, and a seed, with which nothing is promised."""
    if ledger is not None and seed is not None:
        raise ParameterError(
            f"a release with a seed may not be published, so it is not for a ledger: leave out {argument('seed')} or "
            f"{argument('ledger')}"
        )
    if limit is None:
        return
    if ledger is None:
        raise ParameterError(f"{argument('limit')} needs a ledger: name one with {argument('ledger')}")
    checked_limit(limit)


def checked_limit(limit: float) -> float:
    """A limit that can be one; raises `ParameterError` otherwise."""
    if not isinstance(cast(object, limit), int | float) or isinstance(limit, bool) or not 0 < limit < 1:
        raise ParameterError(f"{argument('limit')} must be a number between 0 and 1 (not {limit!r})")
    return float(limit)


def _refuse_beyond(ledger: Ledger, plan: Plan, all_: Together | None, limit: float | None) -> None:
    if limit is None:
        return
    without = [*(each.method for each in ledger.unpromised), *([plan.method] if plan.spent is None else [])]
    if without:
        raise ParameterError(
            f"the limit of {limit:g} cannot be kept: a release by {without[0]} promises nothing that could be added up"
        )
    assert all_ is not None, "there is at least the release that is planned"
    if all_.added > limit * (1 + 1e-9):
        before = ledger.together()
        raise ParameterError(
            f"beyond the limit of {limit:g}: with this one, the releases of these people may add {_up(all_.added)} "
            f"together ({'nothing' if before is None else _up(before.added)} so far); take a smaller delta, or another "
            f"{argument('limit')}. Nothing was drawn"
        )


def _up(value: float) -> str:
    from ..core.wording import at_most

    return at_most(value, 3)


def _written(entry: Entry) -> dict[str, Any]:
    """A line that says that a release is begun."""
    said = {"begun": entry.number, **{name: getattr(entry, name) for name in _SAID}, "limit": entry.limit}
    return {**said, "spent": None if entry.spent is None else entry.spent.to_dict()}


_SAID = ("time", "method", "delta", "parameters", "version", "people", "publishes_all_paths")


def _parsed(content: bytes, name: str) -> Ledger:
    """What the lines say, each checked against the one before."""
    whole, end, piece = content.rpartition(b"\n")
    if not end:
        raise _foreign(name)
    lines, checksum = whole.split(b"\n"), ""
    ledger = _first(lines[0], name)
    for number, line in enumerate(lines, start=1):
        try:
            said = _checked_line(line, checksum)
            if number > 1:
                _take(ledger, said)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise OutputError(
                f"{name}: line {number} of this ledger was changed or is damaged, or lines before it are missing: get "
                "a whole copy; without it nobody knows what these people were promised"
            ) from None
        checksum = said["check"]
    ledger.torn = bool(piece)
    return ledger


def _first(line: bytes, name: str) -> Ledger:
    """A ledger that begins with this line."""
    try:
        said = json.loads(line)
        known = said.get("ledger") == "unsingle"
        ledger = Ledger(bytes.fromhex(said["salt"])) if known else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _foreign(name) from None
    if ledger is None:
        raise _foreign(name)
    if said.get("format") != _FORMAT:
        raise OutputError(f"{name}: this ledger was written by a newer version of unsingle: install that")
    return ledger


def _checked_line(line: bytes, before: str) -> dict[str, Any]:
    """What a line says; raises `ValueError` if its checksum is wrong."""
    said: dict[str, Any] = json.loads(line)
    if _line({name: value for name, value in said.items() if name != "check"}, before) != line + b"\n":
        raise ValueError
    return said


def _take(ledger: Ledger, said: dict[str, Any]) -> None:
    """Take one more line into a ledger."""
    if "hashes" in said:
        ledger.people[said["people"]] = Fingerprint.from_text(said["hashes"])
    elif "begun" in said:
        spent = None if said["spent"] is None else Spent.from_dict(said["spent"])
        found = {name: said[name] for name in _SAID}
        ledger.entries.append(Entry(number=said["begun"], spent=spent, limit=said.get("limit"), **found))
    else:
        place = {each.number: place for place, each in enumerate(ledger.entries)}[said["ended"]]
        ended = replace(ledger.entries[place], digest=said.get("digest"), refused=said.get("refused"))
        ledger.entries[place] = ended


def _line(said: dict[str, Any], before: str) -> bytes:
    """A line with its checksum, which is also over that of the line before."""
    check = hashlib.sha256(f"{before}{json.dumps(said)}".encode()).hexdigest()[:_CHECKSUM]
    return json.dumps({**said, "check": check}).encode() + b"\n"


def _checksum_of(line: bytes) -> str:
    return str(json.loads(line)["check"])


@contextlib.contextmanager
def _opened(name: str) -> Iterator[OpenLedger]:
    with _one_line_errors(name, "nothing was drawn"), OpenLedger(name) as ledger:
        yield ledger


def _lock(file: int) -> None:
    """Wait until nobody else has the ledger; its lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - not on this system
        raise ParameterError("a ledger needs a system on which files can be locked (Linux, macOS)") from None
    fcntl.flock(file, fcntl.LOCK_EX)


def _foreign(name: str) -> OutputError:
    return OutputError(f"{name}: is not a ledger of unsingle: name another file, or a new one, for the ledger")


@contextlib.contextmanager
def _one_line_errors(name: str, so: str) -> Iterator[None]:
    """Say in one line that the ledger cannot be used, and what that means."""
    try:
        yield
    except FileNotFoundError:
        raise OutputError(f"{name}: there is no such file, or no such folder: {so}") from None
    except OSError as error:
        raise OutputError(f"{name}: the ledger cannot be used ({error.strerror or error}): {so}") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
