"""An audit as a whole: which attacks it runs, on odd logs and on real ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.audits import attacked, crowds, verdicts, weighty
from support.helpers import cases_of, log_of, log_of_paths, real_log_path
from unsingle import EventLog, LogError, ParameterError, anonymize, audit, audit_release, read_log, synthesize
from unsingle.auditor.attacks import noise, path, unusual_time
from unsingle.auditor.attacks.durations import DurationGuess
from unsingle.auditor.base import ATTACKS, Attack, ReleaseAttack, Tried, attacks_of, kinds
from unsingle.auditor.distinguishing import Distinguishing
from unsingle.auditor.findings import BEYOND, BROKEN, NOT_TESTED
from unsingle.auditor.setting import Shown
from unsingle.core.clock import DAY
from unsingle.formats.tables.frames import to_polars
from unsingle.methods.amun import Amun
from unsingle.privacy.guarantee import Secret


def batches() -> EventLog:
    """Cases begin together, fifty at a time, and steps take no time or a day."""
    return log_of(
        [
            ("ABC"[: 2 + i % 2], [i // 50 * 30 * DAY, *[i // 50 * 30 * DAY + i % 3 * DAY] * (1 + i % 2)])
            for i in range(200)
        ]
    )


ODD = {
    "five days": lambda: log_of([("ABC", [i % 5 * DAY, i % 5 * DAY, (i % 5 + i % 3) * DAY]) for i in range(100)]),
    "no time passes": lambda: log_of([("AB", [0, 0])] * 60 + [("AC", [0, 0])] * 40),
    "batches": batches,
    "eight weeks": lambda: log_of(
        [("AB" if i % 3 else "AC", [i % 56 * DAY, (i % 56 + i % 4) * DAY]) for i in range(150)]
    ),
    "own labels": lambda: log_of([([f"a{i}", f"b{i}"], [i * DAY, (i + i % 2) * DAY]) for i in range(60)]),
}


@pytest.mark.parametrize("name", ODD)
def test_sound_releases_of_odd_logs_are_not_called_broken(name: str) -> None:
    log = ODD[name]()
    for seed in range(3):
        found = audit_release(log, anonymize(log, 0.2, seed=seed))
        assert found.holds, found.verdict
    found = audit(log, 0.2, runs=4, seed=1)
    assert found.holds, found.verdict


def test_one_person_who_took_years_does_not_show() -> None:
    """No bound of the durations is taken from the log."""
    cases = [(path, list(times)) for path, times in cases_of(weighty())]
    cases[0][1][-1] += 4000 * DAY
    wanted = noise.UNUSUAL_TIME.name
    found = attacked(log_of(cases), "twin", wanted, runs=25)
    assert found.findings[0].exact_gain < found.findings[0].allowed
    assert verdicts(found)[wanted] != BROKEN


def test_a_log_of_which_hardly_any_release_comes_can_be_audited() -> None:
    log = log_of_paths(*"A" * 60)
    for seed in range(2):
        try:
            audit(log, 0.2, method="strict", runs=2, seed=seed)
        except LogError as error:
            assert "no path or step is frequent enough" in str(error)  # noqa: PT017 - either is right


def test_unknown_attacks_and_too_few_runs_are_refused() -> None:
    with pytest.raises(ParameterError, match="unknown attacks 'brute'"):
        audit(crowds(), attacks=["brute"])
    with pytest.raises(ParameterError, match="runs must be 2 or more"):
        audit(crowds(), runs=1)


def test_a_log_that_the_method_cannot_release_is_told() -> None:
    with pytest.raises(LogError, match="no path or step is frequent enough"):
        audit(crowds(), method="strict", runs=4)


def test_single_attacks_can_be_asked_for() -> None:
    found = attacked(crowds(), "amun", path.LONE_PATH.name, "order", runs=2)
    wanted = [path.LONE_PATH, *attacks_of(["order"])]
    assert [each.attack for each in found.findings] == [each.name for each in wanted]


def test_several_processes_find_the_same_as_one() -> None:
    log = synthesize(cases=60)
    one, two = (audit(log, method="amun", runs=6, seed=5, processes=n) for n in (1, 2))
    for first, second in zip(one.findings, two.findings, strict=True):
        assert (first.attack, first.guesses) == (second.attack, second.guesses)
        if not isinstance(ATTACKS[first.attack], Distinguishing | DurationGuess):
            assert first.right == pytest.approx(second.right, nan_ok=True)  # rules depend on which runs are a half


def test_a_log_of_one_event_has_hardly_any_targets() -> None:
    found = audit(log_of_paths("A", "A"), runs=2, processes=1, seed=1)
    assert {unusual_time.WHO.name, path.LONE_PATH.name, path.WHICH_PATH.name} <= {
        each.attack for each in found.findings if each.verdict == NOT_TESTED
    }


@pytest.mark.slow
@pytest.mark.parametrize(("method", "kinds"), [("twin", kinds()), ("twin-crowds", ("noise",))])
def test_attacks_on_sepsis_do_not_break_what_is_promised(method: str, kinds: tuple[str, ...]) -> None:
    log = read_log(real_log_path("Sepsis"))
    found = audit(log, 0.2, method=method, attacks=kinds, runs=4, seed=1, processes=2)
    assert found.holds, found.verdict


@pytest.mark.slow
def test_attacks_on_sepsis_break_amun_where_its_gap_is() -> None:
    found = audit(read_log(real_log_path("Sepsis")), 0.2, method="amun", attacks=["time"], runs=30, seed=1, processes=2)
    assert verdicts(found)[unusual_time.WHO.name] == verdicts(found)[unusual_time.REST_KNOWN.name] == BEYOND
    assert found.holds  # it is not promised


def first_activity_guessed(on: Shown) -> Tried:
    """Guess that each released case begins as some case of the original does: always right, by chance half of it."""
    return Tried(float(on.release.log.n_cases), on.release.log.n_cases / 2, float(on.release.log.n_cases))


@pytest.fixture
def toy() -> Iterator[Attack]:
    """An attack as one file of a package would add it."""
    attack = ReleaseAttack(
        "toy", rank=999, kind="toys", question="?", secret=Secret.START, attempt=first_activity_guessed
    )
    yield ATTACKS.add(attack)
    del ATTACKS._items["toy"]


def test_an_attack_that_is_registered_is_run_and_held_against_its_bound(toy: Attack) -> None:
    log = weighty()
    assert kinds()[-1] == "toys"
    for method, bound in (("amun", 0.2), ("twin", 0.32)):
        found = audit(log, 0.2, method=method, attacks=["toys"], runs=6, seed=1).findings
        assert [(each.attack, each.verdict, each.promised) for each in found] == [("toy", BROKEN, True)]
        assert found[0].allowed == pytest.approx(bound)
    assert "toy" in verdicts(audit(log, method="amun", runs=2, seed=1))  # also among all attacks
    assert verdicts(audit(log, method="as-published", attacks=["toys"], runs=6, seed=1))["toy"] == BEYOND
    assert verdicts(audit_release(log, log, 0.2))["toy"] == BROKEN


def test_data_frames_can_be_audited() -> None:
    log = synthesize(cases=60)
    assert audit(to_polars(log), method="amun", runs=2, attacks=["order"], seed=1).runs == 2
    assert not audit_release(to_polars(log), to_polars(log), 0.2).holds


def test_a_method_with_parameters_takes_no_others() -> None:
    assert audit(crowds(), method=Amun(0.1), runs=2, attacks=["order"], seed=1).delta == 0.1
    with pytest.raises(ParameterError, match="has its parameters already"):
        audit(crowds(), method=Amun(0.1), grid="day")
    with pytest.raises(ParameterError, match="slack= does not go with the method amun"):
        audit(crowds(), method="amun", slack=1e-3)
