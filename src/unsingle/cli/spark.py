"""Releases on Spark: the only module that sees `unsingle.spark`."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..errors import ParameterError, as_option
from ..progress import CONNECT, READ, WRITE
from .bar import watched
from .methods import joined_by_and
from .options import options
from .output import Verbosity, as_json_text, say, tell_columns, tell_warnings
from .text import public_rows, release_sections, seconds_text

if TYPE_CHECKING:
    from ..methods import Method
    from ..spark import SparkRelease


class _Engine(click.Option):
    """Its help names the methods that run on Spark, from the registry, which is loaded when that help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help."""
        from ..methods import on_spark

        where = f"in this process, or on Spark ({joined_by_and(on_spark())} only), for logs that no machine can hold"
        self.help = f"Where the work is done: {where}."
        return super().get_help_record(ctx)


SPARK = options(
    click.option(
        "--engine",
        cls=_Engine,
        type=click.Choice(["embedded", "spark"]),
        default="embedded",
        show_default=True,
    ),
    click.option("--spark-remote", metavar="URL", help="spark only: a Spark Connect server, such as sc://host:15002. "
                 "[default: the session or cluster this runs in, else this machine]"),
    click.option("--scratch", metavar="FOLDER", help="spark only: a private folder that all executors reach, for what "
                 "is kept between the steps; emptied at the end. [default: the executors' disks]"),
    click.option("--order", metavar="COLUMN", help="spark only: whole numbers that order the events of a case at the "
                 "same time. [default: as in the files]"),
)  # fmt: skip


@dataclass(frozen=True)
class SparkOptions:
    """The options that only Spark has."""

    remote: str | None
    scratch: str | None
    order: str | None

    def refuse(self, **given: Any) -> None:
        """Refuse options that only work in this process."""
        for name, value in given.items():
            if value:
                option = as_option(name, "")
                raise click.UsageError(f"{option} does not go with --engine spark: leave one of them out")


def refuse_without_engine(given: SparkOptions) -> None:
    """Refuse options for Spark without Spark."""
    if given != SparkOptions(None, None, None):
        raise click.UsageError("--spark-remote, --scratch and --order go with --engine spark only")


def release_on_spark(
    names: tuple[str, str, str | None], method: Method, on: SparkOptions, how: dict[str, Any], *, force: bool,
    shown: Verbosity,
) -> None:  # fmt: skip
    """Read, anonymise and write on Spark, and show the summary. `names` are input, output and a format."""
    _refuse_without_spark()
    from ..spark import anonymize, connect, read_lake, write_release
    from ..spark.anonymizing import runnable
    from ..spark.session import quiet as without_warnings
    from ..spark.writing import check_target

    runnable(method)  # what does not run there is refused before any work
    source, output, format_ = names
    kinds = [_kind(name, format_) for name in (source, output)]
    steps = (CONNECT, READ, *method.stages, WRITE)
    with watched(quiet=shown.no_bar, steps=steps, words=dict(method.stages)) as progress, without_warnings():
        progress.step(CONNECT)
        spark = connect(on.remote)
        check_target(spark, output, kinds[1], force=force, source=source)
        escape, timezone = how.pop("escape"), how.pop("timezone")
        chosen = {name: how[name] for name in ("lifecycle", "activity", "allow_line_ends")}
        lake = read_lake(spark, source, format=kinds[0], escape=escape, **chosen)
        if lake.order is not None:  # of XES files, the tasks that read them have taken these
            how |= {"lifecycle": None, "activity": None}
        how |= {"timezone": timezone or lake.timezone, "order": on.order or lake.order, "scratch": on.scratch}
        with anonymize(lake.frame, method=method, progress=progress, **how) as release:
            progress.step(WRITE)
            write_release(release, output, format=kinds[1], force=force)
    _show(release.with_seconds(progress.seconds()), output, how, shown)


def _show(release: SparkRelease, output: str, reading: dict[str, Any], shown: Verbosity) -> None:
    if shown.as_json:
        say(as_json_text(release.to_dict(), release.columns))
    elif shown.quiet:
        tell_warnings(release.guarantee)
    else:
        tell_columns(release.columns, reading)
        say(spark_release_text(release, output))


def spark_release_text(release: SparkRelease, output: str) -> str:
    """The summary of a release made on Spark, which is not compared with its original event by event."""
    private = release.private
    compared = [
        ("before", f"{private['cases_in']:,} cases, {private['events_in']:,} events"),
        ("ratio", f"{private['oversampling_ratio']:.2f} times as many cases"),
        ("seconds", seconds_text(private["seconds"])),
    ]
    return release_sections(release, output, public_rows(release), compared)


def _refuse_without_spark() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("pyspark", "pyarrow")):
        raise ParameterError("Spark needs parts that are not installed: pip install 'unsingle[spark]'")


def _kind(name: str, given: str | None) -> str:
    """The format that the name tells; the given one is for names that do not tell."""
    from ..spark.reading import kind_of

    try:
        return str(kind_of(name))
    except ParameterError:
        return str(kind_of(name, given))
