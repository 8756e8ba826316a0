"""Writing CSV."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import BinaryIO

import polars as pl

from ...core.machine import in_order


def write_csv(frames: Iterable[pl.DataFrame], stream: BinaryIO) -> None:
    """Write frames of the same columns one after the other, times in ISO 8601.

    Through memory: polars would pass by the stream and write to the file below it.
    """

    def text_of(numbered: tuple[int, pl.DataFrame]) -> memoryview:
        text = io.BytesIO()
        number, frame = numbered
        frame.write_csv(text, include_header=number == 0, datetime_format="%Y-%m-%dT%H:%M:%S%.3f%:z")
        return text.getbuffer()

    for text in in_order(text_of, enumerate(frames)):
        stream.write(text)
