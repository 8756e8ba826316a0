"""The OpenAPI description of the API, generated from what can be chosen."""

from __future__ import annotations

from typing import Any

from ..core.columns import Kind, Level
from ..evaluation.sweep import sweep_numbers
from ..methods.base import Parameter, ParameterKind
from ..report.record import BLANKS, DECISION, DECISIONS
from ..version import VERSION
from .catalogue import (
    DEFAULT_DELTA,
    DEFAULT_FORMAT,
    DEFAULT_METHOD,
    ESCAPES,
    GRIDS,
    PATHS,
    deltas,
    formats,
    method_cards,
    methods,
    parameters,
    release_formats,
)
from .jobs import RELEASE_FILE, REPORT_FILE, STATEMENT_FILE
from .settings import Settings
from .tasks import TaskName
from .uploads import FIELD

Schema = dict[str, Any]

_ABOUT = (
    "The steps of the web page as JSON. A job belongs to a session: the response that creates the first job sets a "
    "cookie, and later requests must send it (curl -c jar -b jar). A server that other machines can reach also "
    "requires its token, as Authorization: Bearer TOKEN. Everything about a log is private, like the log."
)
_FINDING = ("attack", "gain", "allowed", "verdict")
_PRIVATE = "Private, like the log."
_ERRORS = {
    400: "The request is not valid.",
    404: "There is no such job, or it belongs to another session.",
    408: "The upload took too long.",
    409: "It is too early for this request, or the log is being processed.",
    413: "The request is too large.",
    503: "The queue is full; try again later.",
    507: "The disk is full.",
}


