"""What is written: whole or not at all, never over the input, and nothing that tells where it came from."""

from __future__ import annotations

import contextlib
import errno
import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.helpers import log_of
from unsingle import OutputError, read_log, synthesize, write_log
from unsingle.cli.app import main
from unsingle.formats.base import file_kinds
from unsingle.formats.facts import beside
from unsingle.formats.output import _Unfinished, atomic_output

LOG = log_of([(["A", "B"], [0, 60_000]), (["A"], [0])])
CSV = "case,activity,time\n1,A,2024-01-01\n1,B,2024-01-02\n2,A,2024-01-01\n"
COMMAND = [sys.executable, "-m", "unsingle"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "Zebraklinik-Meier.csv"
    path.write_text(CSV)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "out"
    path.mkdir()
    return path


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], input=stdin)


def refused(result: Result, message: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


# --- over nothing that is there ----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_there", [True, False])
def test_a_release_that_cannot_be_replaced_keeps_what_it_says_of_itself(
    is_there: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = folder / "release.csv"
    about = Path(beside(str(target)))
    if is_there:
        write_log(LOG, target, facts={"delta": 0.1})
    earlier = {path: path.read_bytes() for path in folder.iterdir()}
    finish = _Unfinished.finish

    def full(file: _Unfinished, *, force: bool) -> None:
        if file._target == target:
            assert json.loads(about.read_text()) == {"delta": 0.2}
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finish(file, force=force)

    monkeypatch.setattr(_Unfinished, "finish", full)
    with pytest.raises(OutputError, match="the disk is full"):
        write_log(LOG, target, facts={"delta": 0.2}, force=True)
    assert {path: path.read_bytes() for path in folder.iterdir()} == earlier


@pytest.mark.parametrize("ending", file_kinds(written=True))
def test_an_existing_file_is_kept_unless_forced(ending: str, source: Path, folder: Path) -> None:
    target = folder / f"release.{ending}"
    target.write_bytes(b"precious")
    refused(run("anonymize", source, "-o", target), "exists already: choose another name, or --force to overwrite it")
    assert target.read_bytes() == b"precious"
    assert run("anonymize", source, "-o", target, "--force").exit_code == 0
    assert read_log(target).n_cases >= 2
    assert sorted(folder.iterdir()) == [target, Path(beside(str(target)))]


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("way", ["itself", "symlink", "hard link", "dots", "link to folder", "standard input"])
def test_the_input_is_never_written_to(way: str, force: tuple[str, ...], source: Path, folder: Path) -> None:
    target, argument, stdin = folder / "release.csv", str(source), None
    if way == "itself":
        target = source
    elif way == "symlink":
        target.symlink_to(source)
    elif way == "hard link":
        os.link(source, target)
    elif way == "dots":
        target = source.parent / ".." / source.parent.name / source.name
    elif way == "link to folder":
        (folder / "link").symlink_to(source.parent)
        target = folder / "link" / source.name
    else:
        target, argument, stdin = source, "-", source.open("rb")
    command = [*COMMAND, "anonymize", argument, "-o", str(target), "--format", "csv", *force]
    with contextlib.closing(stdin) if stdin else contextlib.nullcontext():
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is the input itself, which is never overwritten" in done.stderr
    assert done.stderr.count("\n") == 1
    assert source.read_text() == CSV


def test_a_symlink_is_written_through(source: Path, folder: Path) -> None:
    link, real = folder / "link.csv", folder / "real.csv"
    link.symlink_to(real)
    assert run("anonymize", source, "-o", link).exit_code == 0  # to nowhere: the file is made there
    before = real.read_bytes()
    refused(run("anonymize", source, "-o", link), "exists already")
    assert run("anonymize", source, "-o", link, "--force", "--seed", 1).exit_code == 0
    assert link.is_symlink()
    assert real.read_bytes() != before
    assert sorted(folder.iterdir()) == [link, Path(beside(str(link))), real]


def test_a_file_that_appears_meanwhile_is_kept(folder: Path) -> None:
    target = folder / "release.csv"
    with pytest.raises(OutputError, match="appeared while we worked"), atomic_output(str(target)):
        target.write_bytes(b"theirs")
    assert target.read_bytes() == b"theirs"
    assert list(folder.iterdir()) == [target]


@pytest.mark.parametrize("nameless", [True, False])
@pytest.mark.parametrize("force", [True, False])
def test_a_failure_leaves_everything_as_it_was(
    nameless: bool, force: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = folder / "release.csv"
    if not nameless:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)  # as on other systems
    if force:
        target.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), atomic_output(str(target), force=force) as stream:
        stream.write(bytes([stream.write(b"half") // 0]))
    assert [path.read_bytes() for path in folder.iterdir()] == ([b"old"] if force else [])
    with atomic_output(str(target), force=force) as stream:
        stream.write(b"whole")
    assert [path.read_bytes() for path in folder.iterdir()] == [b"whole"]


def test_rights_are_the_usual_ones(folder: Path) -> None:
    before = os.umask(0o027)
    try:
        write_log(LOG, folder / "release.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "release.csv").stat().st_mode) == 0o640


@pytest.fixture(params=["nameless", "named"])
def unfinished(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to write a file that is not yet there."""
    if request.param == "named":
        monkeypatch.delattr("os.O_TMPFILE", raising=False)


@pytest.mark.usefixtures("unfinished")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o400])
def test_a_file_that_is_replaced_keeps_its_rights(mode: int, folder: Path) -> None:
    target = folder / "release.csv"
    target.write_text("old")
    target.chmod(mode)
    write_log(synthesize(cases=5), target, force=True)
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert target.read_text().startswith("case:concept:name")


@pytest.mark.usefixtures("unfinished")
@pytest.mark.parametrize("before", [None, 0o644])
def test_private_files_are_for_their_owner_only(before: int | None, source: Path, folder: Path) -> None:
    for name in ("risk.PRIVATE.html", "sweep.PRIVATE.csv", "sweep.PRIVATE.html"):
        if before is not None:
            (folder / name).write_text("old")
            (folder / name).chmod(before)
    assert run("risk", source, "--html", folder / "risk.html", "--force").exit_code == 0
    sweep = ["--csv", folder / "sweep.csv", "--html", folder / "sweep.html", "--runs", 1, "--force"]
    assert run("sweep", source, *sweep, "--method", "amun", "--delta", 0.2).exit_code == 0
    for name in ("risk.PRIVATE.html", "sweep.PRIVATE.csv", "sweep.PRIVATE.html"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
        assert (folder / name).read_text() != "old"


def test_labels_that_a_spreadsheet_would_run_can_be_made_safe(folder: Path) -> None:
    labels = ["=1+1", "+1", "-1", "@SUM(A1)", "\ttab", "\rcr", "'quoted", "A=1", " =1"]
    log = log_of([(labels, range(len(labels)))])
    safe = [f"'{label}" for label in labels[:6]] + labels[6:]
    for name, written in (("safe.csv", safe), ("safe.csv.gz", safe), ("safe.xes", labels), ("safe.parquet", labels)):
        write_log(log, folder / name, spreadsheet_safe=True)
        assert list(read_log(folder / name, allow_line_ends=True).labels) == written
    write_log(log, folder / "plain.csv")
    assert list(read_log(folder / "plain.csv", allow_line_ends=True).labels) == labels
    with pytest.raises(OutputError, match="the texts '=A' and \"'=A\" would be the same: rename one of them"):
        write_log(log_of([(["=A", "'=A"], [0, 1])]), folder / "twice.csv", spreadsheet_safe=True)
    assert not (folder / "twice.csv").exists()


def test_the_command_makes_csv_safe_for_spreadsheets(folder: Path) -> None:
    source, target = folder / "log.csv", folder / "release.csv"
    source.write_text("case,activity,time\n1,=1+1,2024-01-01\n1,B,2024-01-02\n")
    assert run("anonymize", source, "-o", target, "--method", "amun", "--spreadsheet-safe").exit_code == 0
    assert "1,'=1+1,2024" in target.read_text()
    refused(
        run("anonymize", source, "-o", folder / "r.xes", "--spreadsheet-safe"),
        "--spreadsheet-safe is for CSV: leave it out",
    )


# --- whole or not at all -----------------------------------------------------------------------------------------

HALF_WAY = """
import sys, time
from unsingle.formats.output import atomic_output
with atomic_output(sys.argv[1], force=True) as stream:
    stream.write(b"half" * 1_000_000)
    print("half way", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are known to Linux only")
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_run_killed_half_way_leaves_nothing(old: bytes | None, folder: Path) -> None:
    target = folder / "release.csv"
    if old is not None:
        target.write_bytes(old)
    with subprocess.Popen([sys.executable, "-c", HALF_WAY, str(target)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half way\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert [path.read_bytes() for path in folder.iterdir()] == ([] if old is None else [old])


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "log.parquet"
    write_log(synthesize(cases=20_000, seed=1), path)
    return path


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="sees open files as Linux shows them")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_command_killed_while_it_writes_leaves_nothing(how: signal.Signals, large: Path, folder: Path) -> None:
    command = [*COMMAND, "anonymize", str(large), "-o", str(folder / "release.xes")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not writing(process.pid, folder):
            time.sleep(0.001)
        process.send_signal(how)
        stdout, stderr = process.communicate()
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130)
    assert stderr.strip() == ("" if how == signal.SIGKILL else "unsingle: interrupted, nothing was written")
    assert stdout == ""
    assert list(folder.iterdir()) == []


def writing(process: int, folder: Path) -> bool:
    """Whether the process has a file open in the folder that has bytes in it."""
    with contextlib.suppress(OSError):
        for open_file in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(open_file.readlink()).startswith(str(folder)) and open_file.stat().st_size > 0:
                    return True
    return False


def limited(size: int, command: list[str]) -> list[str]:
    """The command on a disk that takes files of this size at most.

    The limit is set by a program that becomes the command. Were it set between fork and exec, in a process that has
    talked to Spark before, the threads of gRPC would get in the way there.
    """
    code = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); " + (
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    return [sys.executable, "-c", code, *command]


@pytest.mark.parametrize("ending", file_kinds(written=True))
def test_a_disk_that_takes_all_but_the_last_bytes_is_full(ending: str, source: Path, folder: Path) -> None:
    """The system takes a part of the last write without a complaint, so only who counts knows."""
    whole = folder / f"whole.{ending}"
    command = [*COMMAND, "anonymize", str(source), "--seed", "1", "-o"]
    subprocess.run([*command, str(whole)], capture_output=True, check=True)
    size = whole.stat().st_size
    for made in folder.iterdir():  # the release, and what it says of itself
        made.unlink()
    for limit in (size - 1, 1):
        target = folder / f"release.{ending}"
        done = subprocess.run(limited(limit, [*command, str(target)]), capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == f"unsingle: {target}: cannot be written (File too large): choose another place\n"
        assert done.stdout == ""
        assert list(folder.iterdir()) == []


@pytest.fixture
def tiny_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", name]
        mount = subprocess.run(command, capture_output=True, check=False)
        if mount.returncode != 0:
            pytest.skip(f"a small disk cannot be mounted here: {mount.stderr.decode().strip()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", name], check=True)


@pytest.mark.parametrize("ending", file_kinds(written=True))
def test_a_full_disk_is_told_and_nothing_is_left(ending: str, large: Path, tiny_disk: Path) -> None:
    target = tiny_disk / f"release.{ending}"
    refused(run("anonymize", large, "-o", target, "--seed", 1), f"{target}: the disk is full: free some space")
    assert list(tiny_disk.iterdir()) == []


needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


@pytest.fixture(params=["buffered", "unbuffered"])
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    """With and without the buffer of Python, which complains again when it is flushed at the end."""
    rest = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return rest if request.param == "buffered" else {**rest, "PYTHONUNBUFFERED": "1"}


@needs_full_device
@pytest.mark.parametrize("ending", file_kinds(written=True))
def test_a_full_device_is_told(ending: str, source: Path) -> None:
    refused(
        run("anonymize", source, "-o", "/dev/full", "--format", ending),
        "/dev/full: the disk is full: free some space and run it again\n",
    )


@needs_full_device
@pytest.mark.parametrize(
    "arguments",
    [
        ["anonymize", "LOG", "-o", "-", "--format", "csv"],
        ["anonymize", "LOG", "-o", "-", "--format", "xes.gz"],
        ["inspect", "LOG", "--case", "case", "--activity", "activity", "--time", "time"],
        ["inspect", "LOG", "--json"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_a_full_disk_behind_standard_output_is_told(
    arguments: list[str], source: Path, environment: dict[str, str]
) -> None:
    command = [*COMMAND, *(str(source) if each == "LOG" else each for each in arguments)]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    assert done.stderr.splitlines()[-1] in (  # what was found out about the file stands before
        "unsingle: standard output: the disk is full: free some space and run it again",
        "unsingle: the system does not allow it: No space left on device",
    )
    assert done.returncode == 2


@pytest.mark.parametrize("ending", file_kinds(written=True))
def test_standard_output_that_takes_all_but_the_last_bytes_is_full(
    ending: str, source: Path, folder: Path, environment: dict[str, str]
) -> None:
    command = [*COMMAND, "anonymize", str(source), "--seed", "1", "-o", "-", "--format", ending, "--quiet"]
    size = len(subprocess.run(command, capture_output=True, check=True).stdout)
    with (folder / "release").open("wb") as stream:
        done = subprocess.run(
            limited(size - 1, command), stdout=stream, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert done.stderr == "unsingle: standard output: cannot be written (File too large): choose another place\n"
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["anonymize", "LOG", "-o", "-", "--format", "csv"], 2, "unsingle: standard output: is closed: name a file"),
        (["inspect", "LOG", "--case", "case", "--activity", "activity", "--time", "time"], 0, ""),
        (["inspect", "no.csv"], 2, "unsingle: no.csv: there is no such file"),
    ],
)
def test_a_closed_standard_output(arguments: list[str], code: int, told: str, source: Path) -> None:
    start = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'unsingle', *sys.argv[1:]])"
    command = [sys.executable, "-c", start, *(str(source) if each == "LOG" else each for each in arguments)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == code
    errors = [line for line in done.stderr.splitlines() if line.startswith("unsingle: ")]
    assert len(errors) == bool(told)
    assert all(line.startswith(told) for line in errors)


@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_has_enough_is_no_error(lines: int, large: Path, environment: dict[str, str]) -> None:
    command = [*COMMAND, "anonymize", str(large), "-o", "-", "--format", "csv", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline().startswith(b"case:concept:name,")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 1


# --- places that cannot be written to ----------------------------------------------------------------------------


def test_a_folder_that_is_not_there(source: Path, folder: Path) -> None:
    refused(
        run("anonymize", source, "-o", folder / "no" / "x.csv"), f"there is no folder {folder / 'no'}: make it first"
    )


def test_a_folder_as_target(source: Path, folder: Path) -> None:
    (folder / "x.csv").mkdir()
    refused(run("anonymize", source, "-o", folder / "x.csv", "--force"), "is a folder: name a file in it")


def test_a_file_as_folder(source: Path) -> None:
    refused(run("anonymize", source, "-o", source / "x.csv"), "there is no folder")


def test_a_name_that_is_too_long(source: Path, folder: Path) -> None:
    refused(run("anonymize", source, "-o", folder / f"{'x' * 300}.csv"), "File name too long")


def test_a_name_with_odd_characters(source: Path, folder: Path) -> None:
    odd = folder / "two\nlines \x1b[31m é 🏥.csv"
    done = run("anonymize", source, "-o", odd)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"Release: {folder}/two\\nlines \\x1b[31m é 🏥.csv\n")
    refused(run("anonymize", source, "-o", odd), "two\\nlines")
    undecodable = os.fsdecode(os.fsencode(folder) + b"/\xff.csv")
    command = [*COMMAND, "anonymize", str(source), "-o", undecodable]
    shown = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout
    assert shown.startswith(f"Release: {folder}/\\udcff.csv\n".encode())


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """As a user who is not root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def locked() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "log.csv").write_text(CSV)
        (folder / "mine.csv").write_text("mine")
        (folder / "mine.csv").chmod(0o666)
        (folder / "secret.csv").write_text(CSV)
        (folder / "secret.csv").chmod(0)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_places_without_the_right_to_write(locked: Path) -> None:
    assert run("anonymize", locked / "log.csv", "-o", "-", "--format", "csv").exit_code == 0  # loads all that it needs
    with without_rights():
        new = run("anonymize", locked / "log.csv", "-o", locked / "new.csv")
        old = run("anonymize", locked / "log.csv", "-o", locked / "mine.csv", "--force")
        device = run("anonymize", locked / "log.csv", "-o", "/dev/mem", "--format", "csv")
        unreadable = run("inspect", locked / "secret.csv")
    refused(new, "new.csv: cannot be written (permission denied): choose another folder")
    refused(old, "mine.csv: cannot be written (permission denied): choose another folder")
    refused(device, "/dev/mem: cannot be written (permission denied)")
    refused(unreadable, "secret.csv: cannot be read (Permission denied): check the name and its rights")
    assert (locked / "mine.csv").read_text() == "mine"


# --- devices and pipes -------------------------------------------------------------------------------------------


def test_a_device_takes_it(source: Path) -> None:
    assert run("anonymize", source, "-o", "/dev/null", "--format", "xes").exit_code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_named_pipe_takes_it(source: Path, folder: Path) -> None:
    pipe = folder / "pipe.csv"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert run("anonymize", source, "-o", pipe).exit_code == 0
    reader.join(10)
    assert read[0].startswith(b"case:concept:name,concept:name,time:timestamp\n1,")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/stdout").is_symlink(), reason="needs /dev/stdout")
def test_the_device_of_standard_output(source: Path, folder: Path) -> None:
    command = [*COMMAND, "anonymize", str(source), "-o", "/dev/stdout", "--format", "csv", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("case:concept:name,")
    target = folder / "release.csv"
    with target.open("wb") as stream:
        done = subprocess.run([*command, "--force"], stdout=stream, stderr=subprocess.PIPE, text=True, check=True)
    assert read_log(target).n_cases >= 2
    assert Path("/dev/stdout").is_symlink()  # not replaced by a file, as root could


# --- nothing that tells where it came from -----------------------------------------------------------------------


@pytest.mark.parametrize("ending", file_kinds(written=True))
def test_nothing_of_the_inputs_name_is_in_the_output(ending: str, source: Path, folder: Path) -> None:
    """The same log under two names and at two times gives the same bytes, and no byte of a name is in them."""
    other = folder / "unlike.csv"
    other.write_text(CSV)
    releases = []
    for number, each in enumerate((source, other)):
        target = folder / f"Giraffe{number}.{ending}"
        assert run("anonymize", each, "-o", target, "--seed", 7).exit_code == 0
        releases.append(target.read_bytes())
        os.utime(each, (number * 10**9, number * 10**9))
    assert releases[0] == releases[1]
    content = gzip.decompress(releases[0]) if ending.endswith(".gz") else releases[0]
    for word in (b"Zebra", b"Meier", b"Giraffe", b"unlike", str(folder).encode()):
        assert word not in releases[0]
        assert word not in content


@pytest.mark.parametrize("ending", ["xes.gz", "csv.gz"])
def test_gzip_is_one_member_without_name_and_time(ending: str, folder: Path) -> None:
    target = folder / f"release.{ending}"
    write_log(synthesize(cases=2000, seed=1), target)
    content = target.read_bytes()
    assert content[:4] == b"\x1f\x8b\x08\x00"  # no name, no comment, no extra field
    assert content[4:8] == bytes(4)  # no time
    member = zlib.decompressobj(31)
    text = member.decompress(content)
    assert member.eof
    assert member.unused_data == b""
    assert text == gzip.decompress(content)


def test_only_case_activity_and_time_are_written(folder: Path) -> None:
    """Of a log with attributes, no attribute, no case id and no column's name is left."""
    source, target = folder / "log.csv", folder / "release.csv"
    source.write_text("Aktenzeichen,Schritt,Zeit,Name\nAZ-4711,A,2024-01-01,Meier\nAZ-4712,B,2024-01-02,Huber\n")
    options = ["--case", "Aktenzeichen", "--activity", "Schritt", "--time", "Zeit"]
    assert run("anonymize", source, "-o", target, *options).exit_code == 0
    text = target.read_text()
    assert text.startswith("case:concept:name,concept:name,time:timestamp\n1,")
    for word in ("AZ", "Meier", "Huber", "Akten", "Schritt", "Zeit", "Name"):
        assert word not in text


def test_json_of_a_release_can_be_read(source: Path, folder: Path) -> None:
    result = run("anonymize", source, "-o", folder / "x.xes", "--json")
    assert json.loads(result.stdout)["columns"] == {"case": "case", "activity": "activity", "time": "time"}
