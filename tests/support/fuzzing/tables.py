"""CSV, against Python's own reader in strict mode."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

from unsingle.errors import ColumnError
from unsingle.formats import read_log
from unsingle.formats.csv.reader import CsvText, whole_text
from unsingle.formats.opened import opened

from .base import ACTIVITY, CASE, NAMES, TIME, Events, Input, Refused, Row, damaged, events_in, is_blank
from .times import a_time

_LABELS = ("A", "B", "Triage", " spaced ", "a,b", "a;b", 'say "hi"', '5" pipe', "two\nlines", "two\r\nlines",
           "cr\rcr", "Prüfung", "日本", "C:\\dir", "=1+1", "tab\there", "|", "\u2028", "\x85", "0", "NA", "null",
           "''", "")  # fmt: skip
_CASES = ("1", "2", "1", "case 3", "A", "00", "1.0", '"1"', "ü", "1 ", "nan")
_TOKENS = (b'"', b'""', b'\\"', b"\\", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\n\n", b"\0",
           b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xa0", b"\xc2\xa0", b" ", b"'", b"case,activity,time\n",
           b'","', b'"\n"', b"1,A,2024-01-01\n", b"sep=;\n", b"0", b"-", b":", b"+02:", b"\x1c", b"\x0b",
           b"\xe2\x80\xa8", b"#")  # fmt: skip
_SEPARATORS = ",;\t|"


_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "cp1252")  # beside plain UTF-8
_LETTER_OF_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


class Tables:
    """CSV of a few rows: encodings, separators, line ends, quotation marks where they must or may be, odd labels."""

    name, suffix = "csv", ".csv"

    def make(self, random: Random) -> Input:
        escape = "backslash" if random.random() < 0.15 else "double"
        text = _table(random, escape)
        content = text.encode(random.choice(_ENCODINGS), "replace") if random.random() < 0.2 else text.encode()
        if random.random() < 0.7:
            content = damaged(random, content, _TOKENS)
        return Input(content, {"escape": escape}, piece=random.choice((1, 7, 1 << 20, 1 << 20)))

    def ours(self, path: Path, given: Input, *, whole: bool) -> list[Row] | Events:
        if whole:
            log = read_log(path, case=CASE, activity=ACTIVITY, time=TIME, allow_line_ends=True, **given.options)
            return events_in(log)
        table = CsvText(whole_text(opened(path, "csv").source), "it", given.options["escape"])
        if any(table.names.count(name) != 1 for name in NAMES):
            raise ColumnError("not these columns")
        frame, _ = table.read(list(NAMES))
        return [tuple(cell or "" for cell in row) for row in frame.rows()]

    def oracle(self, given: Input) -> Sequence[list[Row]]:
        text = _decoded(given.content)
        text, separators = _without_mark(text.lstrip("\r\n"))
        readings, reasons = [], []
        for separator in separators:
            try:
                readings.append(_rows(text, separator, given.options["escape"]))
            except (csv.Error, Refused) as error:
                reasons.append(str(error))
        if not readings:
            raise Refused("; ".join(dict.fromkeys(reasons)))
        return readings

    def rule(self, given: Input, _refused: str) -> str | None:
        if given.options["escape"] == "backslash" and re.search(rb'\\[^\\"]|\\$', given.content):
            return "Python drops a backslash before other letters, we keep it"
        return None


def _decoded(content: bytes) -> str:
    """The text, by Python's own codecs: UTF-8, UTF-16 by its mark or its zeros, or cp1252 with no letter of UTF-8."""
    zeros = [byte == 0 for byte in content[:4]]
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        codec = "utf-16"
    elif zeros in ([False, True] * 2, [True, False] * 2):
        codec = "utf-16-le" if zeros[1] else "utf-16-be"
    else:
        codec = "utf-8"
    try:
        return content.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        if codec != "utf-8" or _LETTER_OF_UTF8.search(content):
            raise Refused(str(error)) from None
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        raise Refused(str(error)) from None


def _without_mark(text: str) -> tuple[str, str]:
    """The text without the line by which Excel names the separator, and the separators that there may be."""
    mark = re.match(r"(?i:sep=)([^\r\n])(?:\r*\n|\r)", text)
    return (text[mark.end() :], mark[1]) if mark else (text, _SEPARATORS)


def _rows(text: str, separator: str, escape: str) -> list[Row]:
    how = {"escapechar": "\\"} if escape == "backslash" else {}
    if escape == "backslash" and re.search(r'\\[^\\"]|\\$', text):
        raise Refused("a backslash before something else")
    records = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, **how)
    header = next(records, [])
    if any(header.count(name) != 1 for name in NAMES):
        raise Refused("not these columns")
    rows = [row for row in records if not all(map(is_blank, row))]
    if any(len(row) > len(header) and row[len(header) :] != [""] for row in rows):  # but a separator at the end
        raise Refused("a row has more cells than the header")
    places = [header.index(name) for name in NAMES]
    return [tuple(row[place] if place < len(row) else "" for place in places) for row in rows]


def _table(random: Random, escape: str) -> str:
    separator = random.choice((",", ",", ";", "\t", "|"))
    end = random.choice(("\n", "\n", "\n", "\r\n", "\r\n", "\r"))
    names = list(NAMES) + random.choice(([], [], ["note"], ["x", "y"]))
    if random.random() < 0.3:
        random.shuffle(names)
    plain = random.random() < 0.5
    rows = [names]
    for _ in range(random.choice((1, 2, 2, 3, 4, 6))):
        cells = {CASE: random.choice(_CASES), ACTIVITY: random.choice(_LABELS), TIME: a_time(random, plain=plain)}
        rows.append([cells.get(name, random.choice(("", "n", *_LABELS))) for name in names])
    always = random.random() < 0.2
    lines = [separator.join(_quoted(cell, separator, escape, always=always) for cell in row) for row in rows]
    for _ in range(random.choice((0, 0, 0, 0, 1, 2))):
        lines.insert(random.randrange(len(lines) + 1), random.choice(("", "", " ", separator, separator * 2)))
    if random.random() < 0.03:
        lines.insert(0, f"sep={separator}")
    return end.join(lines) + random.choice((end, end, "", end * 2))


def _quoted(cell: str, separator: str, escape: str, *, always: bool) -> str:
    if escape == "backslash":
        marked = cell.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{marked}"' if always or marked != cell or set(cell) & {separator, "\n", "\r"} else cell
    return '"' + cell.replace('"', '""') + '"' if always or set(cell) & {separator, '"', "\n", "\r"} else cell