def openapi() -> Schema:
    """The whole description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "unsingle",
            "version": VERSION,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"http://{Settings.host}:{Settings.port}"}],
        "security": [{}, {"token": []}],
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Required by servers that other machines can reach.",
                }
            },
        },
    }


# ------------------------------------------------------------------------------------------------- parts of schemas


def _text(description: str = "", **more: Any) -> Schema:
    return {"type": "string", **({"description": description} if description else {}), **more}


def _number(description: str = "", **more: Any) -> Schema:
    return _text(description, **more) | {"type": "number"}


def _nullable(schema: Schema) -> Schema:
    return schema | {"type": [schema["type"], "null"]}


def _flag(description: str, **more: Any) -> Schema:
    return _text(description, **more) | {"type": "boolean"}


def _list(items: Schema, description: str = "") -> Schema:
    return {"type": "array", "items": items, **({"description": description} if description else {})}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: Schema, required: bool = True, **more: Any) -> Schema:
    names = sorted(properties) if required else []
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False, **more}


# ------------------------------------------------------------------------------------------------------------ paths


def _operation(name: str, summary: str, response: Schema, *errors: int, **more: Any) -> Schema:
    refusals = {str(code): _json_response(_ERRORS[code], _ref("Problem")) for code in errors}
    return {"summary": summary, "operationId": name, "responses": {**response, **refusals}, **more}


def _json_response(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ok(description: str, schema: Schema, code: int = 200) -> Schema:
    return {str(code): _json_response(description, schema)}


def _body(schema: Schema, kind: str = "application/json", required: bool = False) -> Schema:
    return {"required": required, "content": {kind: {"schema": schema}}}


def _paths() -> Schema:
    job, prefix = [_path_parameter("id", _text(), description="The unguessable id of the job.")], "/api/jobs/{id}"
    file = _path_parameter("file", _text(enum=[RELEASE_FILE, REPORT_FILE, STATEMENT_FILE]))
    of_jobs = {f"{prefix}{rest}": {"parameters": job, **item} for rest, item in _job_paths().items()}
    return {
        **_general_paths(),
        **of_jobs,
        f"{prefix}/files/{{file}}": {"parameters": [*job, file], "get": _download()},
    }


def _path_parameter(name: str, schema: Schema, **more: Any) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": schema, **more}


def _query(name: str, schema: Schema) -> Schema:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _file(description: str) -> Schema:
    content = {"application/octet-stream": {"schema": _text(format="binary")}}
    return {"200": {"description": description, "content": content}}


def _download() -> Schema:
    sent = _file("The file. Everything is deleted soon after the release and the report have been downloaded.")
    return _operation("download", "Download the release, its statement, or the private report", sent, 404)


def _general_paths() -> Schema:
    delta = _query("delta", _number(default=DEFAULT_DELTA))
    endings = ", ".join(f".{format_}" for format_ in formats())
    file = _text(f"A file; its name must end in one of {endings}. Several of one format are one log.", format="binary")
    form = {"type": "object", "properties": {FIELD: {"anyOf": [file, _list(file)]}}, "required": [FIELD]}
    guarantees = {"type": "object", "additionalProperties": _ref("Guarantee")}
    of_delta = _ok("By method; one that cannot promise this delta, or release these columns, is missing.", guarantees)
    job = _query("job", _text("For a release with the columns that are kept of this job's log."))
    return {
        "/api": {"get": _operation("about", "Limits, and what can be chosen", _ok("Both.", _ref("About")))},
        "/api/openapi.json": {
            "get": _operation("openapi", "This description", _ok("OpenAPI.", {"type": "object"})),
        },
        "/api/guarantees": {
            "get": _operation(
                "guarantees", "What each method promises at a delta", of_delta, 400, 404, parameters=[delta, job]
            )
        },
        "/api/jobs": {
            "get": _operation("listJobs", "The jobs of the session", _ok("Newest first.", _list(_ref("Job")))),
            "post": _operation(
                "createJob", "Upload a log", _ok("The preview is being made.", _ref("Job"), 201),
                400, 408, 413, 503, 507, requestBody=_body(form, "multipart/form-data", required=True),
            ),
        },
        "/api/demo": {
            "post": _operation(
                "createDemo", "Create a synthetic hospital log", _ok("It is being made.", _ref("Job"), 201), 503
            )
        },
    }  # fmt: skip


def _job_paths() -> Schema:
    """What can be done with a job, by what follows its path."""
    job = _ok("The job.", _ref("Job"))
    accepted = _ok("The task is queued.", _ref("Job"), 202)
    return {
        "": {
            "get": _operation("showJob", "The state of a job", job, 404),
            "delete": _operation(
                "deleteJob", "Cancel a job and delete all its files", {"204": {"description": "Deleted."}}, 404
            ),
        },
        "/stop": {"post": _operation("stopJob", "Stop the task, keep the log", job, 404)},
        "/preview": {
            "get": _operation("preview", "The first rows and the guessed columns", _private("Preview"), 404, 409),
            "post": _operation(
                "retryPreview", "Make the preview again after it failed, or with another encoding or sheet",
                accepted, 400, 404, 409, 413, 503, requestBody=_body(_ref("Shown")),
            ),
        },
        "/columns": {
            "post": _operation(
                "readLog", "Read the log", accepted, 400, 404, 409, 413, 503, requestBody=_body(_ref("Reading"))
            )
        },
        "/risk": {"get": _operation("risk", "How exposed people are in the log", _private("Risk"), 404, 409)},
        "/predictions": {
            "get": _operation(
                "predictions", "What each method would give at each delta, as far as it is known",
                _private("Predictions"), 404,
            )
        },
        "/release": {
            "post": _operation(
                "makeRelease", "Make a release", accepted, 400, 404, 409, 413, 503, requestBody=_body(_ref("Choice"))
            ),
            "get": _operation(
                "showRelease", "The figures and the guarantee of the release",
                _ok("`private_keys` names what must not be published.", _ref("Release")), 404, 409,
            ),
        },
        "/attack": {
            "post": _operation("attack", "Attack the release", accepted, 404, 409, 503),
            "get": _operation("showAttack", "What attacks on the release found", _private("Attack"), 404, 409),
        },
        "/record": {
            "post": _operation("record", "The private record of the release, with what is filled in",
                               _file("HTML, private."), 400, 404, 409, 413, requestBody=_body(_ref("Filled")))
        },
    }  # fmt: skip


def _private(schema: str) -> Schema:
    return _ok(_PRIVATE, _ref(schema))


# ---------------------------------------------------------------------------------------------------------- schemas


def _schemas() -> Schema:
    return {**_request_schemas(), **_job_schemas(), **_result_schemas()}


def _request_schemas() -> Schema:
    """What requests hold."""
    reading = {
        "case": _text("Column of case ids."),
        "activity": _text("Column of activities, or several joined by +."),
        "activity_and": _text("A second column to join to the activity."),
        "time_and": _text("A second column, of clock times, if the column of times has dates alone."),
        "time": _text("Column of times."),
        "start": _text("Column of start times, if a row has two times: each row becomes two events."),
        "person": _text("Column that says whom a case is about, if one person can have several cases. Private."),
        "keep": _list(_text(), "Other columns to release, of events or, as case:NAME, of cases."),
        "keep_case": _list(_text(), "Other columns to release that stand on events, but are one value of the case."),
        "numbers": _list(_text(), "Those of the kept columns that hold numbers, if the file does not say so."),
        "lifecycle": _text("Keep only events of this lifecycle."),
        "timezone": _text("Time zone of times that name none."),
        "time_format": _text("Format of times, such as %d.%m.%Y %H:%M."),
        "sheet": _text("Sheet of an Excel workbook, by its name or number."),
        "escape": _text("How CSV writes a quotation mark inside a cell.", enum=list(ESCAPES)),
        "encoding": _text("Encoding of a CSV file, such as cp1252."),
        "allow_line_ends": _flag(
            "Accept activities with line ends in them, or that look like a row of the file.", default=False
        ),
        "skip_incomplete": _flag("Leave out rows without case, activity or time.", default=False),
        "decimal_comma": _flag("Numbers in text have a decimal comma.", default=False),
    }
    cards = "; ".join(f"{card.name}: {card.heading}" for card in method_cards())
    choice = {
        "delta": _number(exclusiveMinimum=0, exclusiveMaximum=1, default=DEFAULT_DELTA),
        "method": _text(cards, enum=list(methods()), default=DEFAULT_METHOD),
        "paths": _text(
            "Publish all paths of the log, or only those that many people took, for methods with this choice. By "
            "default as the method does.",
            enum=list(PATHS),
        ),
        "format": _text(enum=list(release_formats()), default=DEFAULT_FORMAT),
        **{name: _parameter(each) for name, each in parameters().items()},
        "grid": _text("Round times to whole ...; empty: as the method does by default.", enum=["", *GRIDS]),
    }  # fmt: skip
    about_reading = "How to read the log; what is empty or missing is detected."
    return {
        "Reading": _object(reading, required=False, description=about_reading),
        "Choice": _object(choice, required=False),
        "Shown": _object(
            {name: reading[name] for name in ("encoding", "sheet")},
            required=False,
            description="How the first rows are looked at; what is empty or missing is detected.",
        ),
    }


def _parameter(parameter: Parameter) -> Schema:
    """A parameter of methods; which of them take it is said by the answer to a request that is refused."""
    kinds: dict[ParameterKind, Schema] = {
        ParameterKind.NUMBER: _number(),
        ParameterKind.COUNT: {"type": "integer"},
        ParameterKind.CHOICE: _text(enum=list(parameter.choices)),
        ParameterKind.TEXTS: _list(_text()),
        ParameterKind.COLUMNS: _list(_text()),
        ParameterKind.TEXTS_BY_COLUMN: {"type": "object", "additionalProperties": _list(_text())},
        ParameterKind.NUMBERS_BY_COLUMN: {"type": "object", "additionalProperties": _number(exclusiveMinimum=0)},
    }
    return {**kinds.get(parameter.kind, _text()), "description": _in_json(parameter.help)}


def _in_json(text: str) -> str:
    """The help of an option, without what is said of the command alone."""
    for words in (" May be repeated.", ", one in each line of a file", ", one in each line"):
        text = text.replace(words, "")
    return text


def _job_schemas() -> Schema:
    """What the state of the server and of a job holds."""
    texts = _list(_text())
    return {
        "Problem": _object({"error": _text("One sentence: what is wrong, and what to do.")}),
        "About": _object(
            {
                "version": _text(),
                "max_upload": {"type": "integer", "description": "Bytes."},
                "keep_seconds": _number("How long a log is kept after its last use."),
                "formats": texts,
                "methods": texts,
                "deltas": _list(_number(enum=sorted(deltas())), "The deltas that predictions are made for."),
            }
        ),
        "Guarantee": _object(
            {
                "promises": texts,
                "limits": _text(),
                "assumes": texts,
                "not_protected": texts,
                "cautions": _list(_text(), "Read these before you publish."),
            }
        ),
        "Task": _object(
            {
                "name": _text(enum=[str(name) for name in TaskName]),
                "stages": texts,
                "stage": _nullable(_text()),
                "fraction": _number("How much of the whole task is done.", minimum=0, maximum=1),
                "ahead": {"type": "integer", "description": "Tasks that are queued before this one."},
            }
        ),
        "Job": _object(
            {
                "id": _text(),
                "name": _text("The user's file name."),
                "format": _text(),
                "state": _text(enum=["uploading", "waiting", "working", "failed", "ready"]),
                "task": {"oneOf": [_ref("Task"), {"type": "null"}]},
                "error": _nullable(_text("Why the last task failed, and what to do.")),
                "preview": _flag("Whether the preview is ready."),
                "risk": _flag("Whether the risk is known."),
                "predictions": {"type": "integer", "description": "How many are known."},
                "predictions_error": _nullable(_text("Why predictions are missing. A release can still be made.")),
                "release": _flag("Whether a release is ready."),
                "deleted_at": _text("When everything is deleted if nobody uses it.", format="date-time"),
            }
        ),
    }


def _result_schemas() -> Schema:
    """What the results of tasks hold."""
    texts = _list(_text())
    guess = {
        "type": "object",
        "additionalProperties": _nullable(_text()),
        "description": "The column for case, activity, time and lifecycle; null if none or several look like it.",
    }
    kept = {
        "name": _text(),
        "level": _text(enum=[level.value for level in Level]),
        "kind": _text(enum=[kind.value for kind in Kind]),
    }
    prediction = {
        "method": _text(),
        "delta": _number(),
        **{each.name: _nullable(_number(f"{each.title}; null if nothing is left.")) for each in sweep_numbers()},
    }
    figures = {
        "type": "object",
        "description": "As `unsingle anonymize --json`; `private_keys` names what must not be published.",
        "required": ["method", "delta", "guarantee", "promises", "limits", "assumes", "not_protected", "cautions",
                     "publishable", "private_keys"],
    }  # fmt: skip
    return {
        "Preview": _object(
            {
                "names": texts,
                "rows": _list(texts),
                "encoding": _nullable(_text("The encoding of the text, as far as it was looked at.")),
                "guess": guess,
                "lifecycles": texts,
                "shown": _list(_text(), "The columns of the rows, at most 100."),
            }
        ),
        "Columns": _object(
            {
                "kept": _list(_object(kept), "Under the names that they have in tables."),
                "left_out": texts,
                "has_persons": _flag("Whether it is known whom each case is about."),
                "read_as": {"type": "object", "description": "What was found out about the files. Private."},
            }
        ),
        "Risk": _object(
            {
                "private": {"const": True},
                "verdict": _text("The answer in three sentences."),
                "inspection": {"type": "object", "description": "As `unsingle inspect --json`."},
                "risk": {"type": "object", "description": "As `unsingle risk --json`."},
                "checks": _list(_ref("Check"), "What to look at before the release is made."),
                "columns": _ref("Columns"),
            }
        ),
        "Check": _object(
            {
                "check": _text(),
                "of": _text("`activity`, a kept column, or empty if the shape of the log is in question."),
                "sentence": _text(),
                "looks_like": _text("What the texts look like."),
                "texts": _list(_text(), "The first of those that are marked."),
                "personal": _flag("Whether somebody may be named."),
            }
        ),
        "Attack": _object({"private": {"const": True}, "verdict": _text(), "holds": _flag("If promises were kept."),
                           "findings": _list(_object(dict.fromkeys(_FINDING, _text())))}),
        "Filled": _object({**{each.name: _text(each.hint) for each in BLANKS}, DECISION: _text(enum=list(DECISIONS))},
                          required=False),
        "Prediction": _object(prediction),
        "Predictions": _object(
            {"private": {"const": True}, "complete": _flag(""), "points": _list(_ref("Prediction"))}
        ),
        "Release": _object(
            {
                "verdict": _text(),
                "remarks": _list(_text(), "About this release alone, such as how many people are alone on their path. "
                                 "Private."),
                "release": figures,
                "command": _text("The command that makes the same release, after lines that make files that it takes: "
                                 "values, and the demo log."),
            }
        ),
    }  # fmt: skip
