"""The API is what its description says: every route, every answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

import unsingle
from support.web import Site, Visitor, serving
from unsingle.formats.base import file_kinds
from unsingle.methods import DEFAULT
from unsingle.web import api, pages
from unsingle.web.catalogue import methods
from unsingle.web.openapi import openapi

DESCRIPTION = openapi()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as running:
        yield running


class Checked(Visitor):
    """A client that compares every answer with the description."""

    def __init__(self, site: Site) -> None:
        super().__init__(site, event_hooks={"response": [self._check]})
        self.seen: set[tuple[str, str, str]] = set()

    def _check(self, answer: httpx.Response) -> None:
        answer.read()
        path, method = _template(answer.url.path), answer.request.method.lower()
        described = DESCRIPTION["paths"][path][method]["responses"]
        status = str(answer.status_code)
        assert status in described, (method, path, status)
        self.seen.add((method, path, status))
        content = described[status].get("content", {})
        if not content:
            assert answer.content == b""
        elif "application/json" in content:
            assert answer.headers["content-type"] == "application/json"
            _valid(answer.json(), content["application/json"]["schema"])
        else:
            assert answer.headers["content-type"] in content


def _template(path: str) -> str:
    parts = path.split("/")
    if len(parts) > 3 and parts[2] == "jobs":
        parts[3] = "{id}"
    if len(parts) > 5:
        parts[5] = "{file}"
    return "/".join(parts)


def _valid(instance: Any, schema: dict[str, Any]) -> None:
    whole = {**schema, "components": DESCRIPTION["components"]}
    Draft202012Validator(whole).validate(instance)


def test_the_description_is_valid_and_of_this_version() -> None:
    validate(DESCRIPTION)
    assert DESCRIPTION["info"]["version"] == unsingle.__version__
    choice = DESCRIPTION["components"]["schemas"]["Choice"]["properties"]
    assert choice["method"]["enum"] == list(methods())
    assert choice["method"]["default"] == DEFAULT == methods()[0]
    assert choice["format"]["enum"] == list(file_kinds(written=True))


def test_every_route_is_described_and_every_description_has_a_route() -> None:
    routes = {(method.lower(), route.path) for route in api.ROUTES for method in (route.methods or ()) - {"HEAD"}}
    described = {
        (method, path)
        for path, item in DESCRIPTION["paths"].items()
        for method in item
        if method in ("get", "post", "delete", "put", "patch")
    }
    assert routes == described


def test_every_button_of_the_page_has_its_like_in_the_api() -> None:
    posts = {route.path for route in pages.ROUTES if "POST" in (route.methods or ())}
    by_api = {route.path.removeprefix("/api") for route in api.ROUTES if "POST" in (route.methods or ())}
    # the first is DELETE there, and the second fills in a form: requests for columns take the keys of a profile
    assert posts - by_api == {"/jobs/{id}/delete", "/jobs/{id}/profile"}


def test_every_answer_is_as_described(site: Site, hospital: Path) -> None:
    with Checked(site) as visitor:
        assert visitor.get("/api").json()["methods"] == list(methods())
        assert visitor.get("/api/openapi.json").json() == DESCRIPTION
        assert visitor.get("/api/guarantees", params={"delta": 0.1}).json().keys() == set(methods())
        assert visitor.get("/api/guarantees", params={"delta": 7}).status_code == 400
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        assert visitor.get(f"/api/jobs/{job}/risk").status_code == 409
        visitor.wait(job)
        visitor.get(f"/api/jobs/{job}/preview")
        assert visitor.post(f"/api/jobs/{job}/preview").status_code == 409
        assert visitor.post(f"/api/jobs/{job}/columns", json={"case": ["x"]}).status_code == 400
        visitor.read(job, timezone="Europe/Berlin")
        visitor.get(f"/api/jobs/{job}/risk")
        visitor.get(f"/api/jobs/{job}/predictions")
        assert visitor.get(f"/api/jobs/{job}/release").status_code == 409
        assert visitor.post(f"/api/jobs/{job}/release", json={"delta": 0}).status_code == 400
        visitor.release(job)
        visitor.get(f"/api/jobs/{job}/release")
        visitor.get(f"/api/jobs/{job}/files/release")
        assert visitor.get(f"/api/jobs/{job}/attack").status_code == 409
        assert visitor.post(f"/api/jobs/{job}/attack").status_code == 202
        visitor.wait(job)
        assert visitor.get(f"/api/jobs/{job}/attack").json()["holds"] is True
        assert visitor.post(f"/api/jobs/{job}/record", json={"decision": "publish"}).status_code == 200
        assert visitor.post(f"/api/jobs/{job}/record", json={"decision": "?"}).status_code == 400
        visitor.get("/api/jobs")
        assert visitor.get(f"/api/jobs/{job}/files/original").status_code == 404
        visitor.post(f"/api/jobs/{job}/stop")
        visitor.delete(f"/api/jobs/{job}")
        assert visitor.get(f"/api/jobs/{job}").status_code == 404
        visitor.wait_for(visitor.post("/api/demo").json()["id"], lambda state: bool(state["preview"]))
        assert visitor.post("/api/jobs").status_code == 400
        tried = {(method, path) for method, path, _ in visitor.seen}
    described = {
        (method, path) for path, item in DESCRIPTION["paths"].items() for method in item if method != "parameters"
    }
    assert tried == described
