"""The OpenAPI description of the API, generated from what can be chosen."""

from __future__ import annotations

from typing import Any

from ..version import VERSION
from .catalogue import (
    DEFAULT_DELTA,
    formats,
)
from .jobs import RELEASE_FILE, REPORT_FILE, STATEMENT_FILE
from .schema_parts import Schema, array, number, reference, string
from .schemas import schemas
from .settings import Settings
from .uploads import FIELD

_ABOUT = (
    "The steps of the web page as JSON. A job belongs to a session: the response that creates the first job sets a "
    "cookie, and later requests must send it (curl -c jar -b jar). A server that other machines can reach also "
    "requires its token, as Authorization: Bearer TOKEN. Everything about a log is private, like the log."
)
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
            "schemas": schemas(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Required by servers that other machines can reach.",
                }
            },
        },
    }


def _operation(name: str, summary: str, response: Schema, *errors: int, **more: Any) -> Schema:
    refusals = {str(code): _json_response(_ERRORS[code], reference("Problem")) for code in errors}
    return {"summary": summary, "operationId": name, "responses": {**response, **refusals}, **more}


def _json_response(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ok(description: str, schema: Schema, code: int = 200) -> Schema:
    return {str(code): _json_response(description, schema)}


def _body(schema: Schema, kind: str = "application/json", required: bool = False) -> Schema:
    return {"required": required, "content": {kind: {"schema": schema}}}


def _paths() -> Schema:
    job, prefix = [_path_parameter("id", string(), description="The unguessable id of the job.")], "/api/jobs/{id}"
    file = _path_parameter("file", string(enum=[RELEASE_FILE, REPORT_FILE, STATEMENT_FILE]))
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
    content = {"application/octet-stream": {"schema": string(format="binary")}}
    return {"200": {"description": description, "content": content}}


def _download() -> Schema:
    sent = _file("The file. Everything is deleted soon after the release and the report have been downloaded.")
    return _operation("download", "Download the release, its statement, or the private report", sent, 404)


def _general_paths() -> Schema:
    delta = _query("delta", number(default=DEFAULT_DELTA))
    endings = ", ".join(f".{format_}" for format_ in formats())
    file = string(f"A file; its name must end in one of {endings}. Several of one format are one log.", format="binary")
    form = {"type": "object", "properties": {FIELD: {"anyOf": [file, array(file)]}}, "required": [FIELD]}
    guarantees = {"type": "object", "additionalProperties": reference("Guarantee")}
    of_delta = _ok("By method; one that cannot promise this delta, or release these columns, is missing.", guarantees)
    job = _query("job", string("For a release with the columns that are kept of this job's log."))
    return {
        "/api": {"get": _operation("about", "Limits, and what can be chosen", _ok("Both.", reference("About")))},
        "/api/openapi.json": {
            "get": _operation("openapi", "This description", _ok("OpenAPI.", {"type": "object"})),
        },
        "/api/guarantees": {
            "get": _operation(
                "guarantees", "What each method promises at a delta", of_delta, 400, 404, parameters=[delta, job]
            )
        },
        "/api/jobs": {
            "get": _operation("listJobs", "The jobs of the session", _ok("Newest first.", array(reference("Job")))),
            "post": _operation(
                "createJob", "Upload a log", _ok("The preview is being made.", reference("Job"), 201),
                400, 408, 413, 503, 507, requestBody=_body(form, "multipart/form-data", required=True),
            ),
        },
        "/api/demo": {
            "post": _operation(
                "createDemo", "Create a synthetic hospital log", _ok("It is being made.", reference("Job"), 201), 503
            )
        },
    }  # fmt: skip


def _job_paths() -> Schema:
    """What can be done with a job, by what follows its path."""
    job = _ok("The job.", reference("Job"))
    accepted = _ok("The task is queued.", reference("Job"), 202)
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
                accepted, 400, 404, 409, 413, 503, requestBody=_body(reference("Shown")),
            ),
        },
        "/columns": {
            "post": _operation(
                "readLog", "Read the log", accepted, 400, 404, 409, 413, 503, requestBody=_body(reference("Reading"))
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
                "makeRelease", "Make a release", accepted, 400, 404, 409, 413, 503,
                requestBody=_body(reference("Choice")),
            ),
            "get": _operation(
                "showRelease", "The figures and the guarantee of the release",
                _ok("`private_keys` names what must not be published.", reference("Release")), 404, 409,
            ),
        },
        "/attack": {
            "post": _operation("attack", "Attack the release", accepted, 404, 409, 503),
            "get": _operation("showAttack", "What attacks on the release found", _private("Attack"), 404, 409),
        },
        "/record": {
            "post": _operation("record", "The private record of the release, with what is filled in",
                               _file("HTML, private."), 400, 404, 409, 413, requestBody=_body(reference("Filled")))
        },
    }  # fmt: skip


def _private(schema: str) -> Schema:
    return _ok(_PRIVATE, reference(schema))
