"""Made-up hospital logs that look real: for trying out unsingle, for tests and for benchmarks.

Nobody's data is in them. Patients arrive by the hour and the day of the week, walk through the process
below by chance, and wait: mostly a little, sometimes for very long. So the logs have what makes real
logs hard to publish: many paths that only one case takes, rare events, long tails and equal times.

The process is the four tables below. The simulation only walks through them, all cases at once.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .core.arrays import Floats, Ints, dense, mix_pair, positions, runs
from .core.clock import DAY, HOUR, SECOND, from_local, zone_offsets
from .core.columns import PERSON, Column
from .core.log import EventLog
from .errors import ParameterError
from .privacy.random import Randomness

if TYPE_CHECKING:
    import polars


ZONE = "Europe/Berlin"
OPEN, CLOSE = 8 * HOUR, 16 * HOUR  # office hours, local time, Monday to Friday

ARRIVALS_A_DAY = 50
ARRIVALS_BY_HOUR = (3, 2, 2, 1, 1, 2, 3, 5, 8, 10, 11, 11, 10, 9, 9, 8, 8, 8, 9, 9, 8, 7, 5, 4)
ARRIVALS_BY_WEEKDAY = (13, 10, 10, 10, 11, 12, 12)  # from Monday

PARETO = 1.3  # the exponent of the long tail: without a bound its variance would be infinite
MOST_STRETCHED = 100  # times; so an emergency waits for days, but not for months
_LONGEST = 300 * DAY  # no wait is longer, however unlucky the draw


class Step(NamedTuple):
    """What is done at a step, how long it takes (median minutes) and what it costs (median)."""

    wait: float  # from the end of the step before
    spread: float  # of the logarithm of the wait: 1 means that one in six waits 2.7 times the median
    tail: float  # share of waits that are stretched by Pareto's law
    same: float  # share that is recorded in the same second as the step before
    work: float  # from start to complete; 0: only the completion is recorded
    cost: float | None
    staff: str
    office: bool = False


class Diagnosis(NamedTuple):
    """Who comes with it, and how many times as likely as usual some activities are."""

    share: float
    age: float
    age_spread: float
    factors: dict[str, float]


# What stands before the slash tells apart steps of the same activity at different places.
# fmt: off
_STEPS = {
    #                                 wait spread  tail  same work   cost  staff
    "Registration":            Step(     0,    0,    0,    0,   0,  None, "Clerk"),
    "Triage":                  Step(    12,   .8,  .02,  .02,   0,    25, "Nurse"),
    "Ambulance/Triage":        Step(     0,    0,    0,    0,   0,    25, "Nurse"),
    "Ambulance/Registration":  Step(    15,   .9,  .05,  .10,   0,  None, "Clerk"),
    "Vital signs":             Step(     4,   .7,    0,  .25,   0,  None, "Nurse"),
    "Blood test":              Step(    15,   .8,  .02,    0,  45,    60, "Laboratory"),
    "Imaging":                 Step(    35,   .9,  .04,    0,  20,   180, "Radiology"),
    "Consultation":            Step(    40,  1.0,  .05,  .02,   0,    90, "Physician"),
    "Medication":              Step(    10,   .9,  .01,  .20,   0,    15, "Nurse"),
    "Discharge":               Step(    30,  1.0,  .03,  .08,   0,  None, "Physician"),
    "Ward/Admission":          Step(   120,   .9,  .04,  .01,   0,    50, "Clerk"),
    "Ward/Surgery":            Step(   900,  1.1,  .03,    0, 110,  4200, "Surgeon"),
    "Ward/Intensive care":     Step(    40,   .5,    0,  .02, 1500, 2600, "Intensivist"),
    "Ward/Ward round":         Step(  1200,   .4,    0,  .01,   0,    70, "Physician"),
    "Ward/Medication":         Step(    45,   .9,  .01,  .15,   0,    15, "Nurse"),
    "Ward/Blood test":         Step(    90,   .7,  .02,    0,  60,    60, "Laboratory"),
    "Ward/Imaging":            Step(   240,   .9,  .03,    0,  25,   180, "Radiology"),
    "Ward/Physiotherapy":      Step(   300,   .8,  .01,    0,  30,    55, "Therapist"),
    "Ward/Discharge":          Step(   240,   .8,  .05,  .03,   0,  None, "Physician"),
    "After/Return visit":      Step( 14000,   .7,  .05,    0,   0,    80, "Physician", office=True),
    "After/Blood test":        Step(    20,   .6,    0,    0,  50,    60, "Laboratory"),
    "After/Billing":           Step(  4300,   .9,  .05,  .02,   0,  None, "Accounts", office=True),
    "After/Payment":           Step( 20000,   .8,  .10,    0,   0,  None, "Accounts", office=True),
    "Rare/Left untreated":     Step(   150,   .7,  .02,    0,   0,  None, "Nurse"),
    "Rare/Transfer":           Step(   200,   .9,  .05,    0,   0,   650, "Physician"),
    "Rare/Death":              Step(   600,  1.3,  .02,    0,   0,  None, "Physician"),
    "Rare/Complaint":          Step( 12000,  1.0,  .10,    0,   0,  None, "Quality", office=True),
}

# Where a case goes from a step, by weight. It comes from outside, and ends when it goes there again.
NEXT: dict[str, dict[str, float]] = {
    "outside":                {"Registration": 84, "Ambulance/Triage": 16},
    "Registration":           {"Triage": 99, "Rare/Left untreated": 1},
    "Triage":                 {"Vital signs": 90, "Consultation": 9, "Rare/Left untreated": 1},
    "Ambulance/Triage":       {"Ambulance/Registration": 60, "Vital signs": 40},
    "Ambulance/Registration": {"Vital signs": 70, "Imaging": 30},
    "Vital signs":            {"Blood test": 45, "Imaging": 20, "Consultation": 35},
    "Blood test":             {"Blood test": 8, "Imaging": 25, "Consultation": 67},
    "Imaging":                {"Imaging": 4, "Blood test": 8, "Consultation": 88},
    "Consultation":           {"Medication": 45, "Blood test": 5, "Imaging": 7, "Consultation": 3,
                               "Ward/Admission": 19, "Discharge": 40, "Rare/Transfer": .7},
    "Medication":             {"Medication": 4, "Consultation": 8, "Ward/Admission": 17, "Discharge": 71},
    "Discharge":              {"After/Billing": 84, "After/Return visit": 15.5, "Rare/Complaint": .5},
    "Ward/Admission":         {"Ward/Ward round": 50, "Ward/Surgery": 20, "Ward/Medication": 30},
    "Ward/Surgery":           {"Ward/Ward round": 84, "Ward/Intensive care": 15, "Rare/Death": 1},
    "Ward/Intensive care":    {"Ward/Intensive care": 25, "Ward/Ward round": 72, "Rare/Death": 3},
    "Ward/Ward round":        {"Ward/Ward round": 14, "Ward/Medication": 36, "Ward/Blood test": 15,
                               "Ward/Imaging": 4, "Ward/Physiotherapy": 8, "Ward/Surgery": 2,
                               "Ward/Discharge": 9, "Rare/Transfer": .4, "Rare/Death": .3},
    "Ward/Medication":        {"Ward/Medication": 6, "Ward/Ward round": 87, "Ward/Discharge": 7},
    "Ward/Blood test":        {"Ward/Blood test": 15, "Ward/Medication": 20, "Ward/Ward round": 65},
    "Ward/Imaging":           {"Ward/Ward round": 92, "Ward/Surgery": 8},
    "Ward/Physiotherapy":     {"Ward/Physiotherapy": 15, "Ward/Ward round": 65, "Ward/Discharge": 20},
    "Ward/Discharge":         {"After/Billing": 64, "After/Return visit": 35, "Rare/Complaint": 1},
    "After/Return visit":     {"After/Return visit": 18, "After/Blood test": 15, "After/Billing": 67},
    "After/Blood test":       {"After/Return visit": 40, "After/Billing": 60},
    "After/Billing":          {"After/Billing": 3, "After/Payment": 96.5, "Rare/Complaint": .5},
    "After/Payment":          {"outside": 1},
    "Rare/Left untreated":    {"outside": 1},
    "Rare/Transfer":          {"After/Billing": 1},
    "Rare/Death":             {"After/Billing": 1},
    "Rare/Complaint":         {"After/Billing": 60, "outside": 40},
}

DIAGNOSES = {
    "Injury":         Diagnosis(.28, 38, 21, {"Imaging": 4, "Blood test": .3, "Physiotherapy": 3}),
    "Abdominal pain": Diagnosis(.20, 42, 20, {"Blood test": 1.8, "Surgery": 1.6}),
    "Chest pain":     Diagnosis(.17, 61, 15, {"Blood test": 2.5, "Admission": 1.5, "Intensive care": 1.5}),
    "Infection":      Diagnosis(.16, 36, 26, {"Medication": 2, "Blood test": 1.5, "Surgery": .2}),
    "Stroke":         Diagnosis(.05, 73, 11, {"Imaging": 5, "Admission": 12, "Physiotherapy": 4, "Death": 3}),
    "Other":          Diagnosis(.14, 47, 23, {"Left untreated": 2, "Admission": .6}),
}

STAFF = {
    "Clerk": 8, "Nurse": 40, "Physician": 26, "Surgeon": 9, "Intensivist": 6, "Laboratory": 7,
    "Radiology": 6, "Therapist": 5, "Accounts": 4, "Quality": 2,
}
# by what stands before the slash
DEPARTMENTS = {
    "": "Emergency", "Ambulance": "Emergency", "Ward": "Inpatient care", "After": "Outpatient care",
    "Rare": "Management",
}
# fmt: on

_OUTSIDE = len(_STEPS)
_LABELS = tuple(dict.fromkeys(name.split("/")[-1] for name in _STEPS))
_DEPARTMENT_OF_STEP = tuple(DEPARTMENTS[name.rpartition("/")[0]] for name in _STEPS)
_ROLE_OF_STEP = tuple(step.staff for step in _STEPS.values())
_LABEL_OF_STEP = np.array([_LABELS.index(name.split("/")[-1]) for name in _STEPS])


class _Log(NamedTuple):
    """A simulated log: an entry per case, then an entry per step of a case, by case and time."""

    diagnosis: Ints
    case: Ints
    step: Ints
    start: Ints
    end: Ints


def synthesize(cases: int = 1000, seed: int = 0, *, several: float = 0.0, cases_of_several: int = 5) -> EventLog:
    """Make up the log of so many cases: the completed activities of `synthetic_frame`.

    Args:
        cases: how many cases.
        seed: another seed gives another log.
        several: the share of people who have several cases. If there are any, the log says whose each case is (the
            private column `PERSON`). People who come again mostly take the same path again.
        cases_of_several: how many cases each of them has.

    >>> synthesize(200).n_cases
    200
    >>> synthesize(200, seed=1) == synthesize(200, seed=2)
    False
    >>> persons = synthesize(140, several=0.1).columns[0]
    >>> sorted(np.bincount(persons.values).tolist())[-11:]
    [1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]

    """
    random = Randomness(seed)
    log = _simulate(cases, random, "2023-01-02")
    used, activity = np.unique(_LABEL_OF_STEP[log.step], return_inverse=True)
    labels = tuple(_LABELS[label] for label in used)
    columns = (_persons(log, several, cases_of_several, random),) if several else ()
    return EventLog(labels, activity.astype(np.int32), log.end, runs(log.case), ZONE, columns)


def _persons(log: _Log, several: float, each: int, random: Randomness) -> Column:
    """Whose each case is: this share of the people have so many cases, mostly on one path, and all others one."""
    cases = len(log.diagnosis)
    if not 0 <= several <= 1 or each < 1:
        raise ParameterError("several must be a share from 0 to 1, and cases_of_several 1 or more")
    blocks = min(cases // each, round(several * cases / (1 + several * (each - 1))))
    offsets = runs(log.case)
    path = np.add.reduceat(mix_pair(_LABEL_OF_STEP[log.step], positions(offsets), 0), offsets[:-1])
    in_order = np.lexsort((random.words(cases), path))[: cases - cases % each].reshape(-1, each)
    owner = np.arange(cases)
    chosen = in_order[random.permutation(len(in_order))[:blocks]]
    owner[chosen] = chosen[:, :1]
    number = dense(owner)
    names = random.permutation(int(number.max()) + 1)[number].astype(np.int32)
    return Column(PERSON, names, tuple(f"N{i + 1:06d}" for i in range(int(number.max()) + 1)))


def synthetic_frame(cases: int, seed: int = 0, *, first_day: str = "2023-01-02") -> polars.DataFrame:
    """Make up the full log of so many cases: with attributes, resources, costs and life cycle.

    The cases stand in order of arrival; their ids are in no order.

    >>> frame = synthetic_frame(200)
    >>> frame["case:concept:name"].n_unique(), sorted(frame["lifecycle:transition"].unique())
    (200, ['complete', 'start'])
    """
    import polars as pl

    random = Randomness(seed)
    log = _simulate(cases, random, first_day)
    costs = _costs(log.step, random)
    people, person = _people(log.step, random)

    row = np.repeat(np.arange(len(log.step)), np.where(_each("work", log.step) > 0, 2, 1))
    starts = np.append(row[1:] == row[:-1], False)  # the first of the two events of a step
    time = np.where(starts, log.start[row], log.end[row])
    case = log.case[row]
    return pl.DataFrame(
        {
            "case:concept:name": _numbered("P", cases, random).gather(case),
            "case:age": _ages(log.diagnosis, random)[case],
            "case:diagnosis": pl.Series(list(DIAGNOSES)).gather(log.diagnosis[case]),
            "concept:name": pl.Series(_LABELS).gather(_LABEL_OF_STEP[log.step[row]]),
            "time:timestamp": pl.Series(time, dtype=pl.Datetime("ms", "UTC")).dt.convert_time_zone(ZONE),
            "lifecycle:transition": pl.Series(["complete", "start"]).gather(starts.astype(np.int64)),
            "org:resource": pl.Series(people).gather(person[row]),
            "org:role": pl.Series(_ROLE_OF_STEP).gather(log.step[row]),
            "org:group": pl.Series(_DEPARTMENT_OF_STEP).gather(log.step[row]),
            "record": _numbered("R", len(row), random),
            "costs": pl.Series(np.where(starts, np.nan, costs[row])).fill_nan(None),
        }
    )


def _numbered(letter: str, n: int, random: Randomness) -> polars.Series:
    """N distinct ids, in no order."""
    import polars as pl

    return letter + pl.Series(random.permutation(n) + 1).cast(pl.String).str.zfill(max(6, len(str(n))))


def _simulate(cases: int, random: Randomness, first_day: str) -> _Log:
    """Let all cases walk through the process at once, one step of each per round."""
    if cases < 1:
        raise ParameterError(f"cannot make a log of {cases} cases: ask for 1 or more")
    shares = np.cumsum([diagnosis.share for diagnosis in DIAGNOSES.values()])
    diagnosis = np.searchsorted(shares / shares[-1], random.uniform(cases))
    clock = _arrivals(cases, random, first_day)
    chances = _chances()
    case, step = np.arange(cases), np.full(cases, _OUTSIDE)
    rounds = []
    while True:
        draw = random.uniform(len(case))
        step = (chances[diagnosis[case], step] < draw[:, None]).sum(axis=1)
        stays = step != _OUTSIDE
        case, step, clock = case[stays], step[stays], clock[stays]
        if len(case) == 0:
            break
        start = _begin(step, clock, random)
        clock = start + _milliseconds(_each("work", step) * np.exp(0.5 * random.normal(len(step))))
        rounds.append((case, step, start, clock))
    all_case, all_step, all_start, all_end = (np.concatenate(column) for column in zip(*rounds, strict=True))
    order = np.argsort(all_case, kind="stable")  # stable: the rounds of a case stay in order
    return _Log(diagnosis, all_case[order], all_step[order], all_start[order], all_end[order])


def _chances() -> Floats:
    """Of each diagnosis and step, the chance to go to any step up to and including each one."""
    names = [*_STEPS, "outside"]
    weights = np.zeros((len(DIAGNOSES), len(names), len(names)))
    for i, diagnosis in enumerate(DIAGNOSES.values()):
        for source, targets in NEXT.items():
            for target, weight in targets.items():
                factor = diagnosis.factors.get(target.split("/")[-1], 1)
                weights[i, names.index(source), names.index(target)] = weight * factor
    sums = np.cumsum(weights, axis=2)
    chances: Floats = sums / sums[:, :, -1:]
    return chances


def _arrivals(cases: int, random: Randomness, first_day: str) -> Ints:
    """Draw times of arrival, in order; some hours and some weekdays are busier than others."""
    try:
        first = (date.fromisoformat(first_day) - date(1970, 1, 1)).days
    except ValueError:
        raise ParameterError(f"cannot read first_day {first_day!r}: give a day such as 2023-01-02") from None
    days = first + np.arange(-(-cases // ARRIVALS_A_DAY))
    rates = np.outer(np.array(ARRIVALS_BY_WEEKDAY)[_weekday(days)], ARRIVALS_BY_HOUR).ravel()
    sums = np.cumsum(rates)
    hour = np.searchsorted(sums / sums[-1], random.uniform(cases))
    second = (random.uniform(cases) * 3600).astype(np.int64)
    return np.sort(from_local(ZONE, days[0] * DAY + hour * HOUR + second * SECOND))


def _begin(step: Ints, clock: Ints, random: Randomness) -> Ints:
    """When a step begins, if the one before it ended at `clock`."""
    n = len(step)
    minutes = _each("wait", step) * np.exp(_each("spread", step) * random.normal(n))
    stretch = np.minimum(random.uniform(n) ** (-1 / PARETO), MOST_STRETCHED)
    minutes *= np.where(random.uniform(n) < _each("tail", step), stretch, 1)
    minutes *= random.uniform(n) >= _each("same", step)
    begin = clock + _milliseconds(minutes)
    office = np.flatnonzero(_each("office", step))
    begin[office] = _to_office_hours(begin[office], random)
    return begin


def _to_office_hours(time: Ints, random: Randomness) -> Ints:
    """Keep times at which the office is open; move others to early on the next working day."""
    local = time + zone_offsets(ZONE, time)
    day, clock = local // DAY, local % DAY
    is_open = (_weekday(day) < 5) & (clock >= OPEN) & (clock < CLOSE)
    day = day + (clock >= CLOSE)
    day += np.array([0, 0, 0, 0, 0, 2, 1])[_weekday(day)]  # over the weekend
    morning = day * DAY + OPEN + _milliseconds(120 * random.uniform(len(time)))
    return np.where(is_open, time, from_local(ZONE, morning))


def _costs(step: Ints, random: Randomness) -> Floats:
    """Draw what each step cost, to the cent; not a number where nothing is charged."""
    return np.round(_each("cost", step) * np.exp(0.3 * random.normal(len(step))), 2)


def _people(step: Ints, random: Randomness) -> tuple[list[str], Ints]:
    """All members of staff, and which of them does each step; some are on duty much more than others."""
    people = [f"{role} {i + 1:02d}" for role, count in STAFF.items() for i in range(count)]
    count = np.array([STAFF[row.staff] for row in _STEPS.values()])
    first = np.array([people.index(f"{row.staff} 01") for row in _STEPS.values()])
    return people, first[step] + (random.uniform(len(step)) ** 1.5 * count[step]).astype(np.int64)


def _ages(diagnosis: Ints, random: Randomness) -> Ints:
    """Draw the age of each patient in years."""
    mean = np.array([row.age for row in DIAGNOSES.values()])[diagnosis]
    spread = np.array([row.age_spread for row in DIAGNOSES.values()])[diagnosis]
    ages = mean + spread * random.normal(len(diagnosis))
    return np.minimum(np.abs(ages), 102).astype(np.int64)  # folded at 0: there are many small children


def _each(name: str, step: Ints) -> Floats:
    """Look up a column of the table for each of these steps; nothing becomes not-a-number."""
    return np.array([getattr(row, name) for row in _STEPS.values()], dtype=np.float64)[step]


def _weekday(day: Ints) -> Ints:
    """Day of the week from Monday = 0, of days since 1970 (which began on a Thursday)."""
    return (day + 3) % 7


def _milliseconds(minutes: Floats) -> Ints:
    """Minutes as milliseconds, to the second."""
    return np.rint(np.minimum(minutes * 60, _LONGEST / SECOND)).astype(np.int64) * SECOND
