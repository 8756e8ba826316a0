"""Encodings: what was written is recognised, one cell never changes how others are read, and marks stay marks."""

from __future__ import annotations

import codecs
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, examples
from unsingle import EventLog, FormatError, ParameterError, anonymize, read_log, write_log
from unsingle.formats.encodings import CP1252, OFFERED, UTF8, UTF16, Utf8, checked_encoding
from unsingle.formats.preview import preview_log

GERMAN = "Fall;Tätigkeit;Zeit\n1;Prüfung „groß“;2024-01-31\n1;Ende – fertig;2024-02-01\n"
LATIN = "äöüßéèñçÄÖÜ€„“–’".replace("ß“", "")
WRITTEN = {
    "utf-8": (GERMAN.encode(), UTF8),
    "utf-8 with a mark": (GERMAN.encode("utf-8-sig"), UTF8),
    "utf-16": (GERMAN.encode("utf-16"), UTF16),
    "utf-16 the other way": (codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be"), UTF16),
    "utf-16 without a mark": (GERMAN.encode("utf-16-le"), UTF16),
    "utf-16 the other way without a mark": (GERMAN.encode("utf-16-be"), UTF16),
    "cp1252": (GERMAN.replace("ß“", "ss“").encode("cp1252"), CP1252),
}


def read(content: bytes, tmp_path: Path, **options: Any) -> EventLog:
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    return read_log(path, **options)


def pieces_of(content: bytes, size: int) -> list[bytes]:
    edges = [*range(0, len(content), size), len(content)]
    return [content[a:b] for a, b in pairwise(edges)]


@pytest.mark.parametrize(("content", "encoding"), WRITTEN.values(), ids=WRITTEN)
def test_an_export_is_read_as_what_it_is_and_this_is_said(content: bytes, encoding: str, tmp_path: Path) -> None:
    log = read(content, tmp_path)
    assert [path for path, _ in cases_of(log)] == [
        ("Prüfung „groß“".replace("ß", "ß" if encoding != CP1252 else "ss"), "Ende – fertig")
    ]
    assert log.source is not None
    assert log.source.read_as.encoding == encoding
    shown = preview_log(tmp_path / "log.csv")
    assert shown.encoding == encoding
    assert shown.rows[1][1] == "Ende – fertig"
    assert shown.names == ("Fall", "Tätigkeit", "Zeit")


@examples(200)
@given(st.text(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.integers(1, 9))
def test_what_is_written_comes_back_whatever_the_pieces(text: str, codec: str, size: int) -> None:
    content = ("x" + text).encode(codec)
    found = Utf8(pieces_of(content, max(size, 4)), "it")
    assert b"".join(found).decode("utf-8-sig") == "x" + text
    assert found.encoding == (UTF16 if codec == "utf-16" else UTF8)


@examples(200)
@given(st.text('a;"\n' + LATIN, min_size=1), st.integers(1, 9))
def test_cp1252_comes_back_or_is_refused_where_some_of_it_could_be_utf_8(text: str, size: int) -> None:
    pieces = pieces_of(text.encode("cp1252"), size)
    found = Utf8(pieces, "it")
    try:
        read_back = b"".join(found).decode()
    except FormatError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
        with pytest.raises(FormatError):  # whatever the pieces
            b"".join(Utf8([b"".join(pieces)], "it"))
        return
    if found.encoding == CP1252:
        assert read_back == text
    else:  # it happens to be UTF-8, to the last letter
        assert read_back == text.encode("cp1252").decode("utf-8")


CELLS = st.lists(
    st.sampled_from(
        [b"a", b"\xc3\xa4", b"\xe4", b"\xdf\x93", b"\xff", b"\x80", b"\xe2\x82\xac", b"\xc3", b"\x81", b'"']
    )
)


@examples(500)
@given(CELLS, CELLS, CELLS, st.integers(1, 5))
def test_one_cell_never_changes_how_the_others_are_read(
    before: list[bytes], cell: list[bytes], after: list[bytes], size: int
) -> None:
    """Two files that differ in one cell: where both can be read, all other cells are read alike."""
    lines = [b"".join(each) for each in (before, after)]
    readings = []
    for between in (b"", b"".join(cell)):
        content = b"case\n" + lines[0] + b"\n" + between + b"\n" + lines[1] + b"\n"
        try:
            readings.append(b"".join(Utf8(pieces_of(content, max(size, 4)), "it")).decode().split("\n"))
        except FormatError:
            return
    assert (readings[0][1], readings[0][3]) == (readings[1][1], readings[1][3])


@pytest.mark.parametrize("encoding", [*OFFERED, "latin-1", "utf-8-sig", "cp037", "utf-32"])
def test_an_encoding_that_is_named_is_taken(encoding: str, tmp_path: Path) -> None:
    text = "case,activity,time\n1,A,2024-01-01\n".replace("\n", "\x85" if encoding == "cp037" else "\n")
    content = text.replace("\x85", "\r").encode(encoding)
    log = read(content, tmp_path, encoding=encoding.upper())
    assert log.labels == ("A",)
    assert log.source is not None
    assert log.source.read_as.encoding == checked_encoding(encoding)


def test_naming_an_encoding_settles_what_is_not_clear(tmp_path: Path) -> None:
    unclear = "case,activity,time\n1,„Spaß“ é,2024-01-01\n".encode("cp1252")
    with pytest.raises(FormatError, match=r"line 2 has letters in UTF-8, .* give encoding='cp1252'"):
        read(unclear, tmp_path)
    assert read(unclear, tmp_path, encoding="cp1252").labels == ("„Spaß“ é",)
    with pytest.raises(FormatError, match=r"line 2 is not UTF-8 \(byte 0x84\): give another encoding="):
        read(unclear, tmp_path, encoding="utf-8")


@pytest.mark.parametrize("name", ["klingon", "hex", "rot13", "idna", "unicode_escape", "", "\0"])
def test_what_is_no_encoding_is_refused_before_any_work(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"unknown encoding .* give encoding= a name such as UTF-8, cp1252"):
        read(b"no log", tmp_path, encoding=name)


def test_formats_that_say_their_encoding_themselves_take_none(tmp_path: Path) -> None:
    import polars as pl

    with pytest.raises(ParameterError, match=r"XES says itself how its text is written: leave encoding= out"):
        read_log(tmp_path / "log.xes", encoding="cp1252")
    with pytest.raises(ParameterError, match="encoding= is for files: leave it out"):
        read_log(pl.DataFrame(), encoding="cp1252")


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "cp1252"])
def test_a_mark_out_of_place_is_refused_in_every_encoding(codec: str, tmp_path: Path) -> None:
    rows = "".join(f"{i},2024-01-02,„geheim“ {i}\n" for i in range(19))
    text = f'case,time,activity\n1,2024-01-01,"A\n{rows}1,2024-01-01,"B"\n'
    with pytest.raises(FormatError, match=r"line 22 .* a quotation mark inside a cell that begins on line 2"):
        read(text.encode(codec), tmp_path)


def test_letters_that_hold_the_byte_of_a_mark_are_no_marks(tmp_path: Path) -> None:
    text = "case,activity,time\n1,∢ ⁂ Ģ,2024-01-01\n"  # U+2222, U+2042 and U+0122 have bytes of marks
    assert read(text.encode("utf-16"), tmp_path).labels == ("∢ ⁂ Ģ",)


def test_nothing_of_the_encoding_is_in_a_release(tmp_path: Path) -> None:
    rows = "".join(
        f"{case};{'Prüfung' if case % 2 else 'Öl'};2024-01-{day:02}\n" for case in range(40) for day in (1, 2)
    )
    text = f"Fall;Tätigkeit;Zeit\n{rows}"
    written, told = set(), set()
    for codec in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        log = read(text.encode(codec), tmp_path)
        release = anonymize(log, delta=0.2, seed=1)
        assert release.log.source is None
        write_log(release.log, tmp_path / "release.xes", force=True)
        written.add((tmp_path / "release.xes").read_bytes())
        told.add(str(release.public()))
    assert (len(written), len(told)) == (1, 1)
