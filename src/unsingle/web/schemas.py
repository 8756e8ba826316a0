"""The schemas of the API: what requests and responses hold, generated from what can be chosen."""

from __future__ import annotations

from ..core.calendar import CALENDAR_KEYS
from ..core.columns import Kind, Level
from ..evaluation.sweep import sweep_numbers
from ..methods.base import Parameter, ParameterKind
from ..report.record import BLANKS, DECISION, DECISIONS
from .catalogue import (
    DEFAULT_DELTA,
    DEFAULT_FORMAT,
    DEFAULT_METHOD,
    ESCAPES,
    GRIDS,
    PATHS,
    deltas,
    method_cards,
    methods,
    parameters,
    release_formats,
)
from .schema_parts import Schema, array, closed, flag, nullable, number, reference, string
from .tasks import TaskName

_FINDING = ("attack", "gain", "allowed", "verdict")
_GUESS: Schema = {
    "type": "object",
    "additionalProperties": nullable(string()),
    "description": "The column for case, activity, time and lifecycle; null if none or several look like it.",
}


def schemas() -> Schema:
    """All of them, by name."""
    return {**_request_schemas(), **_job_schemas(), **_log_schemas(), **_release_schemas()}


def _request_schemas() -> Schema:
    """What requests hold."""
    reading = {
        "case": string("Column of case ids."),
        "activity": string("Column of activities, or several joined by +."),
        "activity_and": string("A second column to join to the activity."),
        "time_and": string("A second column, of clock times, if the column of times has dates alone."),
        "time": string("Column of times."),
        "start": string("Column of start times, if a row has two times: each row becomes two events."),
        "person": string("Column that says whom a case is about, if one person can have several cases. Private."),
        "keep": array(string(), "Other columns to release, of events or, as case:NAME, of cases."),
        "keep_case": array(string(), "Other columns to release that stand on events, but are one value of the case."),
        "numbers": array(string(), "Those of the kept columns that hold numbers, if the file does not say so."),
        "lifecycle": string("Keep only events of this lifecycle."),
        "timezone": string("Time zone of times that name none."),
        "time_format": string("Format of times, such as %d.%m.%Y %H:%M."),
        "sheet": string("Sheet of an Excel workbook, by its name or number."),
        "escape": string("How CSV writes a quotation mark inside a cell.", enum=list(ESCAPES)),
        "encoding": string("Encoding of a CSV file, such as cp1252."),
        "allow_line_ends": flag(
            "Accept activities with line ends in them, or that look like a row of the file.", default=False
        ),
        "skip_incomplete": flag("Leave out rows without case, activity or time.", default=False),
        "decimal_comma": flag("Numbers in text have a decimal comma.", default=False),
    }
    cards = "; ".join(f"{card.name}: {card.heading}" for card in method_cards())
    choice = {
        "delta": number(exclusiveMinimum=0, exclusiveMaximum=1, default=DEFAULT_DELTA),
        "method": string(cards, enum=list(methods()), default=DEFAULT_METHOD),
        "paths": string(
            "Publish all paths of the log, or only those that many people took, for methods with this choice. By "
            "default as the method does.",
            enum=list(PATHS),
        ),
        "format": string(enum=list(release_formats()), default=DEFAULT_FORMAT),
        **{name: _parameter(each) for name, each in parameters().items()},
        "grid": string("Round times to whole ...; empty: as the method does by default.", enum=["", *GRIDS]),
    }  # fmt: skip
    about_reading = "How to read the log; what is empty or missing is detected."
    return {
        "Reading": closed(reading, required=False, description=about_reading),
        "Choice": closed(choice, required=False),
        "Shown": closed(
            {name: reading[name] for name in ("encoding", "sheet")},
            required=False,
            description="How the first rows are looked at; what is empty or missing is detected.",
        ),
    }


def _parameter(parameter: Parameter) -> Schema:
    """A parameter of methods; which of them take it is said by the answer to a request that is refused."""
    kinds: dict[ParameterKind, Schema] = {
        ParameterKind.NUMBER: number(),
        ParameterKind.COUNT: {"type": "integer"},
        ParameterKind.CHOICE: string(enum=list(parameter.choices)),
        ParameterKind.TEXTS: array(string()),
        ParameterKind.COLUMNS: array(string()),
        ParameterKind.TEXTS_BY_COLUMN: {"type": "object", "additionalProperties": array(string())},
        ParameterKind.CALENDAR: closed({each: array(string()) for each in CALENDAR_KEYS}, required=False),
        ParameterKind.NUMBERS_BY_COLUMN: {"type": "object", "additionalProperties": number(exclusiveMinimum=0)},
    }
    return {**kinds.get(parameter.kind, string()), "description": _in_json(parameter.help)}


def _in_json(told: str) -> str:
    """The help of an option, without what is said of the command alone."""
    for words in (" May be repeated.", ", one in each line of a file", ", one in each line"):
        told = told.replace(words, "")
    return told


