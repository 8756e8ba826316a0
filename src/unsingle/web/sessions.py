"""Sessions tell visitors apart: an unguessable value in a cookie, and nothing else is known of a visitor."""

from __future__ import annotations

from collections.abc import Container

from ..privacy.random import unguessable

MAX_SESSIONS = 10_000


class Sessions:
    """All sessions, the oldest first."""

    def __init__(self) -> None:
        self._sessions: dict[str, None] = {}

    def start(self, owners: Container[str | None]) -> str:
        """Start a session. If there are too many, evict one that owns no job; `owners` are those that do."""
        if len(self._sessions) >= MAX_SESSIONS:
            self._evict(owners)
        session = unguessable()
        self._sessions[session] = None
        return session

    def _evict(self, owners: Container[str | None]) -> None:
        idle = next((session for session in self._sessions if session not in owners), None)
        if idle is not None:
            del self._sessions[idle]

    def known(self, session: str | None) -> str | None:
        """The session, if this server started it."""
        return session if session in self._sessions else None
