"""What a release promises, in words that its publisher can stand behind."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Guarantee:
    """The promise of one release, made from its parameters alone, so it may itself be published.

    `statement` is the promise in two sentences and `limits` where it ends in one; `assumes` and `not_protected` say
    both in full.
    """

    statement: str
    limits: str
    assumes: tuple[str, ...]
    not_protected: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.statement} {self.limits}".strip()
