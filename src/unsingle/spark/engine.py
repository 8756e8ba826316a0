"""The engine: how Spark is reached, and what it is asked for in ways that all its versions understand."""

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
    """A session: on the server that is named, else the one that is under way, else one on this machine.

    Under `spark-submit`, in a notebook or on a cluster the session is there already, and it is taken as it is.
    """
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers must have what we have
    with quiet():
        builder = SparkSession.builder.appName("unsingle")
        if remote is not None:
            return told(lambda: builder.remote(remote).getOrCreate())
        if SparkSession.getActiveSession() is None and "SPARK_REMOTE" not in os.environ:
            settings = {
                "spark.driver.memory": "2g",
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
            }
            for name, value in settings.items():
                builder = builder.config(name, value)
        return told(builder.getOrCreate)


def functions() -> Any:
    """The functions of columns."""
    from pyspark.sql import functions as f

    return f


def rows_of(frame: DataFrame) -> pa.Table:
    """All rows of a small frame."""
    with quiet():
        return told(frame.toArrow)


def told(ask: Any) -> Any:
    """What Spark answers; what went wrong in a task of ours is told as if it had been here."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return ask()
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
    """Without what libraries warn each other of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
