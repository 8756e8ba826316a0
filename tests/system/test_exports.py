"""Eight exports as real products write them: each is read with at most one command, and it is said what was guessed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.helpers import cases_of, run_command
from support.workbooks import workbook
from unsingle import EventLog, anonymize, read_log


class Export(NamedTuple):
    """A file, the options that it takes, its first case, and what must be said of how it was read."""

    name: str
    content: bytes
    options: dict[str, Any]
    first: list[tuple[str, str]]
    said: tuple[str, ...]


SAP = (
    "sep=;\r\nMandant;Belegart;VBELN;Vorgang;ERDAT;ERZET;Nettowert;Ersteller\r\n"
    "100;TA;0000004711;Auftrag anlegen;03.02.2024;08:15:00;1.234,50;MÜLLERK\r\n"
    "100;TA;0000004711;Lieferung;28.02.2024;09:30:10;0,00;SCHMIDT\r\n"
    "100;TA;0000004712;Auftrag anlegen;03.02.2024;08:16:00;12.000,00;MÜLLERK\r\n"
).encode("cp1252")
CHANGES = (
    "\ufeffMANDANT\tOBJECTCLAS\tOBJECTID\tCHANGENR\tUSERNAME\tUDATE\tUTIME\tTCODE\n"
    "100\tVERKBELEG\t0000004711\t0001\tMEIER\t20240203\t081500\tVA01\n"
    "100\tVERKBELEG\t0000004711\t0002\tMEIER\t20240204\t091000\tVA02\n"
    "100\tVERKBELEG\t0000004712\t0003\tMEIER\t00000000\t000000\tVA01\n"
).encode()
SERVICENOW = (
    '"number","state","short_description","assigned_to","sys_updated_on"\r\n'
    '"INC0010001","New","Printer says ""PC LOAD LETTER"", again","Beth Anglin","2024-02-03 08:15:00"\r\n'
    '"INC0010001","Resolved","Two\nlines","","2024-02-05 10:00:00"\r\n'
    '"INC0010002","New","","Beth Anglin","2024-02-03 08:20:00"\r\n'
).encode("cp1252")
CELONIS = (
    b"_CASE_KEY,ACTIVITY_EN,EVENTTIME,_SORTING,USER_NAME\n"
    b"800EC0001,Create Order,2024-02-03T08:15:00.000Z,10,A\n"
    b"800EC0001,Ship,2024-02-05T10:00:00.000Z,20,B\n"
    b"800EC0002,Create Order,2024-02-03T08:20:00.000Z,10,A\n"
)
DISCO = (
    b"Case ID,Activity,Resource,Start Timestamp,Complete Timestamp,Variant,Variant index\r\n"
    b"case 1,Register,Ann,2024/02/03 08:15:00.000,2024/02/03 08:20:00.000,Variant 1,1\r\n"
    b"case 1,Decide,Bob,2024/02/05 10:00:00.000,2024/02/05 10:05:00.000,Variant 1,1\r\n"
    b"case 2,Register,Ann,2024/02/03 08:20:00.000,2024/02/03 08:25:00.000,Variant 2,2\r\n"
)
UNICODE_TEXT = (  # Excel's "Unicode text"
    "Vorgangsnummer\tAktivität\tZeitstempel\tBetrag\r\n"
    "00017\tPrüfung\t13.02.2024 08:15\t4,50\r\n00017\tAblage\t14.02.2024 10:00\t\r\n"
    "00018\tPrüfung\t13.02.2024 08:20\t7,00\r\n"
).encode("utf-16")
DUTCH = (
    "Zaaknummer;Activiteit;Einddatum;Eindtijd\n"
    "Z-1;Aanvraag beëindigd;13-02-2024;08:15\nZ-1;Besluit;14-02-2024;10:00\nZ-2;;13-02-2024;08:20\n"
).encode("utf-8-sig")
EXCEL = workbook(
    [
        ["Ticket", "Étape", "Date de fin", "Coût"],
        ["0042", "Réception", datetime(2024, 2, 13, 8, 15), 4.5],
        ["0042", "Clôture", datetime(2024, 2, 14, 10), None],
        ["0043", "Réception", datetime(2024, 2, 13, 8, 20), 7],
    ],
    "Données",
)

EXPORTS = {
    "SAP, a list from the screen": Export(
        "export.csv", SAP, {"keep": ["Nettowert"], "numbers": ["Nettowert"], "decimal_comma": True},
        [("Auftrag anlegen", "2024-02-03T08:15:00"), ("Lieferung", "2024-02-28T09:30:10")],
        ("encoding cp1252, separator semicolon", "times as %d.%m.%Y %H:%M:%S%.f, taken to be in UTC",
         "case = VBELN, activity = Vorgang, time = ERDAT+ERZET", "kept: Nettowert")),
    "SAP, change documents": Export(
        "cdhdr.csv", CHANGES, {"skip_incomplete": True},
        [("VA01", "2024-02-03T08:15:00"), ("VA02", "2024-02-04T09:10:00")],
        ("encoding UTF-8, separator tab", "1 of 3 rows is left out: 1 has no time",
         "case = OBJECTID, activity = TCODE, time = UDATE+UTIME")),
    "ServiceNow": Export(
        "incident.csv", SERVICENOW, {}, [("New", "2024-02-03T08:15:00"), ("Resolved", "2024-02-05T10:00:00")],
        ("taken to be in UTC", "case = number, activity = state, time = sys_updated_on")),
    "Celonis": Export(
        "activities.csv", CELONIS, {}, [("Create Order", "2024-02-03T08:15:00"), ("Ship", "2024-02-05T10:00:00")],
        ("case = _CASE_KEY, activity = ACTIVITY_EN, time = EVENTTIME",)),
    "Disco": Export(
        "disco.csv", DISCO, {"start": "start timestamp"},
        [("Register+start", "2024-02-03T08:15:00"), ("Register+complete", "2024-02-03T08:20:00"),
         ("Decide+start", "2024-02-05T10:00:00"), ("Decide+complete", "2024-02-05T10:05:00")],
        ("case = Case ID, activity = Activity, time = Complete Timestamp, start = Start Timestamp",)),
    "Excel, Unicode text": Export(
        "tabelle.csv", UNICODE_TEXT, {}, [("Prüfung", "2024-02-13T08:15:00"), ("Ablage", "2024-02-14T10:00:00")],
        ("encoding UTF-16, separator tab", "times as %d.%m.%Y %H:%M",
         "case = Vorgangsnummer, activity = Aktivität, time = Zeitstempel")),
    "a Dutch case system": Export(
        "zaken.csv", DUTCH, {"skip_incomplete": True},
        [("Aanvraag beëindigd", "2024-02-13T08:15:00"), ("Besluit", "2024-02-14T10:00:00")],
        ("encoding UTF-8, separator semicolon", "times as %d-%m-%Y %H:%M", "1 of 3 rows is left out: 1 has no activity",
         "case = Zaaknummer, activity = Activiteit, time = Einddatum+Eindtijd")),
    "Excel, a workbook": Export(
        "journal.xlsx", EXCEL, {}, [("Réception", "2024-02-13T08:15:00"), ("Clôture", "2024-02-14T10:00:00")],
        ('sheet "Données", of 2 sheets', "case = Ticket, activity = Étape, time = Date de fin")),
}  # fmt: skip

SINGULAR = {"numbers": "number"}


def options_of(export: Export) -> list[str]:
    words = []
    for name, value in export.options.items():
        option = "--" + SINGULAR.get(name, name).replace("_", "-")
        values = value if isinstance(value, list) else [value]
        words += [word for each in values for word in ([option] if each is True else [option, each])]
    return words


def first_case(log: EventLog) -> list[tuple[str, str]]:
    labels, times = cases_of(log)[0]
    written = [f"{datetime.fromtimestamp(time / 1000, UTC):%Y-%m-%dT%H:%M:%S}" for time in times]
    return list(zip(labels, written, strict=True))


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_an_export_is_read_and_it_is_said_how(export: Export, tmp_path: Path) -> None:
    path = tmp_path / export.name
    path.write_bytes(export.content)
    assert first_case(read_log(path, **export.options)) == export.first
    told = run_command("inspect", path, *options_of(export)).stderr
    for words in export.said:
        assert words in told


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_nothing_of_the_file_is_in_a_release(export: Export, tmp_path: Path) -> None:
    path = tmp_path / export.name
    path.write_bytes(export.content)
    log = read_log(path, **export.options)
    release = anonymize(log, delta=0.2, seed=3)
    assert release.log.source is None
    release.write(tmp_path / "release.xes")
    text = "".join(each.read_text() for each in sorted(tmp_path.glob("release.xes*"))) + str(release.public())
    assert len(list(tmp_path.glob("release.xes*"))) == 2  # and what it says of itself
    ids = {"4711", "INC0010001", "800EC0001", "case 1", "00017", "Z-1", "0042"}
    for word in {path.name, "cp1252", "UTF-16", "sheet", "Données", "skip", "left_out", "separator", *ids}:
        assert word not in text
