"""Attacks on the web page: each is refused, and shows nothing that it should not."""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import socket
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from support.web import PATIENCE, Site, files_in, serving
from unsingle.web.logs import redacted
from unsingle.web.security import HEADERS
from unsingle.web.uploads import shown_name

LOG = b"case,activity,time\n1,A,2024-01-01\n1,B,2024-01-02\n2,A,2024-01-03\n2,B,2024-01-05\n"
TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site"), max_upload=1_000_000) as running:
        yield running


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that asks for a token."""
    with serving(tmp_path_factory.mktemp("locked"), token=TOKEN) as running:
        yield running


# ------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name",
    ["../../evil.csv", "/etc/evil.csv", "..\\..\\evil.csv", "C:\\evil.csv", "evil.csv/../../../x.csv",
     "a\x00/../evil.csv", "%2e%2e%2fevil.csv", "lock.csv", ".csv", "x" * 300 + ".csv"],
)  # fmt: skip
def test_a_name_never_becomes_a_path(name: str, site: Site) -> None:
    before = {path for path in files_in(site.folder.parent) if "evil" in path.name}
    with site.visitor() as visitor:
        body = (
            b'--b\r\nContent-Disposition: form-data; name="log"; filename="' + name.encode() + b'"\r\n\r\n'
            + LOG + b"\r\n--b--\r\n"
        )  # fmt: skip
        answer = visitor.post("/api/jobs", content=body, headers={"content-type": "multipart/form-data; boundary=b"})
        if answer.status_code == 201:
            job = answer.json()
            assert not set(job["name"]) & set("/\\\0")
            visitor.wait(job["id"])
            owner = visitor.cookies[f"unsingle-{site.service.settings.port}"]
            folder = site.service.jobs.find(job["id"], owner).folder
            assert {path.name for path in folder.iterdir()} <= {"original.csv", "preview.json"}
            visitor.delete(f"/api/jobs/{job['id']}")
        else:
            assert answer.status_code == 400
    assert {path for path in files_in(site.folder.parent) if "evil" in path.name} == before


def test_shown_names_are_short_and_printable() -> None:
    assert shown_name("x" * 200 + ".csv") == "…" + "x" * 76 + ".csv"
    assert shown_name("a\r\nSet-Cookie: x\u202e.csv") == "aSet-Cookie: x.csv"


@pytest.mark.parametrize(
    "path",
    ["/static/../service.py", "/static/..%2fservice.py", "/static/%2e%2e/%2e%2e/log.py", "/static/openapi.json",
     "/static//etc/passwd", "/jobs/../../etc/passwd", "/jobs/x/files/..%2foriginal.csv"],
)  # fmt: skip
def test_nothing_but_its_own_files_is_served(path: str, site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.service.settings.port), timeout=PATIENCE) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while piece := raw.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 404")


# ------------------------------------------------------------------------------------------------ whose jobs


def test_ids_cannot_be_guessed_and_foreign_jobs_are_not_there(site: Site) -> None:
    with site.visitor() as owner, site.visitor() as stranger:
        job = owner.upload_and_wait(LOG)
        assert re.fullmatch("[0-9a-f]{32}", job)
        assert len({owner.upload(LOG) for _ in range(3)} | {job}) == 4
        own = stranger.upload_and_wait(LOG)
        owner.read(job)
        owner.release(job)
        asked = [("GET", f"/jobs/{job}{rest}") for rest in ("", "/files/release", "/files/report")]
        asked += [
            ("GET", f"/api/jobs/{job}{rest}")
            for rest in ("", "/preview", "/risk", "/predictions", "/release", "/files/release", "/files/report")
        ]
        asked += [("POST", f"/jobs/{job}/{step}") for step in ("columns", "release", "stop", "delete")]
        asked += [("POST", f"/api/jobs/{job}/{step}") for step in ("columns", "release", "stop")]
        asked += [("DELETE", f"/api/jobs/{job}")]
        with httpx.Client(base_url=site.url, cookies={f"unsingle-{site.service.settings.port}": "0" * 32}) as forger:
            for who in (stranger, forger):
                for method, path in asked:
                    foreign = who.request(method, path)
                    missing = who.request(method, path.replace(job, "f" * 32))
                    assert foreign.status_code == missing.status_code == 404
                    assert foreign.text == missing.text  # nobody can tell whether it is there
        assert job not in stranger.get("/").text
        assert [each["id"] for each in stranger.get("/api/jobs").json()] == [own]
        assert owner.get(f"/api/jobs/{job}").json()["release"]  # nothing happened to it


@pytest.mark.parametrize("head", [b"X: " + b"x" * 50_000, b"X: x\r\n" * 5_000])
def test_endless_headers_of_a_part_are_refused(head: bytes, site: Site) -> None:
    with site.visitor() as visitor:
        kind = {"content-type": "multipart/form-data; boundary=b"}
        answer = visitor.post("/api/jobs", content=b"--b\r\n" + head, headers=kind)
        assert (answer.status_code, answer.json()["error"][:24]) == (400, "The upload is not a vali")


def test_two_windows_of_a_first_visit_belong_to_the_same_owner(site: Site) -> None:
    name = f"unsingle-{site.service.settings.port}"
    with site.visitor() as first:
        first.get("/")
        known = first.cookies[name]
        with site.visitor(cookies=dict(first.cookies)) as second:  # which uploads before the first has its answer
            jobs = {first.upload(LOG), second.upload(LOG)}
        assert {job["id"] for job in first.get("/api/jobs").json()} == jobs
        assert "set-cookie" not in first.get("/").headers
        assert first.cookies[name] == known
    with site.visitor() as from_elsewhere:  # a browser sends no strict cookie then: what it has must not be replaced
        link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
        assert "set-cookie" not in from_elsewhere.get("/", headers=link).headers


def test_the_cookie_is_not_for_scripts_and_not_for_other_sites(site: Site) -> None:
    with site.visitor() as visitor:
        answer = visitor.post("/api/demo")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        visitor.delete(f"/api/jobs/{answer.json()['id']}")


# -------------------------------------------------------------------------------------------------- tokens


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1], TOKEN + "0", TOKEN.upper(), "é"])
@pytest.mark.parametrize("path", ["/", "/api", "/api/jobs", "/jobs/x", "/nowhere"])
def test_without_the_right_token_nobody_gets_anything(token: str | None, path: str, locked: Site) -> None:
    with locked.visitor() as visitor:
        for answer in (
            visitor.get(path, params={} if token is None else {"token": token}),
            visitor.get(path, headers={"authorization": f"Bearer {token}".strip().encode()}),
            visitor.post("/api/jobs", files={"log": ("a.csv", LOG)}, headers={"authorization": str(token).encode()}),
            visitor.post("/demo", headers={"cookie": f"unsingle-{locked.service.settings.port}={'0' * 32}"}),
        ):
            assert answer.status_code == 401
            assert "set-cookie" not in answer.headers
            assert TOKEN not in answer.text
    assert locked.files() == []


def test_what_says_that_a_token_is_needed_can_be_read(locked: Site) -> None:
    with locked.visitor() as visitor:
        assert "it contains the token" in visitor.get("/").text
        assert visitor.get("/static/web.css").status_code == 200


def test_with_the_token_one_comes_in_and_it_leaves_the_address(locked: Site) -> None:
    with locked.visitor(follow_redirects=True) as visitor:
        page = visitor.get("/", params={"token": TOKEN})
        assert (page.status_code, page.url.query) == (200, b"")
        assert TOKEN not in page.text
        assert visitor.get("/").status_code == 200  # the cookie stands for it
        assert TOKEN not in str(dict(visitor.cookies))
        first = visitor.cookies[f"unsingle-{locked.service.settings.port}"]
        visitor.get("/", params={"token": TOKEN})  # once more
        assert visitor.cookies[f"unsingle-{locked.service.settings.port}"] == first  # still the same owner
        away = visitor.get(f"{locked.url}//evil.example/?token={TOKEN}", follow_redirects=False)
        assert away.headers["location"] == "/evil.example/"
    with locked.visitor(headers={"authorization": f"Bearer {TOKEN}"}) as program:
        job = program.upload_and_wait(LOG)
        program.delete(f"/api/jobs/{job}")


# --------------------------------------------------------------------------------------------- other sites


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "https://127.0.0.1"},
     {"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
     {"sec-fetch-site": "cross-site", "origin": "http://evil.example"}],
)  # fmt: skip
def test_posts_from_other_pages_are_refused(headers: dict[str, str], site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(LOG)
        assert visitor.post("/api/jobs", files={"log": ("a.csv", LOG)}, headers=headers).status_code == 403
        assert visitor.post("/demo", headers=headers).status_code == 403
        assert visitor.post(f"/jobs/{job}/delete", headers=headers).status_code == 403
        assert visitor.delete(f"/api/jobs/{job}", headers=headers).status_code == 403
        assert visitor.get(f"/api/jobs/{job}").status_code == 200
        assert visitor.delete(f"/api/jobs/{job}", headers={"origin": site.url}).status_code == 204


def test_what_another_page_embeds_is_not_served_but_a_link_is(site: Site) -> None:
    with site.visitor() as visitor:
        for mode, status in (("no-cors", 403), ("cors", 403), ("navigate", 200)):
            headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
            assert visitor.get("/api/guarantees?delta=0.00001", headers=headers).status_code == status


def test_a_guarantee_of_any_delta_is_cheap(site: Site) -> None:
    with site.visitor() as visitor:
        began = time.monotonic()
        for delta in ("0.001", "0.0001", "1e-7", "1e-12", "1e-300", "0.999999"):
            assert visitor.get("/api/guarantees", params={"delta": delta}).status_code == 200
        assert time.monotonic() - began < 10


def test_nobody_may_read_answers_from_other_pages(site: Site) -> None:
    with site.visitor() as visitor:
        answer = visitor.options("/api/jobs", headers={"origin": "http://evil.example"})
        assert not [name for name in answer.headers if name.startswith("access-control")]
        answer = visitor.get("/api/jobs", headers={"origin": "http://evil.example"})
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("host", ["x/static/", "127.0.0.1/static/"])
def test_a_name_of_the_machine_is_no_way_around_the_token(host: str, locked: Site) -> None:
    with locked.visitor() as visitor:
        assert visitor.get("/api", headers={"host": host}).status_code in (400, 401, 421)


def test_who_has_logs_here_is_not_forgotten_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unsingle.web.sessions.MAX_SESSIONS", 5)
    with serving(tmp_path) as site, site.visitor() as visitor:
        job = visitor.upload_and_wait(LOG)
        for _ in range(20):
            with site.visitor() as other:
                other.post("/api/jobs")  # refused
                site.service.start_session()
        assert visitor.get(f"/api/jobs/{job}").status_code == 200


def test_a_connection_that_asks_nothing_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unsingle.web.server._IDLE_TIMEOUT", 0.2)
    with (
        serving(tmp_path) as site,
        socket.create_connection(("127.0.0.1", site.service.settings.port), timeout=PATIENCE) as silent,
    ):
        assert silent.recv(1) == b""


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1", "", "10.0.0.1:8998"])
def test_a_name_that_was_made_to_point_here_is_refused(host: str, site: Site) -> None:
    with site.visitor() as visitor:
        assert visitor.get("/", headers={"host": host}).status_code in (400, 421)
        for own in ("localhost", "localhost:1", "127.0.0.1", "[::1]:8998"):
            assert visitor.get("/", headers={"host": own}).status_code == 200


# ------------------------------------------------------------------------------------------------- uploads


def chunks(total: int, piece: int = 65536) -> Iterator[bytes]:
    yield b'--b\r\nContent-Disposition: form-data; name="log"; filename="log.csv"\r\n\r\n'
    for _ in range(total // piece):
        yield b"x" * piece


def test_an_upload_that_says_it_is_too_large_is_refused_at_once(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.service.settings.port), timeout=PATIENCE) as raw:
        raw.sendall(
            b"POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        )
        answer = b""
        while b"}" not in answer:
            answer += raw.recv(65536)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"larger than the limit of 1 MB" in answer


def test_an_upload_that_does_not_say_its_size_is_ended_when_it_is_too_large(site: Site) -> None:
    before = site.files()
    with site.visitor() as visitor:
        try:
            answer = visitor.post(
                "/api/jobs", content=chunks(50_000_000), headers={"content-type": "multipart/form-data; boundary=b"}
            )
            assert answer.status_code == 413
        except httpx.WriteError:  # the server hung up while we still sent
            pass
    assert site.files() == before


@pytest.mark.parametrize("limits", [{"idle_time": 0.3}, {"upload_time": 0.6}], ids=["silent", "trickling"])
def test_an_upload_that_does_not_end_is_ended(limits: dict[str, float], tmp_path: Path) -> None:
    with (
        serving(tmp_path, **limits) as site,
        socket.create_connection(("127.0.0.1", site.service.settings.port), timeout=PATIENCE) as raw,
    ):
        raw.sendall(
            b"POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        )
        head = b'--b\r\nContent-Disposition: form-data; name="log"; filename="log.csv"\r\n\r\n'
        raw.sendall(f"{len(head):x}\r\n".encode() + head + b"\r\n")
        raw.settimeout(0.1)
        answer, end = b"", time.monotonic() + PATIENCE
        while not answer and time.monotonic() < end:
            try:
                if "upload_time" in limits:
                    raw.sendall(b"1\r\nx\r\n")
                answer = raw.recv(65536)
            except TimeoutError:
                continue
        assert answer.startswith(b"HTTP/1.1 408")
        assert site.files() == []


def test_an_upload_that_is_broken_off_leaves_nothing(site: Site) -> None:
    before = site.files()
    with socket.create_connection(("127.0.0.1", site.service.settings.port), timeout=PATIENCE) as raw:
        raw.sendall(
            b"POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500000\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
            b'--b\r\nContent-Disposition: form-data; name="log"; filename="log.csv"\r\n\r\n' + b"x" * 100_000
        )
        end = time.monotonic() + PATIENCE
        while site.files() == before and time.monotonic() < end:
            time.sleep(0.02)
        assert len(site.files()) == len(before) + 1
    while site.files() != before and time.monotonic() < end:
        time.sleep(0.02)
    assert site.files() == before


@pytest.mark.parametrize(
    "body",
    [b"", b"--b--", b"--b\r\n\r\n", b"no form at all",
     b'--b\r\nContent-Disposition: form-data; name="log"; filename="a.csv"\r\n\r\nnever ends',
     b"--b\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
     b"--b\r\nX: " + b"y" * 100_000 + b"\r\n\r\n"],
    ids=["empty", "nothing in it", "no headers", "no form", "no end", "many headers", "long header"],
)  # fmt: skip
def test_a_form_that_is_none_is_refused(body: bytes, site: Site) -> None:
    before = site.files()
    with site.visitor() as visitor:
        answer = visitor.post("/api/jobs", content=body, headers={"content-type": "multipart/form-data; boundary=b"})
        assert answer.status_code == 400
        long = f"multipart/form-data; boundary={'b' * 5000}"
        for kind in ("text/plain", "multipart/form-data", "application/json", long, "multipart/form-data; boundary="):
            assert visitor.post("/api/jobs", content=body, headers={"content-type": kind}).status_code == 400
    assert site.files() == before


@pytest.mark.parametrize("name", ["bomb.xes.gz", "bomb.csv.gz"])
def test_a_gzip_bomb_is_refused(name: str, site: Site) -> None:
    start = b"<log>" if "xes" in name else b"case,activity,time\n1,A,2024-01-01\n"
    bomb = gzip.compress(start) + gzip.compress(b" " * 10_000_000) * 60
    assert len(bomb) < 1_000_000
    with site.visitor() as visitor:
        began = time.monotonic()
        job = visitor.upload(bomb, name)
        state = visitor.wait(job)
        if state["state"] == "ready":  # of CSV, only the beginning was looked at
            state = visitor.read(job)
        assert "unpacks to more than 500 times its size, which no log does" in state["error"]
        assert time.monotonic() - began < PATIENCE
        owner = visitor.cookies[f"unsingle-{site.service.settings.port}"]
        assert not site.service.jobs.find(job, owner).folder.exists()


# --------------------------------------------------------------------------------------------- what is shown

NASTY = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}</title>&lt;"


class Shape(HTMLParser):
    """The elements of a page, and which of them could run something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.running: list[str] = []
        self._in_script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if any(name.startswith("on") or name == "style" for name in given) or tag in ("style", "iframe", "object"):
            self.running.append(f"{tag} {given}")
        if "javascript:" in " ".join(value or "" for value in given.values()):
            self.running.append(f"{tag} {given}")
        self._in_script = tag == "script" and given.get("type") != "application/json" and "src" not in given
        if tag == "img" and not (given.get("src") or "").startswith("/static/"):
            self.running.append(f"{tag} {given}")

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.running.append(data)


