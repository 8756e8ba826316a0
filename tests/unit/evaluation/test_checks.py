"""What should be looked at before a log is released: what is marked, and what is not."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from support.helpers import log_of, real_log_path
from unsingle import CellError, EventLog, read_log, synthesize
from unsingle.evaluation.checks import CHECKS, checked, personal
from unsingle.methods import chosen

REAL = (
    "BPIC12", "BPIC13_incidents", "BPIC15_1", "CCC19", "Hospital", "Sepsis", "Traffic_fines", "Unrineweginfectie",
)  # fmt: skip
STEPS = ["Register", "Check", "Decide", "Inform", "Close"]


def log_with(labels: Sequence[str], cases: int = 200) -> EventLog:
    """Ordinary cases, and further labels that the first of them have, one each."""
    paths = [([*STEPS, *labels[i : i + 1]], list(range(5 + len(labels[i : i + 1])))) for i in range(cases)]
    return log_of(paths)


def frame(case: Sequence[object], activity: Sequence[object], **columns: Sequence[object]) -> pl.DataFrame:
    times = [f"2024-01-{1 + i % 28:02} 10:00" for i in range(len(case))]
    return pl.DataFrame({"case id": case, "activity": activity, "timestamp": times, **columns})


def marked(log: EventLog) -> dict[str, tuple[str, ...]]:
    return {each.check: each.texts for each in checked(log) if each.personal}


@pytest.mark.parametrize(
    ("label", "check"),
    [
        ("Ask anna.m@example.org", "email"),
        ("reminder to j+x@uni-b.ac.uk sent", "email"),
        ("Call +49 30 1234567", "phone"),
        ("Call 0171/1234567", "phone"),
        ("Ring 06-12345678 back", "phone"),
        ("Call (555) 123-4567", "phone"),
        ("born 31.12.1980", "date"),
        ("Visit 2024-01-05", "date"),
        ("Visit 12.05.80", "date"),
        ("visit of 5 March 2024", "date"),
        ("Ticket INC0012345 reopened", "id"),
        ("123-45-6789", "id"),
        ("file 7c9e6679-7425-40de-944b-e07fc1f90ae7", "id"),
        ("Schmidt, A.", "name"),
        ("van der Berg, J.P.", "name"),
        ("A. Schmidt", "name"),
        ("Ask Mrs Miller", "name"),
        ("Anna Schmidt", "name"),
        ("Schmidt, Anna", "name"),
        ("jean-pierre.dupont", "name"),
        ("User_12", "name"),
    ],
)
def test_a_label_that_names_somebody_is_marked(label: str, check: str) -> None:
    found = marked(log_with([label]))
    assert found.get(check) == (label,)


@pytest.mark.parametrize(
    "label",
    [
        "W_Nabellen offertes", "01_HOOFD_510_2a", "190205 klasse 3b        a205", "Release A", "Create Fine",
        "o2-saturatie", "ca-125 mbv meia", "Check, approve", "Version 1.2.3", "10.2.11", "Step 2024", "10:00", "E-mail",
        "x@", "§ 5", "Approve > 1,000,000", "Order (10 x 20 cm)", "Q1/2024", "24/7 support", "ISO 27001:2022", "A+B",
        "Mark invoice", "Bill customer", "Per post", "Iris scan", "Dr. visit", "R. 12", "Payment 0.50", "1-2-3",
        "Ärztin",
    ],
)  # fmt: skip
def test_an_ordinary_label_is_not_marked(label: str) -> None:
    assert marked(log_with([label])) == {}


def test_a_long_number_that_many_cases_have_is_the_code_of_a_step() -> None:
    assert marked(log_with(["Finding 386053000"] * 3)) == {"id": ("Finding 386053000",)}
    assert marked(log_with(["Finding 386053000"] * 5)) == {}


def test_clerks_chosen_as_activity_are_marked_by_the_name_of_the_column() -> None:
    clerks = ["K17", "K18", "K19", "K20"] * 100
    log = read_log(frame([i // 4 for i in range(400)], clerks).rename({"activity": "Resource"}), activity="Resource")
    assert marked(log) == {"staff as activity": ("K17", "K18", "K19", "K20")}
    joined = frame([i // 4 for i in range(400)], ["A"] * 400, user=clerks)
    assert "staff as activity" in marked(read_log(joined, activity="activity+user"))
    assert marked(read_log(frame([i // 4 for i in range(400)], clerks))) == {}


def test_clerks_chosen_as_activity_are_marked_by_given_names() -> None:
    clerks = ["Anna", "Peter", "Sofia", "Giulia", "Siebel"] * 80
    cases = [i // 5 for i in range(400)]
    assert set(marked(read_log(frame(cases, clerks)))["name"]) == {"Anna", "Peter", "Sofia", "Giulia"}
    logins = ["a.muster", "b.novak", "c_okafor", "d.quist", "e.roe"]
    assert set(marked(read_log(frame(cases, logins * 80)))["name"]) == set(logins)
    surnames = ["Muster A.", "van Dijk B.", "Roe C.", "Okafor D. E.", "O'Neill F."]
    assert set(marked(read_log(frame(cases, surnames * 80)))["name"]) == set(surnames)
    assert marked(log_with(["Anna"])) == {}  # one alone may be a machine


@pytest.mark.parametrize("form", ["INC{:04}", "case {}", "{}"])
@pytest.mark.parametrize("each", ["event", "case"])
def test_ids_of_records_chosen_as_activity_are_marked(form: str, each: str) -> None:
    cases = [i // 4 for i in range(800)]
    ids = [form.format(i if each == "event" else i // 4) for i in range(800)]
    found = marked(read_log(frame(cases, ids)))
    assert set(found["id"]) == set(ids)
    assert set(found["unrepeated labels"]) == set(ids)


def test_numbered_steps_that_all_cases_have_are_no_ids() -> None:
    assert marked(log_of([([f"step {j}" for j in range(30)], list(range(30))) for _ in range(150)])) == {}


def test_free_text_as_activity_is_marked() -> None:
    words = np.random.default_rng(1).choice(list("abcdefgh"), (600, 12))
    assert "unrepeated labels" in marked(read_log(frame([i // 3 for i in range(600)], ["".join(w) for w in words])))


def test_a_resource_chosen_as_case_is_asked_about() -> None:
    events = frame([i % 6 for i in range(6000)], STEPS * 1200).rename({"case id": "org:resource"})
    found = {each.check: each.sentence for each in checked(read_log(events, case="org:resource"))}
    assert set(found) == {"staff as case", "few cases", "long cases"}
    assert "'org:resource'" in found["staff as case"]
    assert "only 6 different values in 6,000 events" in found["few cases"]
    assert "1,000 events on average" in found["long cases"]
    assert not personal(checked(read_log(events, case="org:resource")))


def test_another_case_than_that_of_xes_is_asked_about() -> None:
    rows = frame([i % 120 for i in range(600)], STEPS * 120).rename({"case id": "ward"})
    both = rows.with_columns(pl.Series("case:concept:name", [i % 100 for i in range(600)]))
    assert checked(read_log(both)) == ()
    (found,) = checked(read_log(both, case="ward"))
    assert (found.check, found.personal) == ("other case", False)
    assert "'ward', and 'case:concept:name'" in found.sentence
    assert checked(read_log(rows, case="ward")) == ()


@pytest.mark.parametrize(("cases", "asked"), [(99, True), (100, False)])
def test_few_cases_are_asked_about(cases: int, asked: bool) -> None:
    assert [each.check for each in checked(log_with([], cases))] == (["few cases"] if asked else [])


@pytest.mark.parametrize(("length", "asked"), [(500, False), (501, True)])
def test_long_cases_are_asked_about(length: int, asked: bool) -> None:
    log = log_of([(STEPS[:1] * length, [0] * length)] * 100)
    assert [each.check for each in checked(log)] == (["long cases"] if asked else [])


def test_values_of_kept_columns_are_looked_at_if_they_are_published() -> None:
    cases, n = [i // 5 for i in range(1000)], 1000
    columns = {
        "contact": ["a@b.org", "desk"] * (n // 2),
        "user": ["Anna Schmidt", "x"] * (n // 2),
        "born": ["1.1.1980"] * n,
    }
    log = read_log(frame(cases, STEPS * 200, **columns), keep=["contact", "user", "born"])
    found = [(each.of, each.check, each.texts) for each in checked(log)]
    assert found == [("contact", "email", ("a@b.org",))]  # staff become pseudonyms, and dates in values are ordinary
    fields = [field for field in log.fields if not field.private]
    shown = checked(log, chosen("twin", names=["user"], pseudonyms=["contact"]).keeping(fields))
    assert [(each.of, each.check) for each in shown] == [("user", "name")]
    assert checked(log, chosen("twin", values={"contact": ["a@b.org"]}).keeping(fields)) == ()


def test_labels_that_are_not_published_are_not_looked_at() -> None:
    log = log_with(["a@b.org"])
    assert checked(log, chosen("strict", labels=STEPS)) == ()
    assert [each.check for each in checked(log, chosen("strict"))] == ["email"]


def test_a_label_is_looked_at_part_by_part() -> None:
    log = read_log(
        frame([i // 5 for i in range(1000)], STEPS * 200, who=["Schmidt, A."] * 1000), activity="activity+who"
    )
    assert len(marked(log)["name"]) == 5


def test_the_synthetic_log_has_nothing_to_look_at() -> None:
    assert checked(synthesize(cases=300)) == ()


def test_every_check_has_a_name_and_a_place() -> None:
    assert len({check.rank for check in CHECKS.values()}) == len(CHECKS) > 7


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_nothing_is_marked_in_real_logs(name: str) -> None:
    found = checked(read_log(real_log_path(name)))
    assert [each.check for each in found] == (["few cases"] if name == "CCC19" else [])  # which has 20
    assert not personal(found)


@pytest.mark.slow
def test_clerks_of_real_logs_are_marked() -> None:
    log = read_log(real_log_path("BPIC13_incidents"), activity="org:resource")
    assert "Anne Claire" in marked(log)["name"]
    assert len(marked(log)["staff as activity"]) == len(log.labels)
    resources = read_log(real_log_path("BPIC15_1"), activity="org:resource")
    assert len(marked(resources)["staff as activity"]) == len(resources.labels)


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@pytest.mark.parametrize("cell", ["2024-01-05", "2024-01-05T10:00:00Z", "05.01.2024 10:00", '"1/5/2024"'])
def test_a_label_that_holds_a_row_of_the_file_is_refused(separator: str, cell: str) -> None:
    label = separator.join(["4711", "Approve", cell])
    events = frame([1, 1, 2], ["A", label, "A"])
    with pytest.raises(CellError, match="1 of 3 events have an activity that looks like a whole row of the file"):
        read_log(events)
    assert label in read_log(events, allow_line_ends=True).labels


@pytest.mark.parametrize("label", ["Sent on 2024-01-05", "A; B; C", "a, b, c, 2024", "5 | 6 | 7", "Sent, 2024-01-05"])
def test_a_label_with_separators_is_not_refused_without_a_time(label: str) -> None:
    assert label in read_log(frame([1, 1], ["A", label])).labels


@pytest.mark.parametrize("text", ["a", "1", "a.", "f1", "a-", "O'", "van ", "Mr. ", "+1 ", "1-", "2024-01-01;", " "])
def test_long_labels_do_not_take_long(text: str) -> None:
    label = text * (100_000 // len(text))
    begin = time.process_time()
    checked(log_of([([label], [0])] * 100))
    assert time.process_time() - begin < 2
