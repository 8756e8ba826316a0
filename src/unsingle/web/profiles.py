"""Profiles on the page: the choice of columns as a file for commands, and such a file as the choice of columns."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from ..core.wording import quoted
from ..errors import FormatError
from ..formats.base import format_of
from ..formats.profile import Profile
from ..formats.selection import activity_parts
from . import results
from .errors import HTTPError
from .forms import READING_LABELS, SECOND_COLUMNS, as_field
from .jobs import Job
from .views import small_body

_FIELD = "profile"  # of the form, with the file

_COLUMNS = ("case", "activity", "time", "start", "person", "keep", "keep_case")


def profile_of(job: Job) -> Profile | None:
    """How the log was read, with the columns that were guessed; None if it was not read."""
    preview = job.result(results.PREVIEW)
    if job.reading is None or preview is None:
        return None
    guessed = {role: preview["guess"].get(role) for role in ("case", "activity", "time")}
    reading = {role: name for role, name in guessed.items() if name} | job.reading.arguments()
    return Profile({"format": format_of("", job.format).format.name, **reading}, left_out=job.known_columns.left_out)


async def profile_in(request: Request) -> Profile:
    """The profile that was sent; raises `HTTPError` for what is none."""
    body = await small_body(request)

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body
        yield b""

    try:
        form = await MultiPartParser(request.headers, stream(), max_files=1, max_fields=1).parse()
        try:
            file = form.get(_FIELD)
            if not isinstance(file, UploadFile) or not file.filename:
                raise HTTPError(400, "Choose a profile: a TOML file that this page or the command wrote.")
            return Profile.parse((await file.read()).decode("utf-8-sig"), "The profile")
        finally:
            await form.close()
    except (MultiPartException, KeyError):
        raise HTTPError(400, "Send the profile as a file in a form (multipart/form-data).") from None
    except UnicodeDecodeError:
        raise HTTPError(400, "The profile is not text in UTF-8: choose a TOML file.") from None
    except FormatError as error:
        raise HTTPError(400, error.in_words(as_field)) from None


def as_form(profile: Profile, names: Sequence[str]) -> dict[str, Any]:
    """The form for columns as the profile fills it; what the page has no field for is left out."""
    fields = {name: value for name, value in profile.reading.items() if name in READING_LABELS}
    fields |= {name: list(value) for name, value in fields.items() if isinstance(value, tuple)}
    fields |= {name: "true" for name, value in fields.items() if value is True}
    for role, second in SECOND_COLUMNS.items():
        if fields.get(role) and fields[role] not in names:
            fields[role], _, fields[second] = fields[role].partition("+")
    return fields


def differences(profile: Profile, names: Sequence[str]) -> str:
    """Which columns the profile names and the log does not have, in a sentence; empty if it has all."""
    there = {name.lower() for name in names}
    missing = []
    for key in _COLUMNS:
        value = profile.reading.get(key)
        columns = activity_parts(value, names) if isinstance(value, str) else tuple(value or ())
        missing += [f"{quoted(each)} ({READING_LABELS[key]})" for each in columns if each.lower() not in there]
    if not missing:
        return ""
    return f"The profile does not fit this log: there is no column {', '.join(missing)}. Choose others"
