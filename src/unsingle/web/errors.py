"""HTTP errors: a status, and a message that says what to do. No message holds a value of a log."""

from __future__ import annotations

DISK_FULL = "The disk of this machine is full: free some space"
"""The beginning of messages about a full disk."""


class HTTPError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def internal_error() -> HTTPError:
    """An unexpected exception in the server."""
    return HTTPError(500, "Something went wrong in unsingle. Try again; if it keeps happening, please report it.")


def busy() -> HTTPError:
    """The queue, or the number of logs, is at its limit."""
    return HTTPError(503, "The server has more work than it can take on right now: try again in a minute.")


def disk_full() -> HTTPError:
    """An upload cannot be stored."""
    return HTTPError(507, f"{DISK_FULL}, or set TMPDIR.")


def not_found() -> HTTPError:
    """No such job. The answer is the same for jobs that never existed, that are deleted, and of other sessions."""
    return HTTPError(
        404,
        "There is no such log here. Logs are deleted after you download the results, some time after you last used "
        "them, and when unsingle stops.",
    )
