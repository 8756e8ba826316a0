"""Releases on Spark: what the command offers for it."""

from __future__ import annotations

import importlib.util
from typing import Any

import click

from .errors import ParameterError
from .offering import as_json_text, options, say, tell_columns, tell_warnings

SPARK = options(
    click.option(
        "--engine",
        type=click.Choice(["embedded", "spark"]),
        default="embedded",
        show_default=True,
        help="Where the work is done: in this process, or on Spark (amun only), for logs that no machine can hold.",
    ),
    click.option("--spark-remote", metavar="URL", help="spark only: a Spark Connect server, such as sc://host:15002. "
                 "[default: the session or cluster this runs in, else this machine]"),
    click.option("--scratch", metavar="FOLDER", help="spark only: a private folder that all executors reach, for what "
                 "is kept between the steps; emptied at the end. [default: the executors' disks]"),
    click.option("--order", metavar="COLUMN", help="spark only: whole numbers that order the events of a case at the "
                 "same time. [default: as in the files]"),
)  # fmt: skip

_STEPS = ("connect", "read", "automaton", "counts", "times", "write")


def refuse_on_spark(**given: Any) -> None:
    """Say which options only work in this process."""
    for name, value in given.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} does not go with --engine spark: leave one of them out")


def refuse_without_engine(*given: str | None) -> None:
    """Say that options for Spark need Spark."""
    if any(each is not None for each in given):
        raise click.UsageError("--spark-remote, --scratch and --order go with --engine spark only")


def release_on_spark(
    source: str, output: str, delta: float, format_: str | None, *, remote: str | None, force: bool, as_json: bool,
    quiet: bool, timezone: str | None, order: str | None, escape: str | None, **how: Any,
) -> None:  # fmt: skip
    """Read, anonymise and write on Spark, and show the summary."""
    from .console import spark_release_text, watched
    from .release import checked_options

    checked_options(delta, how["method"], how["time_from"], how["precision"], how["grid"])
    _refuse_without_spark()
    from .spark import anonymize, connect, read_lake, write_release
    from .spark.anonymizing import steps_of
    from .spark.engine import quiet as without_warnings
    from .spark.reading import kind_of
    from .spark.writing import check_target

    steps_of(how["method"])  # what does not run there is told before any work
    kinds = [_kind(kind_of, name, format_) for name in (source, output)]
    with watched(quiet=quiet or as_json, steps=_STEPS) as progress, without_warnings():
        progress.step("connect")
        spark = connect(remote)
        check_target(spark, output, kinds[1], force=force, source=source)
        chosen = {name: how[name] for name in ("lifecycle", "activity", "allow_line_ends")}
        lake = read_lake(spark, source, format=kinds[0], escape=escape, **chosen)
        if lake.order is not None:  # of XES files, the tasks that read them have taken these
            how = {**how, "lifecycle": None, "activity": None}
        with anonymize(
            lake.frame, delta, timezone=timezone or lake.timezone, order=order or lake.order, progress=progress, **how
        ) as release:
            progress.step("write")
            write_release(release, output, format=kinds[1], force=force)
    release = release.with_seconds(progress.seconds())
    if as_json:
        say(as_json_text(release.to_dict(), release.columns))
    elif quiet:
        tell_warnings(release.guarantee)
    else:
        tell_columns(release.columns, how)
        say(spark_release_text(release, output))


def _refuse_without_spark() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("pyspark", "pyarrow")):
        raise ParameterError("Spark needs parts that are not installed: pip install 'unsingle[spark]'")


def _kind(kind_of: Any, name: str, given: str | None) -> str:
    """The format that the name tells; the given one is for names that do not tell."""
    try:
        return str(kind_of(name))
    except ParameterError:
        return str(kind_of(name, given))
