"""The pages: rendered on the server, with all steps of a job on one page. They also work without JavaScript."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import asdict
from functools import cache
from http import HTTPStatus
from importlib import resources
from typing import Any
from urllib.parse import parse_qsl

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from ..core.columns import TRACE_ATTRIBUTE, Kind
from ..core.wording import percent
from ..evaluation.tables import PRIVATE
from ..formats.base import format_of
from ..methods import METHODS
from ..methods.columns import looks_like_staff
from ..methods.unit import MOST_CASES
from ..progress import STEPS
from ..report.figures import hours_text
from ..report.record import BLANKS, DECISIONS
from ..report.render import Section, drawn, embedded_json
from ..version import VERSION
from . import results
from .catalogue import (
    DEFAULT_DELTA,
    DEFAULT_FORMAT,
    DEFAULT_METHOD,
    GRIDS,
    WEAK_DELTA,
    deltas,
    formats,
    guarantees,
    method_cards,
    refusals,
    release_formats,
)
from .columns import KnownColumns
from .errors import HTTPError, not_found
from .fields import READING_LISTS, of_form
from .forms import COLUMNS, READING_CHOICES, READING_LABELS, ROLES, SECOND_COLUMNS, as_field, parse_delta
from .jobs import Job, utc
from .presenters import command_for, guarantee_json, has_all_predictions, job_json
from .profiles import as_form, differences, profile_in, profile_of
from .security import sends_session_cookie, set_session_cookie
from .service import Service
from .settings import Settings, duration_text
from .steps import FORM_STEP, RESULT_STEP, PageStep, current_step, steps_of
from .tasks import Stage, TaskName
from .views import file_response, job_of, record_response, service_of, session_of, small_body, with_session

ASSETS = {
    "report.css": "text/css",
    "report.js": "text/javascript",
    "plotly-basic.min.js": "text/javascript",
    "dagre.min.js": "text/javascript",
    "web.css": "text/css",
    "web.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}

_OWN_STAGES = {Stage.PREVIEW: "previewing the file", Stage.LOAD: "loading the log"}
_CONFIRMED = "confirm_weak"  # the tick that goes with a weak delta
STAGE_LABELS = {str(stage): _OWN_STAGES.get(stage) or STEPS[stage] for stage in Stage}
"""What the page calls the stages of tasks that do not depend on the method."""


def stage_labels(method: str | None) -> dict[str, str]:
    """What the page calls all stages; methods may have different words for stages of the same name."""
    return STAGE_LABELS if method is None else {**STAGE_LABELS, **METHODS[method].stages}


@cache
def _templates() -> jinja2.Environment:
    loaders = [jinja2.PackageLoader(f"unsingle.{package}") for package in ("web", "report")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"percent": percent, "hours": hours_text, "utc": utc, "duration": duration_text}
    return environment


def rendered(template: str, settings: Settings, code: int = HTTPStatus.OK, **values: Any) -> HTMLResponse:
    """A page."""
    html = _templates().get_template(template).render(settings=settings, version=VERSION, private=PRIVATE, **values)
    return HTMLResponse(html, code)


def error_page(settings: Settings, error: HTTPError) -> HTMLResponse:
    """A page that says why a request was refused."""
    return rendered("message.html", settings, error.status, status=error.status, message=error.message)


async def start(request: Request) -> Response:
    """The start page. It starts the session, so that two windows that upload at once share one."""
    service, session = service_of(request), session_of(request)
    page = rendered("start.html", service.settings, jobs=service.jobs.of(session), formats=formats())
    if session is None and sends_session_cookie(request):
        set_session_cookie(page, service.settings, service.start_session())
    return page


async def show(request: Request) -> Response:
    """A job with all its steps, or why it was deleted."""
    service, job_id = service_of(request), request.path_params["id"]
    session = session_of(request) or service.session_for_unowned(job_id)
    if deletion := service.jobs.deletion(job_id, session):
        return rendered("gone.html", service.settings, HTTPStatus.GONE, deletion=deletion)
    job = service.find(job_id, session)
    page = await asyncio.to_thread(lambda: rendered("job.html", service.settings, **_job_values(job, service)))
    return with_session(request, page, job)


def _job_values(job: Job, service: Service) -> dict[str, Any]:
    """Everything that the page of a job shows."""
    preview, risk, release = map(job.result, (results.PREVIEW, results.RISK, results.RELEASE))
    attacked = job.result(results.ATTACKED)
    attacks = [Section(**section) for section in attacked["page"]["sections"]] if attacked else []
    sections, stages = _sections(risk, release), stage_labels(job.release.method if job.release else None)
    reading = _reading_fields(job, preview) if preview else {}
    return {
        "job": job,
        "steps": steps_of(job),
        "current_step": current_step(job),
        "state": job_json(job, service),
        "preview": preview,
        "reading": reading,
        "columns": _column_rows(preview, reading) if preview else [],
        "known": job.known_columns,
        "file_format": format_of("", job.format).format,
        "shown_as": job.shown_as,
        "labels": READING_LABELS,
        "choices": READING_CHOICES,
        "risk": risk,
        "release": release,
        "sections": sections,
        "attacked": attacked,
        "attacks": attacks,
        "blanks": BLANKS,
        "decisions": DECISIONS,
        "data": Markup(embedded_json({**drawn([*sections, *attacks]), "points": job.points})),
        "script": _script_values(stages),
        "stage_labels": stages,
        **_choice_values(job),
        **_activity_values(risk),
        "command": command_for(job) if release else "",
    }


def _script_values(stages: dict[str, str]) -> dict[str, Any]:
    """What the script must know: texts of stages, sections of tasks, and the deltas that have predictions."""
    return {
        "stages": stages,
        "forms": FORM_STEP,
        "results": RESULT_STEP,
        "deltas": sorted(deltas()),
    }


def _sections(risk: Any, release: Any) -> list[Section]:
    """The sections of the reports that the page shows: the first about the risk, and all about the release."""
    shown = risk["page"]["sections"][:1] if risk else []
    shown += release["page"]["sections"] if release else []
    return [Section(**section) for section in shown]


def _choice_values(job: Job) -> dict[str, Any]:
    """What the form for a release shows."""
    choice, cards, known = _release_fields(job), method_cards(), job.known_columns
    delta = parse_delta(choice["delta"])
    promised = guarantees(delta, known.kept) if delta is not None else {}
    return {
        "choice": choice,
        "delta": delta,
        "weak_delta": WEAK_DELTA,
        "ladder": [card for card in cards if card.has_budget],
        "others": [card for card in cards if not card.has_budget],
        "spelled": {card.name: card.spelled for card in cards},
        "predicted": {point["method"]: point for point in job.points if point["delta"] == delta},
        "all_predicted": has_all_predictions(job),
        "guarantees": {method: guarantee_json(each) for method, each in promised.items()},
        "refused": {method: error.in_words(as_field) for method, error in refusals(known.kept).items()},
        "kept_columns": _kept_rows(known, choice),
        "most_cases": MOST_CASES,
        "formats": release_formats(),
        "grids": GRIDS,
    }


def _activity_values(risk: Any) -> dict[str, Any]:
    """How many activities there are, and which of them only one case has."""
    activities = risk["risk"]["by_activity"] if risk else []
    rare = [each["activity"] for each in activities if each["cases"] == 1]
    return {"activities": len(activities), "rare_activities": rare}


def _reading_fields(job: Job, preview: dict[str, Any]) -> dict[str, Any]:
    """The form for columns: as it was sent if that was refused, else as the log was read, else as was guessed."""
    none_kept: dict[str, Any] = dict.fromkeys(READING_LISTS, ())
    fields: dict[str, Any] = dict.fromkeys((*READING_LABELS, *SECOND_COLUMNS.values()), "") | none_kept
    fields |= {role: preview["guess"][role] or "" for role in COLUMNS}
    fields |= {name: value or "" for name, value in asdict(job.shown_as).items()}
    read_with = job.reading.arguments() if job.reading else {}
    fields |= {name: "true" if value is True else value for name, value in read_with.items()}
    for role, second in SECOND_COLUMNS.items():
        if fields[role] not in preview["names"]:
            fields[role], _, fields[second] = fields[role].partition("+")
    draft = job.drafts.get(TaskName.ASSESS)
    return fields if draft is None else fields | none_kept | draft


def _column_rows(preview: dict[str, Any], reading: dict[str, Any]) -> list[dict[str, Any]]:
    """The columns that can be kept, with what the form says of each; those with a role cannot."""
    uses = {name: use for use in ("keep", "keep_case") for name in reading[use]}
    taken = {reading[role] for role in (*ROLES, *SECOND_COLUMNS.values())}
    return [
        {
            "name": name,
            "examples": _examples(preview, name),
            "use": uses.get(name, ""),
            "is_number": name in reading["numbers"],
            "of_trace": name.startswith(TRACE_ATTRIBUTE),
            "has_role": name in taken,
        }
        for name in dict.fromkeys((*preview["shown"], *uses))
    ]


def _examples(preview: dict[str, Any], name: str) -> list[str]:
    """Some values of a column in the first rows."""
    place = preview["shown"].index(name) if name in preview["shown"] else None
    cells = [] if place is None else [row[place] for row in preview["rows"]]
    return list(dict.fromkeys(filter(None, cells)))[:3]


def _release_fields(job: Job) -> dict[str, Any]:
    """The form for a release: as it was sent if that was refused, else as the release was made."""
    fields: dict[str, Any] = {
        "delta": f"{DEFAULT_DELTA:g}", "method": DEFAULT_METHOD, "format": DEFAULT_FORMAT, "grid": "",
        "cases_per_person": "", "confirm_weak": "", "pseudonyms": (), "names": (), "round": {},
    }  # fmt: skip
    if draft := job.drafts.get(TaskName.RELEASE):
        return fields | draft
    if made := job.release:
        fields |= {"delta": f"{made.delta:g}", "method": made.method, "format": made.format, **made.parameters}
    return fields


def _kept_rows(known: KnownColumns, choice: dict[str, Any]) -> list[dict[str, Any]]:
    """The columns that are kept, with what the form for a release says of each."""
    return [
        {
            "name": name,
            "is_text": field.kind is Kind.TEXT,
            "like_staff": looks_like_staff(name),
            "hidden": name in choice["pseudonyms"] or (looks_like_staff(name) and name not in choice["names"]),
            "step": choice["round"].get(name, ""),
        }
        for field in known.kept
        for name in (field.table_name,)
    ]


async def create(request: Request) -> Response:
    """Upload a log without JavaScript."""
    job = await service_of(request).upload(request, session_of(request))
    return with_session(request, _redirect(job), job)


async def create_demo(request: Request) -> Response:
    """Create the demo log."""
    service = service_of(request)
    job = service.create_demo(session_of(request) or service.start_session())
    return with_session(request, _redirect(job), job)


async def read(request: Request) -> Response:
    """Read the log."""
    job, form = job_of(request), await _form(request)
    return await _submitted(job, TaskName.ASSESS, service_of(request).read(job, form), form)


async def save_profile(request: Request) -> Response:
    """How the log was read, as a file for the command and for other logs."""
    profile = await asyncio.to_thread(profile_of, job_of(request))
    if profile is None:
        raise not_found()
    headers = {"content-disposition": 'attachment; filename="profile.toml"'}
    return Response(profile.to_toml(), media_type="application/toml", headers=headers)


async def take_profile(request: Request) -> Response:
    """Fill in the form for columns from a profile."""
    job = job_of(request)
    preview = job.result(results.PREVIEW)
    if preview is None:
        raise not_found()
    try:
        profile = await profile_in(request)
    except HTTPError as error:
        job.error, job.failed = error.message, TaskName.ASSESS
        return _redirect(job)
    job.drafts[TaskName.ASSESS] = as_form(profile, preview["names"])
    problem = differences(profile, preview["names"])
    job.error, job.failed = problem, TaskName.ASSESS if problem else None
    job.note = "" if problem else "The choices are filled in from the profile. Read the log to use them."
    return _redirect(job)


async def release(request: Request) -> Response:
    """Make a release."""
    job, form = job_of(request), await _form(request)

    async def requested() -> None:
        chosen = {name: value for name, value in form.items() if name != _CONFIRMED}
        delta = parse_delta(str(form.get("delta", "")))
        if delta is not None and delta > WEAK_DELTA and not form.get(_CONFIRMED):
            raise HTTPError(
                400, f"Delta {delta:g} is weak protection: tick that you know it, or choose {WEAK_DELTA:g} or less."
            )
        await service_of(request).release(job, chosen)

    return await _submitted(job, TaskName.RELEASE, requested(), form)


async def attack(request: Request) -> Response:
    """Attack the release."""
    job = job_of(request)
    return await _submitted(job, TaskName.ATTACK, service_of(request).attack(job), {})


async def record(request: Request) -> Response:
    """The record of the release, as a file."""
    return record_response(request, await _form(request))


async def show_help(request: Request) -> Response:
    """The steps in short, and what the words mean."""
    return rendered("help.html", service_of(request).settings)


async def _submitted(job: Job, task: TaskName, request: Awaitable[None], form: dict[str, Any]) -> Response:
    """Redirect after a form was sent: to the result, or back to the form, which then shows what is wrong.

    A form that was refused is kept as it was sent, so that the user's choice of method does not change unseen.
    """
    try:
        await request
    except HTTPError as error:
        if error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.SERVICE_UNAVAILABLE):
            job.drafts[task] = form
        if error.status != HTTPStatus.BAD_REQUEST:
            raise
        job.error, job.failed = error.message, task
        return _redirect(job, FORM_STEP[task])
    return _redirect(job, RESULT_STEP[task])


async def stop(request: Request) -> Response:
    """Stop the task, but keep the log."""
    job = job_of(request)
    await service_of(request).stop(job)
    return _redirect(job)


async def retry_preview(request: Request) -> Response:
    """Make the preview again after it failed."""
    job = job_of(request)
    form = await _form(request)
    try:
        await service_of(request).retry_preview(job, form)
    except HTTPError as error:
        if error.status != HTTPStatus.BAD_REQUEST:
            raise
        job.error, job.failed = error.message, TaskName.PREVIEW
    return _redirect(job)


async def delete(request: Request) -> Response:
    """Cancel a job and delete all its files."""
    job = job_of(request)
    await service_of(request).delete(job)
    return _redirect(job)


async def download(request: Request) -> Response:
    """The release or the private report."""
    return file_response(request)


async def static(request: Request) -> Response:
    """A style sheet, script or icon."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise not_found()
    return Response(_asset(name), media_type=ASSETS[name], headers={"cache-control": "max-age=3600"})


