"""The pages: rendered here, with all steps of a job on one page. They work without JavaScript, too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
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

from .. import __version__
from ..clock import GRIDS
from ..formats.files import FORMATS
from ..methods import method_named
from ..methods.synthetic import USUAL_DELTA
from ..report.figures import hours_text
from ..report.writing import Section, drawn, embedded_json
from ..tabular import PRIVATE
from ..wording import percent
from . import worker
from .api import command_for, described, guarantee_of
from .asking import answer_for, desk_of, file_answer, job_of, owner_of, small_body
from .choices import COLUMNS, DELTAS, LADDER, READING, SUGGESTED, delta_in, guarantees, spelled_out
from .desk import Desk
from .guarding import give_cookie, sends_its_cookies
from .jobs import Job, utc
from .refusing import Refused, not_here
from .settings import Settings, in_words

ASSETS = {
    "report.css": "text/css",
    "report.js": "text/javascript",
    "plotly-basic.min.js": "text/javascript",
    "dagre.min.js": "text/javascript",
    "web.css": "text/css",
    "web.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}

METHODS = {
    "twin": (
        "Same paths",
        "All paths stay. Cases and times are made up from noised figures, so that someone who knows every other case "
        "gains at most delta on average.",
    ),
    "twin-crowds": (
        "Paths taken by many",
        "Only paths that many people took are published, others are made up. The same promise, also for people who are "
        "alone on their path.",
    ),
    "strict": (
        "Paths taken by many, with the budget of differential privacy itself",
        "The promise holds for every outcome, not on average. It needs a large log.",
    ),
    "amun": (
        "The paper's method",
        "Of Elkoumy, Pankova and Dumas (2021), leaks closed: all paths stay, cases are added, noise on each duration.",
    ),
    "sample": ("Smaller", "As amun, but cases are also removed; rare paths may go."),
    "filter": ("Without those who stand out", "Cases that stand out are dropped first, then as sample."),
}
"""What each method does: a title and a sentence."""

FORM_OF = {"assess": "log", "release": "delta"}
RESULT_OF = {"assess": "risk", "release": "release"}
"""Where on the page one orders a task, and where its result stands."""

STEPS = {
    "look": "looking at the file",
    "read": "reading the log",
    "assess": "looking for people who stand out",
    "sweep": "predicting what each delta gives",
    "load": "loading",
    "automaton": "building the automaton of paths",
    "counts": "choosing how many cases each path gets",
    "paths": "choosing paths",
    "times": "putting noise on times",
    "measure": "measuring",
    "write": "writing the release",
    "compare": "comparing before and after",
}
"""The steps of tasks in words."""


@cache
def _templates() -> jinja2.Environment:
    loaders = [jinja2.PackageLoader(f"unsingle.{room}") for room in ("web", "report")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"percent": percent, "hours": hours_text, "utc": utc, "duration": in_words}
    return environment


def rendered(template: str, settings: Settings, code: int = HTTPStatus.OK, **values: Any) -> HTMLResponse:
    """A page."""
    html = _templates().get_template(template).render(
        settings=settings, version=__version__, private=PRIVATE, steps=STEPS, **values
    )  # fmt: skip
    return HTMLResponse(html, code)


def message_page(settings: Settings, status: int, message: str) -> HTMLResponse:
    """A page that says why something was not done."""
    return rendered("message.html", settings, status, status=status, message=message)


async def start(request: Request) -> Response:
    """Where a log is brought. Who comes here is known from then on: two windows that bring logs are the same owner."""
    desk, owner = desk_of(request), owner_of(request)
    page = rendered("start.html", desk.settings, jobs=desk.jobs.of(owner))
    if owner is None and sends_its_cookies(request):
        give_cookie(page, desk.settings, desk.new_owner())
    return page


async def show(request: Request) -> Response:
    """A job with all its steps; or why it is gone."""
    desk, job_id = desk_of(request), request.path_params["id"]
    owner = owner_of(request) or desk.adopt(job_id)
    if farewell := desk.jobs.farewell(job_id, owner):
        return rendered("gone.html", desk.settings, HTTPStatus.GONE, farewell=farewell)
    job = desk.find(job_id, owner)
    page = await asyncio.to_thread(lambda: rendered("job.html", desk.settings, **_shown(job, desk)))
    return answer_for(request, page, job)


def _shown(job: Job, desk: Desk) -> dict[str, Any]:
    """Everything that the page of a job needs."""
    risk, release = job.result(worker.RISK), job.result(worker.RELEASE)
    sections = [Section(**section) for section in risk["page"]["sections"][:1]] if risk else []
    sections += [Section(**section) for section in release["page"]["sections"]] if release else []
    look, choice = job.result(worker.LOOK), _choice_fields(job)
    delta = delta_in(choice["delta"])
    promised = guarantees(delta) if delta is not None else {}
    labels = risk["risk"]["by_activity"] if risk else []
    return {
        "job": job,
        "state": described(job, desk),
        "look": look,
        "reading": _reading_fields(job, look) if look else {},
        "choice": choice,
        "fields": READING,
        "risk": risk,
        "lonely_labels": [each["activity"] for each in labels if each["cases"] == 1],
        "labels": len(labels),
        "release": release,
        "sections": sections,
        "data": Markup(embedded_json({**drawn(sections), "points": job.points})),
        "ladders": (
            ("Three methods, each promising more than the one before", LADDER),
            ("The paper's methods, which promise less", [name for name in SUGGESTED if name not in LADDER]),
        ),
        "methods": METHODS,
        "spelled": {name: " --paths ".join(spelled_out(name).values()) for name in SUGGESTED},
        "keeps_all_paths": [name for name in SUGGESTED if method_named(name).keeps_variants],
        "usual_delta": USUAL_DELTA,
        "delta": delta,
        "predicted": {point["method"]: point for point in job.points if point["delta"] == delta},
        "all_predicted": len(job.points) == len(DELTAS) * len(SUGGESTED),
        "guarantees": {method: guarantee_of(each) for method, each in promised.items()},
        "formats": FORMATS,
        "grids": GRIDS,
        "command": command_for(job) if release else "",
    }


def _reading_fields(job: Job, look: dict[str, Any]) -> dict[str, str]:
    """The form for columns: as it was sent if that was refused, else as the log was read, else as was guessed."""
    fields = dict.fromkeys((*READING, "activity_and"), "")
    fields |= {role: look["guess"][role] or "" for role in COLUMNS} | job.reading
    if fields["activity"] not in look["names"]:
        fields["activity"], _, fields["activity_and"] = fields["activity"].partition("+")
    return fields | job.drafts.get("assess", {})


def _choice_fields(job: Job) -> dict[str, str]:
    """The form for a release: as it was sent if that was refused, else as the release was made."""
    fields = {"delta": "0.2", "method": SUGGESTED[0], "format": "xes.gz", "grid": ""}
    if made := job.choice:
        fields |= {"delta": f"{made['delta']:g}", "method": made["method"], "format": made["format"]}
        fields |= {"grid": made["grid"] or ""}
    return fields | job.drafts.get("release", {})


async def create(request: Request) -> Response:
    """Take a log from a form without scripts."""
    job = await desk_of(request).take_upload(request, owner_of(request))
    return answer_for(request, _to(job), job)


async def create_demo(request: Request) -> Response:
    """Make the demo log."""
    desk = desk_of(request)
    job = desk.make_demo(owner_of(request) or desk.new_owner())
    return answer_for(request, _to(job), job)


async def columns(request: Request) -> Response:
    """Read the log."""
    job, form = job_of(request), await _form(request)
    return await _ordered(job, "assess", desk_of(request).read(job, form), form)


async def release(request: Request) -> Response:
    """Make a release."""
    job, form = job_of(request), await _form(request)
    return await _ordered(job, "release", desk_of(request).release(job, form), form)


async def _ordered(job: Job, task: str, order: Awaitable[None], form: dict[str, str]) -> Response:
    """Where to go after an order; what cannot be chosen is told beside the choice, and not on a page of its own.

    The form of an order that was refused is kept: a strict method must not become another one unseen.
    """
    try:
        await order
    except Refused as refused:
        if refused.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.SERVICE_UNAVAILABLE):
            job.drafts[task] = form
        if refused.status != HTTPStatus.BAD_REQUEST:
            raise
        job.error, job.failed = refused.message, task
        return _to(job, FORM_OF[task])
    return _to(job, RESULT_OF[task])


async def stop(request: Request) -> Response:
    """End the work under way, but keep the log."""
    job = job_of(request)
    await desk_of(request).stop(job)
    return _to(job)


async def look_again(request: Request) -> Response:
    """Look at the file again, if that could not be done."""
    job = job_of(request)
    desk_of(request).look_again(job)
    return _to(job)


async def delete(request: Request) -> Response:
    """Cancel a job and remove all its files."""
    job = job_of(request)
    await desk_of(request).delete(job)
    return _to(job)


async def download(request: Request) -> Response:
    """The release or the private report."""
    return file_answer(request)


async def static(request: Request) -> Response:
    """A style sheet or a script of ours."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise not_here()
    return Response(_content(name), media_type=ASSETS[name], headers={"cache-control": "max-age=3600"})


@cache
def _content(name: str) -> bytes:
    for room in ("unsingle.web", "unsingle.report"):
        file = resources.files(room) / "assets" / name
        if file.is_file():
            return file.read_bytes()
    raise not_here()


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; text that is not UTF-8 is not refused, but cannot name a column."""
    return dict(parse_qsl((await small_body(request)).decode("utf-8", errors="replace"), keep_blank_values=True))


def _to(job: Job, step: str = "log") -> RedirectResponse:
    return RedirectResponse(f"/jobs/{job.id}#{step}", 303)


ROUTES = [
    Route("/", start),
    Route("/jobs", create, methods=["POST"]),
    Route("/demo", create_demo, methods=["POST"]),
    Route("/jobs/{id}", show),
    Route("/jobs/{id}/columns", columns, methods=["POST"]),
    Route("/jobs/{id}/release", release, methods=["POST"]),
    Route("/jobs/{id}/stop", stop, methods=["POST"]),
    Route("/jobs/{id}/look", look_again, methods=["POST"]),
    Route("/jobs/{id}/delete", delete, methods=["POST"]),
    Route("/jobs/{id}/files/{file}", download),
    Route("/static/{name}", static),
]
