"""Where pieces of the log are kept between the steps, and how they go away again.

They hold the original, under numbers instead of names: they are private.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..errors import UnsingleError
from ..randomness import unguessable
from .engine import quiet, told

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Staging(Protocol):
    """A place for frames that several steps read."""

    def keep(self, frame: DataFrame, name: str) -> DataFrame:
        """The same frame, computed once."""

    def close(self) -> None:
        """Let nothing be left."""


class OnExecutors:
    """On the disks of the executors; what is lost with one of them is computed again."""

    def __init__(self) -> None:
        self._kept: list[DataFrame] = []

    def keep(self, frame: DataFrame, name: str) -> DataFrame:  # noqa: ARG002 - it needs no name there
        """The same frame, computed once."""
        from pyspark import StorageLevel

        self._kept.append(frame.persist(StorageLevel.DISK_ONLY))
        return self._kept[-1]

    def close(self) -> None:
        """Let nothing be left."""
        for frame in self._kept:
            frame.unpersist()
        self._kept = []


class InFolder:
    """In a folder that all executors can reach, inside of which it makes one of its own."""

    def __init__(self, scratch: str) -> None:
        self._folder = f"{scratch.rstrip('/')}/unsingle-PRIVATE-{unguessable()}"
        self._kept: dict[str, DataFrame] = {}

    def keep(self, frame: DataFrame, name: str) -> DataFrame:
        """The same frame, computed once."""
        path = f"{self._folder}/{name}"
        self._kept[path] = frame
        with quiet():
            told(lambda: frame.write.parquet(path))
        return frame.sparkSession.read.schema(frame.schema).parquet(path)

    def close(self) -> None:
        """Let nothing be left: one on this machine is deleted, a folder that only the cluster reaches emptied."""
        kept, self._kept = self._kept, {}
        if Path(self._folder).is_dir():
            shutil.rmtree(self._folder)
            return
        try:
            with quiet():
                for path, frame in kept.items():
                    empty = frame.sparkSession.createDataFrame([], frame.schema)
                    told(lambda empty=empty, path=path: empty.write.mode("overwrite").parquet(path))
        except UnsingleError as error:
            raise UnsingleError(f"{self._folder}: holds parts of the original, delete it: {error}") from None
