"""Bad input gets one line that says what, where and what to do, exit code 2, and nothing is written."""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from support.workbooks import workbook
from unsingle.cli.app import main

EVENT = (
    '<event><string key="concept:name" value="A"/><date key="time:timestamp" value="2024-01-01T00:00:00Z"/></event>\n'
)
TRACE = f'<trace><string key="concept:name" value="1"/>\n{EVENT}</trace>\n'
XES = f'<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0">\n{TRACE}</log>\n'
CSV = "case,activity,time\n1,A,2024-01-01\n"
NAMELESS = EVENT.replace('<string key="concept:name" value="A"/>', "")
TIMELESS = re.sub(r"<date[^>]*>", "", EVENT)
BOMB = '<!DOCTYPE log [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {after} "{f"&{before};" * 10}">' for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


def parquet(*, name: str = "activity", **columns: object) -> bytes:
    content = io.BytesIO()
    frame = {"case": ["1", "1"], "activity": ["A", "B"], "time": [datetime(2024, 1, 1)] * 2, **columns}
    pl.DataFrame(frame).rename({"activity": name}).write_parquet(content)
    return content.getvalue()


# name of the file, its content, and what the line must say
BAD: dict[str, tuple[str, str | bytes, str]] = {
    # nothing in it
    "empty xes": ("log.xes", "", "log.xes: the file is empty: get or export it again"),
    "empty csv": ("log.csv", "", "log.csv: the file is empty"),
    "empty parquet": ("log.parquet", "", "log.parquet: the file is empty"),
    "empty gz": ("log.xes.gz", gzip.compress(b""), "the file is empty"),
    "no byte of gz": ("log.csv.gz", "", "the file is empty"),
    "blank xes": ("log.xes", " \n\n", "the file is empty"),
    "blank csv": ("log.csv", "\r\n \r\n", "the file is empty"),
    "no traces": ("log.xes", XES.replace(TRACE, ""), "there are no events in it"),
    "empty traces": ("log.xes", XES.replace(EVENT, ""), "there are no events in it"),
    "header only": ("log.csv", "case,activity,time\n", "there are no events in it"),
    "header only, no line end": ("log.csv", "case,activity,time", "there are no events in it"),
    "rows without cells": ("log.csv", "case,activity,time\n,,\n\n,,\n", "there are no events in it"),
    "no rows": ("log.parquet", parquet(case=[], activity=[], time=[]), "there are no events in it"),
    # truncated or damaged
    "truncated xes": ("log.xes", XES[:-20],
        "the file ends early, at line 4, column 103, so it is truncated: get a whole copy"),
    "truncated in a tag": ("log.xes", XES[:100], "so it is truncated: get a whole copy"),
    "truncated in the declaration": ("log.xes", XES[:20], "so it is truncated: get a whole copy"),
    "truncated gz": ("log.xes.gz", gzip.compress(XES.encode())[:-9], "the gzip data is truncated or damaged"),
    "truncated gz of csv": ("log.csv.gz", gzip.compress(CSV.encode())[:15], "the gzip data is truncated or damaged"),
    "damaged gz": ("log.xes.gz", gzip.compress(XES.encode())[:-8] + bytes(8),
        "the gzip data is truncated or damaged (CRC"),
    "gz and more": ("log.csv.gz", gzip.compress(CSV.encode()) + b"and more", "the gzip data is truncated or damaged"),
    "truncated parquet": ("log.parquet", parquet()[:-9], "is not a whole Parquet file"),
    "not parquet": ("log.parquet", "hello", "is not a whole Parquet file"),
    "wrong tags": ("log.xes", XES.replace("</event>", "</trace>"), "is not well-formed XML at line 4, column"),
    "two documents": ("log.xes", XES + "<log/>",
        "is not well-formed XML at line 7, column 1 (junk after document element)"),
    "attribute twice": ("log.xes", XES.replace("<trace>", '<trace a="1" a="2">'), "is not well-formed XML at line 3"),
    "no such character": ("log.xes", XES.replace('"A"', '"&#1;"'), "is not well-formed XML at line 4"),
    "open quotation mark": ("log.csv", CSV + '1,"B,2024-01-01\n',
        "line 3 cannot be read, it has a quotation mark that is never closed: write"),
    "mark behind a backslash": ("log.csv", CSV + '1,"5\\" pipe",2024-01-01\n1,"6\\" pipe",2024-01-01\n',
        "line 3 cannot be read, it has a quotation mark behind a backslash: give --escape backslash, or write"),
    "label of two lines": ("log.csv", CSV + '1,"B\n1,C",2024-01-01\n',
        "1 of 2 events have an activity with a line end in it (column 'activity', such as 'B\\n1,C'), the first at "
        "line 3, case '1': see whether rows ran into each other there, and give --allow-line-ends if"),
    "label of two lines in xes": ("log.xes", XES.replace('"A"', '"A&#10;B"'), "1 of 1 events have an activity with"),
    "label of two lines in parquet": ("log.parquet", parquet(activity=["A", "B\r"]), "the first at row 2, case '1'"),
    "text behind a quotation mark": ("log.csv", CSV + '1,"B" b,2024-01-01\n', "line 3 cannot be read"),
    "too many cells": ("log.csv", CSV + "1,B,2024-01-01,x\n",
        "1 of 2 lines have more cells than the header (3), the first at line 3"),
    # something else
    "html": ("log.xes", "<!DOCTYPE html><html><body>404</body></html>",
        "is an HTML page, not XES: download the log itself"),
    "html, small letters": ("log.xes", "\n<!doctype html>\n<html lang=en>", "is an HTML page, not XES"),
    "html, large letters": ("log.xes", "<HTML><BODY>", "is an HTML page, not XES"),
    "xhtml": ("log.xes", '<?xml version="1.0"?><html><br/></html>', "is an HTML page, not XES"),
    "html as csv": ("log.csv", "<html></html>", "is an HTML page, not CSV"),
    "html in gz": ("log.xes.gz", gzip.compress(b"<html>"), "is an HTML page, not XES"),
    "other xml": ("log.xes", "<?xml version='1.0'?><bpmn:definitions xmlns:bpmn='x'/>",
        "is XML with the root <bpmn:definitions>, not XES"),
    "text": ("log.xes", "hello", "is not XML (syntax error at line 1, column 1)"),
    "csv as xes": ("log.xes", CSV, "is not XML"),
    "xes as csv": ("log.csv", XES, "is XML, not CSV: let its name end in .xes"),
    "parquet as csv": ("log.csv", parquet(), "is Parquet, not CSV: let its name end in .parquet"),
    "parquet as xes": ("log.xes", parquet(), "is Parquet, not XES"),
    "csv as parquet": ("log.parquet", CSV, "is not a whole Parquet file"),
    "workbook": ("log.csv", b"PK\x03\x04\x14\x00",
        "is a zip file, not CSV: unpack it"),
    "old workbook": ("log.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "is an Excel workbook of the old format, or one with a password, not CSV: save it as .xlsx without a password"),
    "workbook under another name": ("log.csv", workbook(), "is an Excel workbook, not CSV: let its name end in .xlsx"),
    "workbook cut short": ("log.xlsx", workbook()[:900], "is not a whole Excel workbook (File is not a zip file): get"),
    "damaged workbook": ("log.xlsx", workbook().replace(b"sheet1.xml", b"sheet9.xml"),
        "is not a whole Excel workbook ("),
    "workbook with a password": ("log.xlsx", b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        "is an Excel workbook with a password, not Excel: save it as .xlsx without one"),
    "empty workbook": ("log.xlsx", workbook([]), "its sheet has no rows: name another with"),
    "sheet without the columns": ("log.xlsx", workbook([["x", "y"], [1, 2]]),
        "there is no column that looks like the case, the activity or the time: name them with"),
    "gap in a workbook": (
        "log.xlsx", workbook([["case", "activity", "time"], [], [1, "A", "2024-01-01"], [1, None, "x"]]),
        "1 of 2 events have no activity (column 'activity'), the first at row 4, case '1'"),
    "ocel by its name": ("log.jsonocel", "{}",
        "is an object-centric log (OCEL): object-centric logs are not supported, flatten it to one kind of case first"),
    "sqlite by its name": ("log.sqlite", b"SQLite format 3\0",
        "is an SQLite database, as some object-centric logs (OCEL) are"),
    "ocel in sqlite": ("log.db", b"SQLite format 3\0 CREATE TABLE event_object",
        "is an object-centric log (OCEL) in an SQLite database: object-centric logs are not supported"),
    "ocel of another name": ("log.json", '{"objectTypes": [], "eventTypes": []}',
        "is an object-centric log (OCEL): object-centric logs are not supported"),
    "database": ("log.csv", b"SQLite format 3\0", "is an SQLite database"),
    "bzip2": ("log.xes", b"BZh91AY", "is compressed, but not with gzip"),
    "gz in gz": ("log.xes.gz", gzip.compress(gzip.compress(XES.encode())), "is compressed twice"),
    "json": ("log.xes", '[{"a": 1}]', "is JSON, not XES"),
    "ocel 1 xml": ("log.xes", '<log><global scope="object"/><events><event/></events></log>',
        "is an object-centric log (OCEL): object-centric logs are not supported, flatten it"),
    "ocel 1 xml without globals": ("log.xes", "<log><events><event/></events><objects/></log>",
        "is an object-centric log (OCEL)"),
    "ocel 2 xml": ("log.xes", "<?xml version='1.0'?><log><object-types/></log>", "is an object-centric log (OCEL)"),
    "ocel 1 json": ("log.xes", '{"ocel:global-log": {"ocel:version": "1.0"}}',
        "is an object-centric log (OCEL), not XES: object-centric logs are not supported, flatten it"),
    "ocel 2 json": ("log.csv", '{\n  "events": [{"id": "e"}],\n  "objectTypes": []}',
        "is an object-centric log (OCEL), not CSV"),
    "event outside": ("log.xes", f"<log>\n{EVENT}</log>", "line 2 has an event outside of any trace"),
    # attacks
    "entity bomb": ("log.xes", f'<?xml version="1.0"?>{BOMB}]><log>&i;</log>', "has a document type (DTD)"),
    "external entity": ("log.xes", '<!DOCTYPE log [<!ENTITY x SYSTEM "file:///etc/passwd">]><log>&x;</log>',
        "has a document type (DTD)"),
    "external dtd": ("log.xes", '<!DOCTYPE log SYSTEM "http://127.0.0.1:1/x.dtd"><log/>', "has a document type (DTD)"),
    "unknown entity": ("log.xes", XES.replace('"A"', '"&bomb;"'),
        "is not well-formed XML at line 4, column 8 (undefined entity)"),
    # not UTF-8
    "latin-1 xes": ("log.xes", XES.replace('"A"', '"Café"').encode("latin-1"),
        "line 4, column 45: the text is not in the encoding that it declares"),
    "utf-16 that says utf-8": ("log.xes", XES.encode("utf-16"), "the text is not in the encoding that it declares"),
    "unknown encoding": ("log.xes", XES.replace("UTF-8", "klingon"),
        "its encoding cannot be read (unknown encoding: klingon): save it as UTF-8"),
    "encoding of several bytes": ("log.xes", XES.replace("UTF-8", "Shift_JIS"), "its encoding cannot be read"),
    "two encodings in a csv": ("log.csv", CSV.replace("A", "Größe").encode() + b"1,Caf\xe9,2024-01-01\n",
        "line 3 is not UTF-8 (byte 0xe9): save the file as UTF-8 (in Excel: CSV UTF-8), or name what it is with"),
    "two encodings the other way": ("log.csv", CSV.replace("A", "Café").encode("cp1252") + "1,ö,2024-01-01".encode(),
        "line 3 has letters in UTF-8, and other lines have some that are not: save all of it as UTF-8"),
    "neither utf-8 nor cp1252": ("log.csv", b"case,activity,time\n1,\x81,2024-01-01\n",
        "line 2 is not UTF-8 or cp1252 (byte 0x81)"),
    "half a utf-16 csv": ("log.csv", CSV.encode("utf-16")[:-1], "is not UTF-16"),
    "zeros": ("log.csv", bytes(999), "is no text: name another file, or give --encoding"),
    "binary": ("log.csv", bytes(range(256)) * 9, "line 2 is not UTF-8 or cp1252 (byte 0x81)"),
    # columns
    "no case column": ("log.csv", CSV.replace("case", "x"),
        "there is no column that looks like the case: name one with --case; there are: 'x', 'activity', 'time'"),
    "no time in xes": ("log.xes", XES.replace(EVENT, TIMELESS),
        "there is no column that looks like the time: name one with --time; there are: 'case:concept:name', 'conc"),
    "no activity in parquet": ("log.parquet", parquet(activity=[1, 2], name="x"),
        "there is no column that looks like the activity"),
    "no column at all": ("log.csv", "x,y,Zeitpunktt\n1,2,3\n",
        "there is no column that looks like the case, the activity or the time: name them with --case, --activity and "
        "--time; there are: 'x', 'y', 'Zeitpunktt'"),
    "ambiguous": ("log.csv", "case id,Case_ID,activity,time\n1,1,A,2024-01-01\n",
        "the case could be any of 'case id', 'Case_ID': name one with --case"),
    "twice": ("log.csv", "case,activity,activity,time\n1,A,B,2024-01-01\n",
        "there are 2 columns 'activity': rename all but one"),
    "name of two lines": ("log.csv", '"ca\n\u2028se",activity,x\n1,A,2024-01-01\n',
        "there are: 'ca\\n\\u2028se', 'activity', 'x'"),
    "many columns": ("log.csv", ",".join(f"c{i}" for i in range(1000)) + "\n1\n", "'c19' and 980 more"),
    "wrong separator": ("log.csv", "case:activity:time\n1:A:2024-01-01\n", "there are: 'case:activity:time'"),
    # cells
    "no case": ("log.csv", CSV + " ,B,2024-01-01\n",
        "1 of 2 events have no case (column 'case'), the first at line 3: fill it in"),
    "no activity": ("log.csv", CSV + "1,,2024-01-01\n7,,2024-01-01\n",
        "2 of 3 events have no activity (column 'activity'), the first at line 3, case '1'"),
    "no time": ("log.csv", CSV + "1,B\n", "1 of 2 events have no time (column 'time'), the first at line 3, case '1'"),
    "no name in xes": ("log.xes", XES.replace(EVENT, EVENT + NAMELESS),
        "1 of 2 events have no activity (column 'concept:name'), the first at line 5, case '1'"),
    "empty name in xes": ("log.xes", XES.replace('"A"', '" "'),
        "1 of 1 events have no activity (column 'concept:name'), the first at line 4"),
    "no time at some": ("log.xes", XES.replace(EVENT, EVENT + TIMELESS),
        "1 of 2 events have no time (column 'time:timestamp'), the first at line 5"),
    "empty case in xes": ("log.xes", XES.replace('"1"', '""'), "1 of 1 events have no case"),
    "missing in parquet": ("log.parquet", parquet(activity=["A", None]),
        "1 of 2 events have no activity (column 'activity'), the first at row 2"),
    "bad time": ("log.csv", CSV + "1,B,soon\n2,C,later\n",
        "2 of 3 times cannot be read (column 'time', such as 'soon'), the first at line 3, case '1'"),
    "bad time in xes": ("log.xes", XES.replace("2024-01", "2024-13"),
        "1 of 1 times cannot be read (column 'time:timestamp', such as '2024-13-01T00:00:00Z'), the first at line 4"),
    "year 0": ("log.csv", CSV + "1,B,0000-01-01\n",
        "1 of 2 times cannot be read (column 'time', such as '0000-01-01'), the first at line 3, case '1'"),
    "year 0 in xes": ("log.xes", XES.replace("2024-01", "0000-01"),
        "such as '0000-01-01T00:00:00Z'), the first at line 4, case '1'"),
    "year below 0 in xes": ("log.xes", XES.replace("2024-01", "-0001-01"), "the first at line 4, case '1'"),
    "year above 9999": ("log.csv", CSV + "1,B,+12024-01-01T00:00:00Z\n", "the first at line 3, case '1'"),
    "year above 9999 in xes": ("log.xes", XES.replace("2024-01", "+12024-01"), "the first at line 4, case '1'"),
    "date and clock without a gap": ("log.csv", CSV + "1,B,2013-11-113:05:00\n", "the first at line 3, case '1'"),
    "cut-off day": ("log.csv", CSV + "1,B,2014-12-2\n", "such as '2014-12-2'), the first at line 3, case '1'"),
    "cut-off offset in xes": ("log.xes", XES.replace("00Z", "00+02:"), "the first at line 4, case '1'"),
    "a long and odd cell": ("log.csv", CSV + '"c\n\x1b[31m","B","' + "x\n" * 5000 + '"\n', "case 'c\\n\\x1b[31m'"),
    "day or month": ("log.csv", CSV.replace("2024-01-01", "01/02/2024"),
        "day and month cannot be told apart: say which comes first, such as --time-format"),
    "short year": ("log.csv", CSV.replace("2024-01-01", "01.02.24"), "the year has two digits"),
    "mixed types": ("log.parquet", parquet(case=[[1], [2]]), "column 'case' holds List(Int64), not text or numbers"),
    "flags as times": ("log.parquet", parquet(time=[True, False]), "column 'time' holds Boolean, not times"),
}  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(arguments: list[str], message: str, stdin: bytes | None = None) -> None:
    """The command fails with this message in one line, and leaves the folder as it was."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert message in result.stderr
    assert re.fullmatch(r"unsingle: .*\n", result.stderr), result.stderr  # a dot is no line end
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stderr) < 1500
    assert "Traceback" not in result.stderr
    assert "unexpected " not in result.stderr.replace("unexpected end of data", "")
    assert result.stdout == ""
    assert result.exit_code == 2
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


@pytest.mark.parametrize(("name", "content", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("command", ["inspect", "anonymize"])
def test_bad_files(command: str, name: str, content: str | bytes, message: str, here: Path) -> None:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    check([command, name, *(["-o", "release.xes"] if command == "anonymize" else [])], message)


@pytest.mark.parametrize(
    "key", ["truncated xes", "html", "bad time", "truncated gz", "ocel 1 json", "two encodings in a csv"]
)
def test_bad_standard_input(key: str, here: Path) -> None:
    name, content, message = BAD[key]
    kind = name.removeprefix("log.")
    if isinstance(content, str):
        content = content.encode()
    check(["inspect", "-", "--format", kind], message.replace(name, "standard input"), stdin=content)


COMMANDS = {
    "missing file": (["inspect", "no.xes"], "no.xes: there is no such file: check the name and the folder"),
    "folder": (["inspect", "folder.csv"], "folder.csv: is a folder without files: name another, or a file"),
    "file as folder": (["inspect", "log.csv/x.csv"], "cannot be read (Not a directory)"),
    "name too long": (["inspect", "x" * 300 + ".csv"], "cannot be read (File name too long)"),
    "unknown format": (["inspect", "log.txt"],
        "log.txt: the format is not clear from the name: end it in .xes, .xes.gz, .csv"),
    "unknown format given": (["inspect", "log.csv", "--format", "xls"], "unknown format 'xls': choose one of xes"),
    "no format for standard input": (["inspect", "-"], "standard input and output have no name: give --format"),
    "no format for standard output": (["anonymize", "log.csv", "-o", "-"], "standard input and output have no name"),
    "unknown format of the output": (["anonymize", "log.csv", "-o", "x.json"], "x.json: the format is not clear"),
    "delta 0": (["anonymize", "log.csv", "-o", "x.csv", "--delta", "0"], "delta"),
    "delta 1": (["anonymize", "log.csv", "-o", "x.csv", "--delta", "1"], "delta"),
    "delta below": (["anonymize", "log.csv", "-o", "x.csv", "--delta", "-0.1"], "delta"),
    "delta above": (["anonymize", "log.csv", "-o", "x.csv", "--delta", "1.5"], "delta"),
    "delta nan": (["anonymize", "log.csv", "-o", "x.csv", "--delta", "nan"], "delta"),
    "delta infinite": (["anonymize", "log.csv", "-o", "x.csv", "--delta", "inf"], "delta"),
    "delta text": (["anonymize", "log.csv", "-o", "x.csv", "--delta", "much"], "'much' is not a valid float"),
    "precision": (["anonymize", "log.csv", "-o", "x.csv", "--method", "amun", "--precision", "1.5"],
        "precision '1.5' is neither a share"),
    "grid": (["anonymize", "log.csv", "-o", "x.csv", "--grid", "week"], "unknown grid 'week': choose one of day"),
    "method": (["anonymize", "log.csv", "-o", "x.csv", "--method", "magic"], "unknown method 'magic': choose one of"),
    "no labels": (["anonymize", "log.csv", "-o", "x.csv", "--method", "strict", "--labels", "no.txt"], "no.txt"),
    "two logs from standard input": (["compare", "-", "-", "--format", "csv"],
        "only one log can come from standard input"),
    "no delta of a release": (["audit", "log.csv", "log.csv"], "the release does not say which delta it was made with"),
    "method of a given release": (["audit", "log.csv", "log.csv", "--delta", "0.2", "--method", "twin"],
        "--method is for releases that are made"),
    "parameter of a given release": (["audit", "log.csv", "log.csv", "--delta", "0.2", "--slack", "1e-6"],
        "--slack is for releases that are made"),
    "runs of a given release": (["audit", "log.csv", "log.csv", "--delta", "0.2", "--runs", "9"],
        "--runs is for releases that are made"),
    "seed": (["anonymize", "log.csv", "-o", "x.csv", "--seed", "-1"], "-1 is not in the range x>=0"),
    "time zone": (["inspect", "log.csv", "--timezone", "Mars/Base"], "unknown time zone 'Mars/Base'"),
    "time format": (["inspect", "log.csv", "--time-format", "yyyy"], "the time format 'yyyy' is not understood"),
    "other time format": (["inspect", "log.csv", "--time-format", "%d/%m/%Y"], "1 of 1 times cannot be read"),
    "column": (["inspect", "log.csv", "--activity", "x\ny"], "there is no column 'x\\ny' for the activity"),
    "empty column": (["inspect", "log.csv", "--activity", ""], "there is no column '' for the activity"),
    "empty part": (["inspect", "log.csv", "--activity", "activity+"], "there is no column '' for the activity"),
    "lifecycle": (["inspect", "log.csv", "--lifecycle", "complete"],
        "there is no column that looks like the lifecycle"),
    "no argument": (["inspect"], "Missing argument 'LOG...' (see"),
    "no output": (["anonymize", "log.csv"], "say where the release goes with -o FILE"),
    "unknown option": (["inspect", "log.csv", "--colour"], "No such option"),
    "unknown command": (["publish"], "No such command 'publish'"),
    "no cases": (["synthesize", "-o", "x.csv", "--cases", "0"], "0 cases"),
    "unknown format to synthesize": (["synthesize", "-o", "x.doc"], "x.doc: the format is not clear"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), COMMANDS.values(), ids=COMMANDS)
def test_bad_commands(arguments: list[str], message: str, here: Path) -> None:
    Path("log.csv").write_text(CSV)
    Path("log.txt").write_text(CSV)
    Path("folder.csv").mkdir()
    check(arguments, message)


def test_a_bad_option_is_told_before_the_log_is_read(here: Path) -> None:
    Path("log.csv").write_text("not a log")
    check(["anonymize", "log.csv", "-o", "x.csv", "--delta", "2"], "delta")
    check(["anonymize", "log.csv", "-o", "no/x.csv"], "there is no folder")


def test_the_real_command_ends_the_same_way(here: Path) -> None:
    Path("log.xes").write_text(XES[:-20])
    command = [sys.executable, "-m", "unsingle", "anonymize", "log.xes", "-o", "x.xes"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"unsingle: log\.xes: the file ends early, at line 4, .*\n", done.stderr)
    assert list(here.iterdir()) == [here / "log.xes"]
    done = subprocess.run([*command, "--debug"], capture_output=True, text=True, check=False)
    assert "Traceback" in done.stderr
    assert "FormatError: log.xes: the file ends early" in done.stderr
    assert done.returncode == 1


def test_a_closed_standard_input_is_told() -> None:
    code = "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, '-m', 'unsingle', *sys.argv[1:]])"
    command = [sys.executable, "-c", code, "inspect", "-", "--format", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == "unsingle: standard input: is closed: give the log through a pipe, or name a file\n"
    assert done.returncode == 2


def fail(error: BaseException) -> object:
    def fails(*_: object, **__: object) -> None:
        raise error

    return fails


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (ZeroDivisionError("x"), "unexpected ZeroDivisionError: please report it with what --debug shows", 2),
        (pl.exceptions.PanicException("rust"), "unexpected PanicException: please report it", 2),
        (RecursionError(), "unexpected RecursionError", 2),
        (MemoryError(), "there is not enough memory for this log", 2),
        (KeyboardInterrupt(), "interrupted, nothing was written", 130),
    ],
)
def test_even_our_own_mistakes_are_one_line(
    error: BaseException, message: str, code: int, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("log.csv").write_text(CSV)
    monkeypatch.setattr("unsingle.formats.read_log", fail(error))
    result = CliRunner().invoke(main, ["inspect", "log.csv"])
    assert result.exit_code == code
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    if isinstance(error, Exception):  # others would end the test run itself
        assert type(CliRunner().invoke(main, ["inspect", "log.csv", "--debug"]).exception) is type(error)


@pytest.mark.parametrize("options", [[], ["--debug"]])
def test_what_libraries_shout_is_not_shown_unless_asked_for(options: list[str], here: Path) -> None:
    code = """
import os, sys
from unsingle import formats
from unsingle.cli import app as cli
def shout(*_, **__):
    os.write(2, b"thread panicked at ...\\nstack backtrace:\\n")
    raise ZeroDivisionError
formats.read_log = shout
cli.main()
"""
    Path("log.csv").write_text(CSV)
    command = [sys.executable, "-c", code, "inspect", "log.csv", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if options:
        assert done.stderr.startswith("thread panicked at ...\nstack backtrace:\nTraceback")
    else:
        assert done.stderr == "unsingle: unexpected ZeroDivisionError: please report it with what --debug shows\n"
