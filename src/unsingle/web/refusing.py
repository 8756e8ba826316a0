"""How the server says no: with a status, and a sentence that says what to do. No sentence holds a value of a log."""

from __future__ import annotations

FULL_DISK = "The disk of this machine is full: free some space"
"""How a sentence begins that says so."""


class Refused(Exception):  # noqa: N818 - reads as what it says
    """A request that is not granted."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message

    @classmethod
    def unexpected(cls) -> Refused:
        """An error of our own."""
        return cls(500, "Something went wrong in unsingle itself. Try it again; if it happens again, please report it.")


def no_room() -> Refused:
    """Nothing more can be stored."""
    return Refused(507, f"{FULL_DISK}, or set TMPDIR.")


def not_here() -> Refused:
    """The same for jobs that never were, that are gone, and that are somebody else's."""
    return Refused(
        404,
        "There is no such log here. Logs are deleted after their download, some time after they were last used, "
        "and when unsingle ends.",
    )