@cache
def _asset(name: str) -> bytes:
    for package in ("unsingle.web", "unsingle.report"):
        file = resources.files(package) / "assets" / name
        if file.is_file():
            return file.read_bytes()
    raise not_found()


async def _form(request: Request) -> dict[str, Any]:
    """The fields of a form; text that is not UTF-8 is accepted, but cannot name a column."""
    body = (await small_body(request)).decode("utf-8", errors="replace")
    return of_form(parse_qsl(body, keep_blank_values=True))


def _redirect(job: Job, section: str = PageStep.LOG) -> RedirectResponse:
    return RedirectResponse(f"/jobs/{job.id}#{section}", 303)


ROUTES = [
    Route("/", start),
    Route("/help", show_help),
    Route("/jobs", create, methods=["POST"]),
    Route("/demo", create_demo, methods=["POST"]),
    Route("/jobs/{id}", show),
    Route("/jobs/{id}/columns", read, methods=["POST"]),
    Route("/jobs/{id}/profile", save_profile),
    Route("/jobs/{id}/profile", take_profile, methods=["POST"]),
    Route("/jobs/{id}/release", release, methods=["POST"]),
    Route("/jobs/{id}/attack", attack, methods=["POST"]),
    Route("/jobs/{id}/record", record, methods=["POST"]),
    Route("/jobs/{id}/stop", stop, methods=["POST"]),
    Route("/jobs/{id}/preview", retry_preview, methods=["POST"]),
    Route("/jobs/{id}/delete", delete, methods=["POST"]),
    Route("/jobs/{id}/files/{file}", download),
    Route("/static/{name}", static),
]
