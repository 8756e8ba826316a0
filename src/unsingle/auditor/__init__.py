"""Attacks run against releases, with bounds on what they gain. Private: what they find reveals the original."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core.columns import Field
from ..core.log import EventLog
from ..errors import LogError, ParameterError, argument
from ..formats import as_log
from ..formats.schema import public_columns
from ..methods import DEFAULT, Method
from ..privacy.advantage import checked_delta
from ..privacy.guarantee import Guarantee, Promise, Secret
from ..privacy.random import Randomness
from ..progress import ATTACK, Progress
from ..release import Release, method_of, refuse_arguments_of_reading
from .base import ATTACKS, Attack, Guesses, attacks_of, kinds
from .findings import GIVEN, Audit, Finding, finding
from .observed import Observed
from .runner import AuditJob, runs_of, seen_by
from .setting import Shown, columns_with_public_values
from .targets import Targets

if TYPE_CHECKING:
    from ..formats.tables.frames import Frame

__all__ = ["Audit", "Finding", "audit", "audit_release", "checked_attacks", "kinds"]

RUNS = 200
_PEOPLE = 500  # whose cases are looked for in one given release
_PAIRS = 20_000  # of released cases whose order is compared there


def audit(
    log: EventLog | Frame,
    delta: float | None = None,
    *,
    method: str | Method = DEFAULT,
    runs: int = RUNS,
    attacks: Collection[str] | None = None,
    seed: int | None = None,
    processes: int = 1,
    ignore_persons: bool = False,
    progress: Progress | None = None,
    **parameters: Any,
) -> Audit:
    """Attack many releases of a log by a method, and say whether the method keeps what it promises.

    In a log that says whose each case is, all cases of a person are attacked together: of those with most cases, up to
    the method's `cases_per_person` if that is given.

    Args:
        log: the original: a log from `read_log`, or a data frame.
        delta: as for `anonymize`.
        method: as for `anonymize`.
        runs: how often each attack is tried on fresh releases; 200 can show an excess of about 0.1, 1,000 of 0.05.
        attacks: which kinds to try (path, time, value, noise, linkage, start, copies, order, or another that is
            registered), or single attacks by the names that stand in findings. All by default; those on values where
            the log has columns beside case, activity and time.
        seed: make the audit repeatable.
        processes: how many processes work at the same time. A script that asks for several must do so below
            ``if __name__ == "__main__":``, because each of them imports it again.
        ignore_persons: make releases as if the log did not say whose each case is, and attack the same people: what a
            column of persons is worth.
        progress: is called as the work goes on.
        parameters: what the method takes besides, as for `anonymize`.

    >>> from unsingle import synthesize
    >>> audit(synthesize(cases=60), runs=4, attacks=["order"], seed=1).holds
    True

    """
    refuse_arguments_of_reading(parameters)
    how = method_of(method, delta, parameters)
    asked = checked_attacks(attacks, runs)
    progress = progress or Progress()
    original = as_log(log, progress=progress)
    how = how.keeping([column.field for column in public_columns(original)])
    asked = _with_occasion(asked, original)
    job = AuditJob(original, how, tuple(attack.name for attack in asked), seed, ignore_persons)
    progress.step(ATTACK)
    seen = []
    for done, run in enumerate(runs_of(job, runs, processes), start=1):
        seen.append(run)
        progress.at(done / runs)
    guesses = {attack: _judged(attack, seen_by(attack, seen)) for attack in asked}
    return Audit(how.name, how.delta, runs, _findings(guesses, how.guarantee(), how.delta))


def checked_attacks(asked: Collection[str] | None, runs: int) -> list[Attack]:
    """The attacks of these kinds or names; raises `ParameterError` for what cannot be tried."""
    if runs < 2:
        raise ParameterError(f"runs must be 2 or more (not {runs}): rules are learnt on one half, tried on the other")
    return attacks_of(asked)


def _with_occasion(attacks: list[Attack], *logs: EventLog) -> list[Attack]:
    """The attacks that these logs may give an occasion for: those on kept columns only if all have such."""
    has_columns = all(public_columns(log) for log in logs)
    found = [attack for attack in attacks if has_columns or not attack.of_columns]
    if not found:
        raise ParameterError(f"these attacks are on kept columns, and there are none: name one with {argument('keep')}")
    return found


def audit_release(
    original: EventLog | Frame,
    release: EventLog | Frame | Release,
    delta: float | None = None,
    *,
    extra_attributes: Sequence[str] = (),
    progress: Progress | None = None,
) -> Audit:
    """Attack one given release, made by any tool; attacks that need many releases are left out.

    Args:
        original: the original. If both logs were read with the ids of their cases, those are attacked too, and so are
            columns that both were read with.
        release: what is released of it: a log, a data frame, or what `anonymize` gave.
        delta: what an attack may gain. Needed unless the release comes from `anonymize`, which knows its own.
        extra_attributes: what the released file has besides case, activity and time.
        progress: is called as the work goes on.

    >>> from unsingle import synthesize
    >>> log = synthesize(cases=100)
    >>> audit_release(log, log, delta=0.2).holds
    False

    """
    public = frozenset[Field]()
    if isinstance(release, Release):
        public = columns_with_public_values(release.method)
        delta, release = release.delta if delta is None else delta, release.log
    if delta is None:
        raise ParameterError("say which delta the release was made with: attacks are compared with it")
    delta = float(checked_delta(delta))
    shown = replace(_shown(as_log(original), as_log(release)), public_values=public)
    attacks = _with_occasion(list(ATTACKS.values()), shown.original, shown.release.log)
    progress = progress or Progress()
    progress.step(ATTACK)
    tried = {}
    for done, attack in enumerate(attacks, start=1):
        if attack.given is not None:
            tried[attack] = attack.given(shown)
        progress.at(done / len(attacks))
    guesses = {attack: Guesses([each] if each is not None else []) for attack, each in tried.items()}
    return Audit(GIVEN, delta, 1, _findings(guesses, _expected_of_any(delta), delta), tuple(extra_attributes))


def _shown(original: EventLog, release: EventLog) -> Shown:
    if not set(original.labels) & set(release.labels):
        raise LogError(
            "original and release have no activity in common, so nothing of the one can be found in the other: check "
            "that the release was made of this log, and that the same columns make the activity in both"
        )
    random = Randomness(0)
    people = Targets(original).some_cases(_PEOPLE, random.permutation(original.n_cases))
    return Shown(original, Observed(original, release), people, _PAIRS, random)


def _expected_of_any(delta: float) -> Guarantee:
    """What is expected of a release by any tool: delta for everything but lone paths, which may be public."""
    everything = Promise("anything about a person", "someone who knows every other case", delta, "on average")
    bounds: dict[Secret, float] = {secret: delta for secret in Secret if secret is not Secret.LONE_PRESENCE}
    return Guarantee((everything,), "", (), (), bounds)


def _judged(attack: Attack, seen: list[Any]) -> Guesses:
    return attack.judge(seen) if seen else Guesses([])


def _findings(guesses: dict[Attack, Guesses], guarantee: Guarantee, delta: float) -> tuple[Finding, ...]:
    return tuple(
        finding(attack, each, attack.limit(guarantee, delta), len(guesses)) for attack, each in guesses.items()
    )
