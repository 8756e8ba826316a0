"""What a Parquet file says of itself, looked at in Python alone: its columns, its rows, and the checksums of its pages.

A reader in a faster language may end the whole process over a number that is wrong; this one cannot.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from mmap import mmap
from typing import Any, NamedTuple

from isal import isal_zlib

from ..apart import Damaged

_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
_DEEPEST = 60  # levels of structures in structures
_LONGEST = 8 << 20  # bytes of a footer that is looked through for pages; to read more in Python would take seconds

# Kinds of values in Thrift's compact protocol, and numbers of fields in Parquet's structures.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_SCHEMA, _ROWS, _GROUPS, _METADATA = 2, 3, 4, 5
_KEY, _TEXT = 1, 2
_NAME, _CHILDREN = 4, 5
_CHUNKS, _META = 1, 3
_PATH, _CODEC, _VALUES, _DATA_AT, _DICTIONARY_AT = 3, 4, 5, 9, 11
_SIZE, _CHECKSUM, _DATA, _DATA_V2, _PAGE_VALUES = 3, 4, 5, 8, 1
_LEVELS, _COMPRESSED = (5, 6), 7  # of a page of version 2: bytes before its data, and whether this is compressed
_GZIP, _GZIP_OR_ZLIB = 2, 47  # a codec, and what its data may be
_PIECE = 1 << 20

Bytes = bytes | mmap


class Outline(NamedTuple):
    """The columns and the number of rows of a file, and where its footer begins."""

    names: list[str]
    rows: int
    footer: int


def outline_of(data: Bytes) -> Outline:
    """What the footer says."""
    size = len(data)
    if data[:4] == _ENCRYPTED or data[-4:] == _ENCRYPTED:
        raise Damaged("it is encrypted")
    if size < 12 or data[:4] != _MAGIC or data[-4:] != _MAGIC:
        raise Damaged("it does not begin and end with PAR1")
    footer = size - 8 - int.from_bytes(data[size - 8 : size - 4], "little")
    if footer < 4:
        raise Damaged("its footer is longer than the file")
    found = _checked(_Thrift(data, footer).struct, {_SCHEMA, _ROWS})
    schema, rows = found.get(_SCHEMA), found.get(_ROWS)
    if not isinstance(schema, list) or not isinstance(rows, int) or rows < 0:
        raise Damaged("its footer cannot be read")
    return Outline(_checked(_names, schema), rows, footer)


def check_pages(data: Bytes, outline: Outline, names: Collection[str]) -> None:
    """Check the pages of these columns that have a checksum, and that all lie within the file."""
    if len(data) - outline.footer > _LONGEST:
        return
    groups = _checked(_Thrift(data, outline.footer).struct, {_GROUPS}).get(_GROUPS, [])
    for name, chunk in _checked(lambda: list(_chunks(groups))):
        if name in names:
            _checked(_check_chunk, data, outline, name, chunk)


def metadata_of(data: Bytes, outline: Outline) -> dict[str, str]:
    """What else a file says of itself, by key."""
    if len(data) - outline.footer > _LONGEST:
        return {}
    return _checked(_metadata, _checked(_Thrift(data, outline.footer).struct, {_METADATA}).get(_METADATA, []))


def _checked(read: Any, *given: Any) -> Any:
    """What is read; whatever is wrong with its bytes is damage."""
    try:
        return read(*given)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError):
        raise Damaged("its structure cannot be read") from None


def _names(schema: list[dict[int, Any]]) -> list[str]:
    """The columns at the top: the first entry says how many there are, and each says how many entries lie below it."""
    names, at = [], 1
    for _ in range(schema[0][_CHILDREN]):
        names.append(schema[at][_NAME].decode())
        open_ = 1
        while open_:
            open_ += schema[at].get(_CHILDREN, 0) - 1
            at += 1
    return names


def _metadata(pairs: list[dict[int, Any]]) -> dict[str, str]:
    """Keys and texts; what is no text is none of ours."""
    return {pair[_KEY].decode(): pair.get(_TEXT, b"").decode(errors="replace") for pair in pairs}


def _chunks(groups: list[dict[int, Any]]) -> Iterator[tuple[str, dict[int, Any]]]:
    for group in groups:
        for chunk in group[_CHUNKS]:
            meta = chunk[_META]
            yield meta[_PATH][0].decode(), meta


def _check_chunk(data: Bytes, outline: Outline, name: str, chunk: dict[int, Any]) -> None:
    at, left = chunk.get(_DICTIONARY_AT) or chunk[_DATA_AT], chunk[_VALUES]
    while left > 0:
        thrift = _Thrift(data, at)
        header: dict[int, Any] = thrift.struct() if at >= len(_MAGIC) else {_SIZE: -1}
        size, end = header[_SIZE], thrift.at + header[_SIZE]
        if size < 0 or end > outline.footer:
            raise Damaged(f"a page of column {name!r} goes beyond its end")
        checksum = header.get(_CHECKSUM)
        page = data[thrift.at : end]
        intact = checksum is None or zlib.crc32(page) == checksum & 0xFFFFFFFF
        if not intact or (chunk[_CODEC] == _GZIP and not _is_whole_gzip(page, header.get(_DATA_V2, {}))):
            raise Damaged(f"a page of column {name!r} does not have the checksum that it should have")
        if _DATA_V2 in header and len(chunk[_PATH]) == 1 and not _tells_what_is_missing(page, header[_DATA_V2]):
            raise Damaged(f"a page of column {name!r} does not say which of its values are missing")
        of_data = header.get(_DATA) or header.get(_DATA_V2)
        left -= of_data[_PAGE_VALUES] if of_data else 0
        at = end


def _is_whole_gzip(page: bytes, of_data: dict[int, Any]) -> bool:
    """Whether the checksum that gzip itself has at the end is right, which faster readers leave out."""
    if not of_data.get(_COMPRESSED, True):
        return True
    packed = page[sum(of_data.get(levels, 0) for levels in _LEVELS) :]
    unpacked = isal_zlib.decompressobj(wbits=_GZIP_OR_ZLIB)
    try:
        while packed and not unpacked.eof:
            unpacked.decompress(packed, _PIECE)
            packed = unpacked.unconsumed_tail
    except isal_zlib.error:  # type: ignore[misc] # its stub calls the class a function
        return False
    return unpacked.eof


def _tells_what_is_missing(page: bytes, of_data: dict[int, Any]) -> bool:
    """Whether the levels of a page of version 2 are there for all values, each 0 or 1, in runs or eight in a byte."""
    definition, repetition = (of_data.get(levels, 0) for levels in _LEVELS)
    levels = _Thrift(page[repetition : repetition + definition], 0)
    left = of_data[_PAGE_VALUES] if definition else 0
    while left > 0:
        run, packed = divmod(levels.unsigned(), 2)
        if run == 0 or (not packed and levels.byte() > 1):
            return False
        if packed:
            levels.take(run)
        left -= run * 8 if packed else run
    return True


class _Thrift:
    """Reads structures of Thrift's compact protocol, as dictionaries by the number of the field."""

    def __init__(self, data: Bytes, at: int) -> None:
        self._data, self.at, self._depth = data, at, 0

    def struct(self, only: Collection[int] = ()) -> dict[int, Any]:
        """The structure that begins here; with `only`, it ends when it has these fields."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("too deep")
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            kind, step = head & 15, head >> 4
            number = number + step if step else self._signed()
            fields[number] = self._value(kind)
            if only and fields.keys() >= set(only):
                break
        self._depth -= 1
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self.byte()
        if kind == _DOUBLE:
            return self.take(8)
        if kind == _BINARY:
            return self.take(self.unsigned())
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _MAP:
            return self._map()
        if kind == _STRUCT:
            return self.struct()
        if kind in (4, 5, 6):  # whole numbers
            return self._signed()
        raise ValueError("unknown kind")

    def _list(self) -> list[Any]:
        head = self.byte()
        size, kind = head >> 4, head & 15
        size = self.unsigned() if size == 15 else size
        return [self._element(kind) for _ in range(size)]

    def _map(self) -> None:
        if size := self.unsigned():
            kinds = self.byte()
            for _ in range(size):
                self._element(kinds >> 4)
                self._element(kinds & 15)

    def _element(self, kind: int) -> Any:
        """A value that is not a field: there, truth takes a byte of its own."""
        return self.byte() if kind in (_TRUE, _FALSE) else self._value(kind)

    def _signed(self) -> int:
        number = self.unsigned()
        return (number >> 1) ^ -(number & 1)

    def unsigned(self) -> int:
        """A whole number without a sign, seven bits in a byte."""
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise ValueError("too long a number")

    def byte(self) -> int:
        """The next byte."""
        byte = self._data[self.at]
        self.at += 1
        return byte

    def take(self, size: int) -> bytes:
        """So many bytes."""
        found = self._data[self.at : self.at + size]
        if len(found) < size:
            raise IndexError("beyond the end")
        self.at += size
        return found
