"""Where frames are kept that several steps read, and how they are deleted.

They hold the original, with numbers instead of names: they are private.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..errors import UnsingleError
from ..privacy.random import unguessable
from .session import call, quiet

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Staging(Protocol):
    """A place for frames that several steps read."""

    def keep(self, frame: DataFrame, name: str) -> DataFrame:
        """Compute the frame once and keep it: the frame to read it from."""

    def close(self) -> None:
        """Delete everything that is kept."""


class OnExecutors:
    """On the disks of the executors; if one of them is lost, Spark computes what it had again."""

    def __init__(self) -> None:
        self._kept: list[DataFrame] = []

    def keep(self, frame: DataFrame, name: str) -> DataFrame:  # noqa: ARG002 - Spark needs no name
        """Compute the frame once and keep it: the frame to read it from."""
        from pyspark import StorageLevel

        self._kept.append(frame.persist(StorageLevel.DISK_ONLY))
        return self._kept[-1]

    def close(self) -> None:
        """Delete everything that is kept."""
        for frame in self._kept:
            frame.unpersist()
        self._kept = []


class InFolder:
    """In a new folder inside one that all executors can reach."""

    def __init__(self, scratch: str) -> None:
        self._folder = f"{scratch.rstrip('/')}/unsingle-PRIVATE-{unguessable()}"
        self._kept: dict[str, DataFrame] = {}

    def keep(self, frame: DataFrame, name: str) -> DataFrame:
        """Compute the frame once and keep it: the frame to read it from."""
        path = f"{self._folder}/{name}"
        self._kept[path] = frame
        with quiet():
            call(lambda: frame.write.parquet(path))
        return frame.sparkSession.read.schema(frame.schema).parquet(path)

    def close(self) -> None:
        """Delete the folder; one that only the cluster can reach is emptied instead."""
        kept, self._kept = self._kept, {}
        if Path(self._folder).is_dir():
            shutil.rmtree(self._folder)
            return
        try:
            with quiet():
                for path, frame in kept.items():
                    empty = frame.sparkSession.createDataFrame([], frame.schema)
                    call(lambda empty=empty, path=path: empty.write.mode("overwrite").parquet(path))
        except UnsingleError as error:
            raise UnsingleError(f"{self._folder}: holds parts of the original, delete it: {error}") from None
