"""Quotation marks of CSV, looked at before anything is read: one out of place swallows all rows up to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Ints
from ...errors import argument

_MARK, _BACKSLASH = ord('"'), ord("\\")
_ENDS_CELL = ',;\t|\r\n"'  # what a backslash outside quotation marks must not take the meaning of
_BLOCK = 1 << 18

_TWICE = 'write a mark inside a cell twice ("") and the cell in quotation marks'


class Misplaced(Exception):  # noqa: N818 - it becomes another error, with the line
    """A place in the text where it is not clear what a cell is, what is there, what to do, and where the cell began."""

    def __init__(self, place: int, what: str, advice: str = _TWICE, cell: int | None = None) -> None:
        super().__init__(what)
        self.place, self.what, self.advice, self.cell = place, what, advice, place if cell is None else cell


def refuse_misplaced(text: bytes, separator: str) -> None:
    """Check that every first mark opens a cell and every second one closes it.

    A mark written twice inside a cell closes it and opens it again at once, so it is in order.

    >>> refuse_misplaced(b'1,"say ""hi"", twice"', ",")
    """
    byte = np.frombuffer(text, dtype=np.uint8)
    beside = _table_of(f'{separator}\r\n"')
    marks, last = 0, 0
    for begin in range(0, len(byte), _BLOCK):
        here = np.flatnonzero(byte[begin : begin + _BLOCK] == _MARK) + begin
        opening, closing = here[marks % 2 :: 2], here[1 - marks % 2 :: 2]
        # at the ends of the text it is the mark itself that is looked at, which is in order
        wrong = [
            opening[~beside[byte.take(opening - 1, mode="clip")]],
            closing[~beside[byte.take(closing + 1, mode="clip")]],
        ]
        if first := min((int(places[0]) for places in wrong if len(places)), default=0):
            raise _misplaced(text, first, "a quotation mark inside a cell")
        marks, last = marks + len(here), int(here[-1]) if len(here) else last
    if marks % 2:
        raise _misplaced(text, last, "a quotation mark that is never closed")


def _misplaced(text: bytes, place: int, what: str) -> Misplaced:
    """Why a mark is out of place; a backslash before it, or before the one that went wrong unseen, tells."""
    escaped = text.rfind(b'\\"', 0, place + 1)
    if escaped >= 0:
        advice = f"give {argument('escape', 'backslash')}, or {_TWICE}"
        return Misplaced(escaped, "a quotation mark behind a backslash", advice)
    byte = np.frombuffer(text, dtype=np.uint8)
    marks = np.flatnonzero(byte[:place] == _MARK)
    begun = marks[::2][byte.take(marks[::2] - 1, mode="clip") != _MARK] if len(marks) % 2 else marks[:0]
    return Misplaced(place, what, cell=int(begun[-1]) if len(begun) else None)


def refuse_lone_returns(text: bytes) -> None:
    r"""Check that outside of quotation marks a carriage return is followed by a line feed: else it may be a line's end.

    >>> refuse_lone_returns(b'1,"two\rlines"\r\n')
    """
    if b"\r" not in text:
        return
    byte = np.frombuffer(text, dtype=np.uint8)
    returns = np.flatnonzero(byte[:-1] == ord("\r"))
    lone = returns[byte[returns + 1] != ord("\n")]
    if len(lone) and len(outside := _outside(np.flatnonzero(byte == _MARK), lone)):
        raise Misplaced(
            int(outside[0]), "a carriage return that ends no line", "save the file with one kind of line ends"
        )


def has_empty_cells(text: bytes, separator: str) -> bool:
    """Whether two separators stand side by side; faster than to look for both as a text.

    >>> has_empty_cells(b"1,A,,x", ","), has_empty_cells(b"1,A,x,", ",")
    (True, False)
    """
    byte = np.frombuffer(text, dtype=np.uint8)
    for begin in range(0, len(byte), _BLOCK):
        found = byte[begin : begin + _BLOCK + 1] == ord(separator)
        if (found[1:] & found[:-1]).any():
            return True
    return False


def refuse_longer(text: bytes, separator: str, columns: int) -> None:
    r"""Check that no line has two cells more than there are columns; one is seen in the column that it makes.

    >>> refuse_longer(b"1,A,,\n2,B,,\n", ",", 3)
    """
    byte = np.frombuffer(text, dtype=np.uint8)
    marks, separators, begun = 0, 0, 0  # before the block: all marks, separators of the line, and where it begins
    for begin in range(0, len(byte), _BLOCK):
        block = byte[begin : begin + _BLOCK]
        place = np.flatnonzero((block == ord(separator)) | (block == ord("\n")))
        mark = np.flatnonzero(block == _MARK)
        if marks % 2 or len(mark):
            place = place[(np.searchsorted(mark, place) + marks) % 2 == 0]
        end = np.flatnonzero(block[place] == ord("\n"))
        counted = np.diff(end - np.arange(len(end)), prepend=-separators, append=len(place) - len(end))
        starts = np.concatenate(([begun], place[end] + begin + 1))
        longer = np.flatnonzero(counted > columns)
        if len(longer):
            advice = f"put cells that hold a {separator!r} in quotation marks"
            raise Misplaced(int(starts[longer[0]]), "more cells than the header", advice)
        marks, separators, begun = marks + len(mark), int(counted[-1]), int(starts[-1])


def with_line_feeds(text: bytes, escape: str = "double") -> bytes:
    r"""The text of a file whose lines end as old Macs wrote them; what stands in quotation marks stays as it is.

    >>> with_line_feeds(b'1,"two\rlines"\r2,one\r')
    b'1,"two\rlines"\n2,one\n'
    """
    byte = np.frombuffer(text, dtype=np.uint8).copy()
    marks = np.flatnonzero(byte == _MARK)
    if escape == "backslash":
        marks = np.setdiff1d(marks, _escapes(byte) + 1)
    byte[_outside(marks, np.flatnonzero(byte == ord("\r")))] = ord("\n")
    return byte.tobytes()


def _outside(marks: Ints, places: Ints) -> Ints:
    """Those places that have an even number of quotation marks before them."""
    return places[np.searchsorted(marks, places) % 2 == 0]


def with_doubled_marks(text: bytes) -> bytes:
    r"""The text with marks written twice that were written behind a backslash; of two backslashes one is left.

    A backslash before anything else is one. Lines stay where they are.

    >>> print(with_doubled_marks(rb'1,"5\" pipe","C:\\",\N').decode())
    1,"5"" pipe","C:\",\N
    """
    byte = np.frombuffer(text, dtype=np.uint8)
    escape = _escapes(byte)
    if not len(escape):
        return text
    following = byte[escape + 1]
    doubled = byte.copy()
    doubled[escape[following == _MARK]] = _MARK
    marks_before = np.searchsorted(np.flatnonzero(doubled == _MARK), escape)
    unclear = escape[(marks_before % 2 == 0) & _table_of(_ENDS_CELL)[following]]
    if len(unclear):
        raise Misplaced(int(unclear[0]), "a backslash before the end of a cell", "put the cell in quotation marks")
    return np.delete(doubled, escape[following == _BACKSLASH]).tobytes()


def _escapes(byte: NDArray[np.uint8]) -> Ints:
    """Where a backslash says something of what follows: in a row of them it is the first, the third ..."""
    place = np.flatnonzero(byte == _BACKSLASH)
    number = np.arange(len(place))
    begins = np.diff(place, prepend=-2) != 1
    in_row = number - np.maximum.accumulate(np.where(begins, number, 0))
    return place[(in_row % 2 == 0) & (place < len(byte) - 1)]


def _table_of(characters: str) -> NDArray[np.bool_]:
    """For each byte whether it is one of these characters."""
    table = np.zeros(256, dtype=np.bool_)
    table[list(characters.encode())] = True
    return table
