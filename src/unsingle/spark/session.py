"""Sessions of Spark, calls to them, and their errors."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .. import errors
from ..errors import UnsingleError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OURS = re.compile(r"unsingle\.errors\.(\w+): (.*)")


def connect(remote: str | None = None) -> SparkSession:
    """A session on the named Spark Connect server; without a name the active session, else one on this machine.

    Under `spark-submit`, in a notebook or on a cluster there is an active session, and it is used as it is.
    """
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers need the same packages
    with quiet():
        builder = SparkSession.builder.appName("unsingle")
        if remote is not None:
            return call(lambda: builder.remote(remote).getOrCreate())
        if SparkSession.getActiveSession() is None and "SPARK_REMOTE" not in os.environ:
            settings = {
                "spark.driver.memory": "2g",
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
            }
            for name, value in settings.items():
                builder = builder.config(name, value)
        return call(builder.getOrCreate)


def functions() -> Any:
    """Spark's functions of columns."""
    from pyspark.sql import functions as f

    return f


def rows_of(frame: DataFrame) -> pa.Table:
    """All rows of a small frame."""
    with quiet():
        return call(frame.toArrow)


def call(function: Any) -> Any:
    """What a call to Spark returns; an error of ours that was raised in a task is raised here."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return function()
    except (PySparkException, Py4JError) as error:
        if ours := _OURS.findall(str(error)):
            name, message = ours[-1]
            raise getattr(errors, name, UnsingleError)(message) from None
        raise UnsingleError(f"Spark cannot do it: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence warnings that libraries raise about each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