def test_html_in_names_labels_and_columns_is_text(site: Site) -> None:
    column = NASTY.replace('"', "'").replace(",", "")
    content = f"case,{column},time\n" + "".join(
        f"{case},{column if case % 2 else 'B'},2024-01-0{case}\n{case},C,2024-01-0{case}\n" for case in range(1, 9)
    )
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(content.encode(), "<script>alert(1)<x>{{ 7*7 }}.csv")
        pages = [visitor.get("/").text, visitor.get(f"/jobs/{job}").text]
        assert visitor.read(job, activity=NASTY)["error"]  # no such column: told, with what was asked for
        pages.append(visitor.get(f"/jobs/{job}").text)
        state = visitor.read(job, activity=column)
        assert state["risk"], state
        visitor.release(job)
        pages.append(visitor.get(f"/jobs/{job}").text)
        for page in pages:
            assert Shape(page).running == []
            assert "<script>alert" not in page
            assert "&lt;script&gt;alert(1)&lt;" in page
            assert "{{ 7*7 }}" in page
            data = re.search(r'<script id="data" type="application/json">(.*?)</script>', page)
            if data:
                json.loads(data[1])


def test_wide_tables_and_long_names_do_not_hold_up_the_server(site: Site) -> None:
    wide = ",".join(["case", "activity", "time", *(f"c{i}" for i in range(8000))])
    long = f"case,activity,time\n1,{'x' * 400_000},2024-01-01\n"
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(f"{wide}\n{','.join('1' * 8003)}\n".encode())
        began = time.monotonic()
        assert visitor.get(f"/jobs/{job}").text.count("<th ") == 100
        assert time.monotonic() - began < 5
        job = visitor.upload_and_wait(long.encode())
        assert len(visitor.get(f"/jobs/{job}").text) < 100_000
        assert "a name of 400,000 letters" in visitor.read(job)["error"]