def _job_schemas() -> Schema:
    """What the state of the server and of a job holds."""
    texts = array(string())
    return {
        "Problem": closed({"error": string("One sentence: what is wrong, and what to do.")}),
        "About": closed(
            {
                "version": string(),
                "max_upload": {"type": "integer", "description": "Bytes."},
                "keep_seconds": number("How long a log is kept after its last use."),
                "formats": texts,
                "methods": texts,
                "deltas": array(number(enum=sorted(deltas())), "The deltas that predictions are made for."),
            }
        ),
        "Guarantee": closed(
            {
                "promises": texts,
                "limits": string(),
                "assumes": texts,
                "not_protected": texts,
                "cautions": array(string(), "Read these before you publish."),
            }
        ),
        "Task": closed(
            {
                "name": string(enum=[str(name) for name in TaskName]),
                "stages": texts,
                "stage": nullable(string()),
                "fraction": number("How much of the whole task is done.", minimum=0, maximum=1),
                "ahead": {"type": "integer", "description": "Tasks that are queued before this one."},
            }
        ),
        "Job": closed(
            {
                "id": string(),
                "name": string("The user's file name."),
                "format": string(),
                "state": string(enum=["uploading", "waiting", "working", "failed", "ready"]),
                "task": {"oneOf": [reference("Task"), {"type": "null"}]},
                "error": nullable(string("Why the last task failed, and what to do.")),
                "preview": flag("Whether the preview is ready."),
                "risk": flag("Whether the risk is known."),
                "predictions": {"type": "integer", "description": "How many are known."},
                "predictions_error": nullable(string("Why predictions are missing. A release can still be made.")),
                "release": flag("Whether a release is ready."),
                "deleted_at": string("When everything is deleted if nobody uses it.", format="date-time"),
            }
        ),
    }


def _log_schemas() -> Schema:
    """What is found out about a log."""
    texts = array(string())
    kept = {
        "name": string(),
        "level": string(enum=[level.value for level in Level]),
        "kind": string(enum=[kind.value for kind in Kind]),
    }
    prediction = {
        "method": string(),
        "delta": number(),
        **{each.name: nullable(number(f"{each.title}; null if nothing is left.")) for each in sweep_numbers()},
    }
    return {
        "Preview": closed(
            {
                "names": texts,
                "rows": array(texts),
                "encoding": nullable(string("The encoding of the text, as far as it was looked at.")),
                "guess": _GUESS,
                "lifecycles": texts,
                "shown": array(string(), "The columns of the rows, at most 100."),
            }
        ),
        "Columns": closed(
            {
                "kept": array(closed(kept), "Under the names that they have in tables."),
                "left_out": texts,
                "has_persons": flag("Whether it is known whom each case is about."),
                "read_as": {"type": "object", "description": "What was found out about the files. Private."},
            }
        ),
        "Risk": closed(
            {
                "private": {"const": True},
                "verdict": string("The answer in three sentences."),
                "inspection": {"type": "object", "description": "As `unsingle inspect --json`."},
                "risk": {"type": "object", "description": "As `unsingle risk --json`."},
                "checks": array(reference("Check"), "What to look at before the release is made."),
                "columns": reference("Columns"),
            }
        ),
        "Check": closed(
            {
                "check": string(),
                "of": string("`activity`, a kept column, or empty if the shape of the log is in question."),
                "sentence": string(),
                "looks_like": string("What the texts look like."),
                "texts": array(string(), "The first of those that are marked."),
                "personal": flag("Whether somebody may be named."),
            }
        ),
        "Prediction": closed(prediction),
        "Predictions": closed(
            {"private": {"const": True}, "complete": flag(""), "points": array(reference("Prediction"))}
        ),
    }


def _release_schemas() -> Schema:
    """What is told of a release, and what is asked about it."""
    figures = {
        "type": "object",
        "description": "As `unsingle anonymize --json`; `private_keys` names what must not be published.",
        "required": [
            "method",
            "delta",
            "guarantee",
            "promises",
            "limits",
            "assumes",
            "not_protected",
            "cautions",
            "publishable",
            "private_keys",
        ],
    }
    return {
        "Attack": closed(
            {
                "private": {"const": True},
                "verdict": string(),
                "holds": flag("If promises were kept."),
                "findings": array(closed(dict.fromkeys(_FINDING, string()))),
            }
        ),
        "Filled": closed(
            {**{each.name: string(each.hint) for each in BLANKS}, DECISION: string(enum=list(DECISIONS))},
            required=False,
        ),
        "Release": closed(
            {
                "verdict": string(),
                "remarks": array(
                    string(), "About this release alone, such as how many people are alone on their path. Private."
                ),
                "release": figures,
                "command": string(
                    "The command that makes the same release, after lines that make files that it takes: "
                    "values, and the demo log."
                ),
            }
        ),
    }
