"""The command that serves the web page."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import click

from ..errors import ParameterError
from .options import DEBUG

_NEEDED = ("starlette", "uvicorn", "python_multipart")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve at; any other address "
              "requires the printed token.")  # fmt: skip
@click.option(
    "--port", default=8998, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 takes a free one."
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--demo", is_flag=True, help="Start with a synthetic hospital log.")
@click.option(
    "--max-upload", default="2GB", show_default=True, metavar="SIZE", help="The largest file that is accepted."
)
@click.option("--keep", default="1h", show_default=True, metavar="TIME", help="How long logs are kept after their last "
              "use.")  # fmt: skip
@click.option(
    "--ledgers",
    metavar="FOLDER",
    help="Where it is remembered what was released of logs of the same name, so that promises add up; none for "
    "nowhere. [default: ~/.local/share/unsingle/ledgers]",
)
@DEBUG
def serve(
    host: str, port: int, no_browser: bool, demo: bool, max_upload: str, keep: str, ledgers: str | None
) -> None:  # fmt: skip
    """Open a page in the browser to do all of this without a terminal.

    Load a log, see the risk, choose delta with its consequences in view, release, compare, download. The log does not
    leave this machine; it is deleted when the server stops. What stays are ledgers of releases, private, with salted
    fingerprints of case ids.
    """
    _refuse_without_web()
    from ..core.machine import parse_size
    from ..web.server import serve as serve_page
    from ..web.settings import Settings, parse_time, usual_ledgers

    folder = usual_ledgers() if ledgers is None else None if ledgers == "none" else Path(ledgers).absolute()
    settings = Settings(host=host, port=port, max_upload=parse_size(max_upload), keep=parse_time(keep), ledgers=folder)
    serve_page(settings, browser=not no_browser, demo=demo, say=lambda line: click.echo(line, err=True))


def _refuse_without_web() -> None:
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        raise ParameterError("the web page needs parts that are not installed: pip install 'unsingle[web]'")
    if os.name != "posix":
        raise ParameterError("the web page runs on Linux and macOS (on Windows, within WSL)")