def test_every_answer_carries_the_headers(site: Site, locked: Site) -> None:
    with site.visitor() as visitor, locked.visitor() as stranger:
        job = visitor.upload_and_wait(LOG)
        for answer in (
            visitor.get("/"), visitor.get(f"/jobs/{job}"), visitor.get("/nowhere"), visitor.get(f"/api/jobs/{job}"),
            visitor.post("/api/jobs"), visitor.get("/static/web.js"), stranger.get("/"),
            visitor.get("/", headers={"host": "evil.example"}), visitor.put("/"),
        ):  # fmt: skip
            for name, value in HEADERS.items():
                if name != "cache-control" or "static" not in str(answer.url):
                    assert answer.headers[name] == value, (answer.url, name)
            assert "server" not in answer.headers
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "http" not in policy  # nothing from elsewhere


# ------------------------------------------------------------------------------------------------- silence


def test_the_servers_log_and_its_error_pages_tell_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "MrsSmith"
    with serving(tmp_path) as site, site.visitor() as visitor:
        job = visitor.upload_and_wait(f"case,activity,time\n{secret},A,soon\n".encode(), f"{secret}.csv")
        assert secret in visitor.read(job)["error"]  # its owner is told where it is
        refused = [visitor.get(f"/jobs/{secret}"), visitor.post("/api/jobs", files={"log": (f"{secret}.txt", b"")})]

        def fails(*_: object) -> None:
            raise ValueError(secret)

        monkeypatch.setattr(site.service, "find", fails)
        refused += [visitor.get(f"/jobs/{job}"), visitor.get(f"/api/jobs/{job}")]
        assert [answer.status_code for answer in refused] == [404, 400, 500, 500]
        for answer in refused:
            assert secret not in answer.text
            assert "Traceback" not in answer.text
    told = "\n".join(record.getMessage() + str(record.exc_text or "") for record in caplog.records)
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name == "unsingle.web")
    assert "ValueError at fails:" in ours
    assert "POST /api/jobs 400" in ours
    for word in (secret, job, "soon", os.fspath(tmp_path)):
        assert word not in ours
    assert secret not in "\n".join(line for line in told.splitlines() if "HTTP Request" not in line)  # httpx is ours


def test_an_error_is_told_without_its_message() -> None:
    try:
        {}["MrsSmith"]
    except KeyError as error:
        told = redacted(error)
    assert told.startswith("KeyError at test_an_error")
    assert "Smith" not in told


def test_workers_see_no_name_and_their_command_line_tells_nothing(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload(LOG, "MrsSmith.csv")
        lines, end = set(), time.monotonic() + PATIENCE
        while visitor.get(f"/api/jobs/{job}").json()["state"] != "ready" and time.monotonic() < end:
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    lines.add(path.read_bytes())
                except OSError:
                    continue
        assert any(b"unsingle.web.worker" in line for line in lines)
        assert not any(b"Smith" in line or job.encode() in line for line in lines)
