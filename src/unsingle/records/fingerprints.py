"""Salted fingerprints of the cases of a log, so that its owner can tell which logs share cases. Private.

Of each case the id is hashed with the salt of the ledger, and 64 bits are kept; of each person too, if the log says
whose each case is. Without the salt nobody finds an id from them. Whoever has the ledger has the salt, and can try
whether an id that they know or guess is in it: so a ledger is as private as the list of its cases, and belongs where
the log is.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.columns import CASE_ID, PERSON
from ..core.log import EventLog
from ..errors import ParameterError, argument

_BYTES = 8


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """The hashes of the cases of a log and of their persons, in order of their values."""

    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, log: EventLog, salt: bytes) -> Fingerprint:
        """The fingerprint of a log that was read with the ids of its cases."""
        ids = log.column(CASE_ID)
        if ids is None:
            raise ParameterError(
                f"a ledger needs the ids of the cases, to tell which logs share them: read the log with "
                f"{argument('ids', 'True')}"
            )
        persons = log.column(PERSON)
        columns = [("case", ids), *([] if persons is None else [("person", persons)])]
        found = b"".join(
            hashlib.blake2b(
                text.encode("utf-8", "surrogatepass"), key=salt, digest_size=_BYTES, person=what.encode()
            ).digest()
            for what, column in columns
            for text in {column.texts[code] for code in np.unique(column.values).tolist() if code >= 0}
        )
        return cls(np.unique(np.frombuffer(found, dtype="<u8")))

    @classmethod
    def from_text(cls, text: str) -> Fingerprint:
        """As `text` writes it; raises `ValueError` for anything else."""
        return cls(np.frombuffer(base64.b64decode(text, validate=True), dtype="<u8"))

    @property
    def size(self) -> int:
        """How many cases and persons there are."""
        return len(self.hashes)

    @property
    def name(self) -> str:
        """The same for the same cases."""
        return hashlib.sha256(self.hashes.tobytes()).hexdigest()[: 2 * _BYTES]

    def text(self) -> str:
        """The hashes as text."""
        return base64.b64encode(self.hashes.tobytes()).decode()

    def shared_with(self, other: Fingerprint) -> int:
        """How many of these cases and persons the other has too."""
        return len(np.intersect1d(self.hashes, other.hashes, assume_unique=True))
