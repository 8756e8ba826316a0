"""The names of the files in a job's folder, which the server and its workers agree on."""

from __future__ import annotations

from ..formats.facts import beside

PREVIEW, RISK, RELEASE = "preview.json", "risk.json", "release.json"
"""Results of tasks as JSON."""

COLUMNS, KNOWN_COLUMNS = "columns.npz", "columns.json"
"""The parsed log, and what the server knows of its columns."""

RELEASED_COLUMNS = "released.npz"
"""The columns of the release."""

REPORT, STATEMENT = "comparison.PRIVATE.html", "statement.html"
"""The report that compares the release with the original, and the statement that may be published."""

RECORD, RECORD_PAGE = "record.json", "record.PRIVATE.html"
"""What the record of the release says, and what it is called when it is sent."""

ATTACKED = "attack.json"
"""What attacks on the release found."""


def original_file(format_: str, number: int = 0) -> str:
    """The name of a file of the uploaded log, whatever its owner calls it.

    >>> original_file("csv"), original_file("csv", 1)
    ('original.csv', 'original-2.csv')
    """
    return f"original{f'-{number + 1}' if number else ''}.{format_}"


def release_file(format_: str) -> str:
    """The name of the release.

    >>> release_file("csv")
    'release.csv'
    """
    return f"release.{format_}"


def release_files(format_: str) -> tuple[str, str]:
    """The names of the release, and of what says beside it what it is.

    >>> release_files("csv")
    ('release.csv', 'release.csv.release.json')
    """
    return release_file(format_), beside(release_file(format_))
