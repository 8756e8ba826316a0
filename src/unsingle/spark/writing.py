"""Writing a release: a folder of Parquet, CSV or XES files, or a table."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import OutputError, argument
from ..formats.facts import beside, write_beside
from ..privacy.random import unguessable
from .output import EVENTS_AS_TEXT, FILES, EventRows, WriteXes
from .reading import TABLE, kind_of
from .session import call, quiet, rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .anonymizing import SparkRelease


_SCHEME = re.compile("[a-zA-Z][a-zA-Z0-9+.-]*:/")  # of a URL that is not a path on this machine


def write_release(
    release: SparkRelease,
    target: str,
    *,
    format: str | None = None,  # noqa: A002 - the name that the command uses
    force: bool = False,
) -> None:
    """Write all parts of a release to a folder, or to a table.

    A folder of XES files must be where all executors and the driver can write. An existing target is replaced only with
    `force`. What the release says of itself is written beside a folder that the driver can see, as
    ``NAME.release.json``, without a digest.
    """
    kind = kind_of(target, format)
    check_target(release.frame.sparkSession, target, kind, force=force)
    mode = "overwrite" if force else "error"
    log, cases = release.log, release.cases
    with quiet():
        if kind.startswith("xes"):
            _write_xes(release, Path(target), kind)
        elif kind == TABLE:
            call(lambda: release.frame.write.mode(mode).saveAsTable(target))
        elif kind.startswith("csv"):
            text = cases.mapInArrow(EventRows(log.labels, log.zone, as_text=True), EVENTS_AS_TEXT)
            packed = "gzip" if kind.endswith(".gz") else None
            call(
                lambda: text.write.mode(mode).csv(
                    target, header=True, quote='"', escape='"', compression=packed,
                    ignoreLeadingWhiteSpace=False, ignoreTrailingWhiteSpace=False,  # labels stay as they are
                )
            )  # fmt: skip
        else:
            call(lambda: release.frame.write.mode(mode).parquet(target))
    if kind != TABLE and Path(target).is_dir():
        write_beside(target, release.facts.to_dict(), force=True)


def check_target(
    spark: SparkSession, target: str, kind: str, *, force: bool = False, source: str | None = None
) -> None:
    """Refuse a target that is the input, or that exists, before any work."""
    if source is not None and _spelled_out(spark, target, kind) == _spelled_out(spark, source, kind):
        raise OutputError(f"{target}: is the input itself, which is never overwritten: choose another name")
    if _SCHEME.match(target) and kind.startswith("xes"):
        raise OutputError(f"{target}: XES files are written to folders of the file system: mount it, or write Parquet")
    if not force and _is_there(spark, target, kind):
        raise OutputError(
            f"{target}: exists already: choose another name, or {argument('force', 'True')} to overwrite it"
        )
    if kind.startswith("xes") and not Path(target).absolute().parent.is_dir():
        raise OutputError(f"{target}: there is no folder {Path(target).parent}: make it first")


def _is_there(spark: SparkSession, target: str, kind: str) -> bool:
    if kind == TABLE:
        return bool(call(lambda: spark.catalog.tableExists(target)))
    return (
        Path(target).exists() or Path(beside(target)).exists()
    )  # if only the cluster can see it, Spark refuses when it writes


def _spelled_out(spark: SparkSession, name: str, kind: str) -> str:
    """The name in a canonical form, to compare it with another."""
    if kind == TABLE:
        return name if "." in name else f"{call(spark.catalog.currentDatabase)}.{name}"
    local = re.sub("^file:(//)?", "", name).rstrip("/")
    return local if _SCHEME.match(local) else os.path.realpath(local)


def _write_xes(release: SparkRelease, target: Path, kind: str) -> None:
    """Write all files to a folder beside the target, which is renamed to the target at the end."""
    beside = target.absolute().with_name(f".unsingle-{unguessable()}.part")
    beside.mkdir()
    try:
        log = release.log
        rows_of(release.cases.mapInArrow(WriteXes(log.labels, log.zone, os.fspath(beside), kind), FILES))
        if target.is_dir():
            shutil.rmtree(target)
        elif target.exists():
            target.unlink()
        beside.rename(target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
