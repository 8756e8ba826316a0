"""The statement of a release: two pages to publish, for readers who know neither us nor the arithmetic.

It is made of what the release says of itself, and of nothing else, so it tells no more of the original than the
release. Its questions are those of the law's criteria for anonymous data: can a person be singled out, can records of
one person be linked, can something about a person be inferred (Article 29 Working Party, Opinion 05/2014, WP 216).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..core.wording import at_most
from ..methods.base import WEAK_DELTA
from ..methods.synthetic import Synthetic
from ..records.facts import ReleaseFacts
from ..records.made import made_as
from .render import environment

_EVEN = 50  # of 100: a guess between two answers of which nothing is known


class Answer(NamedTuple):
    """A question that a reader has, and its answer, in paragraphs."""

    question: str
    paragraphs: tuple[str, ...]


class Criterion(NamedTuple):
    """One of the three criteria of WP 216: what it asks, what the release does, and what remains."""

    name: str
    asks: str
    answer: str
    remains: str


@dataclass(frozen=True)
class Statement:
    """What the pages say, in their order."""

    facts: ReleaseFacts
    answers: tuple[Answer, ...]
    criteria: tuple[Criterion, ...]
    identifiability: tuple[str, ...]
    attacker: tuple[str, ...]
    uses: tuple[str, ...]
    misuses: tuple[str, ...]
    corrections: tuple[str, ...]
    citation: str


def statement_html(facts: ReleaseFacts) -> str:
    """The statement as one HTML document, which opens offline and prints on two pages."""
    return environment().get_template("statement.html").render(said=statement_of(facts), facts=facts)


def statement_of(facts: ReleaseFacts) -> Statement:
    """What is said of a release."""
    words = _words_for(facts)
    return Statement(
        facts=facts,
        answers=(
            Answer("Who is protected?", words.who()),
            Answer("Against whom?", words.against()),
            Answer("How much?", words.how_much()),
            Answer("Who or what is not protected?", words.not_protected()),
            Answer("What may the data be used for?", words.in_short()),
        ),
        criteria=words.criteria(),
        identifiability=words.identifiability(),
        attacker=words.attacker(),
        uses=words.uses(),
        misuses=words.misuses(),
        corrections=words.corrections(),
        citation=_citation(facts),
    )


def _words_for(facts: ReleaseFacts) -> _Words:
    method = made_as(facts)
    if isinstance(method, Synthetic):
        return _MadeUp(facts, method)
    return _Words(facts) if facts.synthetic else _Copied(facts)


def _these(facts: ReleaseFacts) -> str:
    """The releases that a figure is of, and the limit that was chosen."""
    limit = f"the publisher's limit, delta = {facts.delta:g}"
    if facts.delta_together is None or not facts.earlier:
        return f"this log ({limit})"
    before = "the release" if facts.earlier == 1 else f"the {facts.earlier} releases"
    return f"this log and {before} of the same people before it ({limit}, is of this one alone)"


def _others(facts: ReleaseFacts) -> str:
    """Which other releases the figures do not count."""
    if facts.releases is None:
        return "People of whom more than one release is published: what several releases tell adds up."
    if facts.earlier and facts.delta_together is None:
        return "What all releases of these people tell together: one of them promises nothing that could be added up."
    return "What releases of the same people tell that the publisher did not count, or makes later: it adds up."


class _Words:
    """What can be said of any release, of a method that is not known here: what it says of itself, word for word."""

    def __init__(self, facts: ReleaseFacts) -> None:
        self.facts = facts

    @property
    def of_100(self) -> str:
        """How often a guess between two answers is right at most."""
        return at_most(min(100.0, _EVEN + 100 * self.facts.added), 3)

    def who(self) -> tuple[str, ...]:
        return (f"As far as this promise goes: {self.facts.guarantee}",)

    def against(self) -> tuple[str, ...]:
        return ("Against those that the promise names.",)

    def how_much(self) -> tuple[str, ...]:
        return (f"The publisher chose the limit delta = {self.facts.delta:g}; what it limits is said in the promise.",)

    def not_protected(self) -> tuple[str, ...]:
        return (self.facts.limits, *map(_sentence, self.facts.not_protected))

    def in_short(self) -> tuple[str, ...]:
        return (
            "For looking at the process as a whole: which paths there are, how often they are taken, how long steps "
            "take. "
            "Not for anything about a single person or case.",
        )

    def criteria(self) -> tuple[Criterion, ...]:
        return ()

    def identifiability(self) -> tuple[str, ...]:
        return (
            "Data are anonymous if nobody can be identified in them by any means reasonably likely to be used "
            "(recital 26 "
            "of the GDPR). Whether that is so for this release in its context is the publisher's decision; this "
            "statement "
            "gives the technical reasons for it and does not replace it.",
        )

    def attacker(self) -> tuple[str, ...]:
        return tuple(map(_sentence, self.facts.assumes))

    def uses(self) -> tuple[str, ...]:
        return ()

    def misuses(self) -> tuple[str, ...]:
        return _NEVER

    def corrections(self) -> tuple[str, ...]:
        return ()


_NEVER = (
    "Do not look for people in it, do not link it with other data about people, and do not base decisions about single "
    "people on it.",
)


class _Copied(_Words):
    """Releases whose cases are copies of people's, with noise on their times."""

    def who(self) -> tuple[str, ...]:
        return (
            "Each person in part only: one step or one usual time of theirs, taken by itself. Their path as a whole, "
            "all their times together and unusual times are not protected.",
            self.facts.guarantee,
        )

    def against(self) -> tuple[str, ...]:
        return (
            "Against someone who knows all other cases (for steps), and someone who knows how long each step usually "
            "takes "
            "(for times). Not against someone who knows several things about a person.",
        )

    def criteria(self) -> tuple[Criterion, ...]:
        return (
            Criterion("Singling out", _ASKS[0], "Not prevented: cases are copied from people, with other times.",
                      "Someone who knows enough of a person's path finds copies of their case."),
            Criterion("Linkability", _ASKS[1], "Not prevented: copies of a case can be recognised by their durations.",
                      "Identifiers of cases are new, so nothing can be linked by those."),
            Criterion("Inference", _ASKS[2], "Limited for one step, or one usual time, at a time.",
                      "The rest of the path of a person who was found can be read."),
        )  # fmt: skip

    def corrections(self) -> tuple[str, ...]:
        return (
            "Cases were added or removed, so use shares, not counts. Noise was added to each time: means over many "
            "cases suffer less than single times, and nothing can be subtracted.",
        )


_ASKS = (
    "Can somebody pick out one person's record?",
    "Can two records of one person be linked, here or with other data?",
    "Can something unknown be worked out about a person?",
)


class _MadeUp(_Words):
    """Releases in which every case is made up from noised figures."""

    def __init__(self, facts: ReleaseFacts, method: Synthetic) -> None:
        super().__init__(facts)
        self._method, self._keeps = method, method.keeps_variants
        self._values = " and values" if facts.columns else ""

    @property
    def _covered(self) -> int | None:
        """How many cases of one person are protected together; None if persons are not told apart."""
        return self._method.unit.cases

    @property
    def _everybody(self) -> str:
        cases = self._covered
        return "Everybody in the original data" + (f", with up to {cases} cases each" if cases and cases > 1 else "")

    def who(self) -> tuple[str, ...]:
        if not self._keeps:
            return (f"{self._everybody}, also people whose path through the process was like nobody else's.",)
        return (
            f"{self._everybody}: that they are in it, which path (sequence of steps) they took, when, and how "
            f"fast{self._values}.",
            f"One exception: a path that a single person took is published. For such people only their "
            f"times{self._values} "
            "are protected, not that somebody took this path.",
        )

    def against(self) -> tuple[str, ...]:
        return (
            "Against anyone, whatever they know and however much they compute. The promise is computed for the "
            "strongest "
            "attacker there is: someone who knows every other person's data in full, and how this release was made.",
        )

    def how_much(self) -> tuple[str, ...]:
        first = "this log" if self.facts.delta_together is None or not self.facts.earlier else "the first of these logs"
        return (
            f"Think of any yes/no question about one person, asked before {first} came out: was she in intensive care? "
            f"Did it take him more than a week? Someone who would be right {_EVEN} times in 100 by guessing is right "
            f"at most "
            f"{self.of_100} times in 100 with {_these(self.facts)}. {self._luck}",
            *((f"That is weak protection: {WEAK_DELTA:g} is the most that is advised.",) if self._is_weak else ()),
        )

    @property
    def _luck(self) -> str:
        """In which sense the promise holds; of several promises, the first is for presence alone."""
        guarantee = self._method.guarantee()
        if guarantee.statement != self.facts.guarantee:
            return "Whether that is on average or always, the promise says word for word."
        presence, *others = guarantee.promises
        if not others:
            return _holds(presence.sense)
        return (
            f"That is an average over the chance by which a release is made. For whether somebody is in the original "
            f"data at all, it holds {presence.sense}."
        )

    @property
    def _is_weak(self) -> bool:
        return self.facts.added > WEAK_DELTA

    def not_protected(self) -> tuple[str, ...]:
        lone = (
            "People alone on their path: whoever knows enough of such a path recognises it, reads its other steps, and "
            "knows that this person is in the data.",
        )
        several = (
            f"People with more than {self._covered} cases are protected less than others."
            if self._covered
            else "People with several cases: each case is protected, but not all of them together.",
        )
        return (
            *(lone if self._keeps else ()),
            *several,
            "What is true of everybody: if nearly all cases take a week, this log shows it, and so one can say it of a "
            "person who is in it or not.",
            "The names of activities, which are published as they are.",
            _others(self.facts),
        )

    def in_short(self) -> tuple[str, ...]:
        return (
            "For studying the process: its paths, how often each is taken, how long steps take, where work waits; for "
            "teaching, research and testing software. Not for finding out or deciding anything about a person.",
        )

    def criteria(self) -> tuple[Criterion, ...]:
        gain = f"right {at_most(100 * self.facts.added, 3)} times in 100 more often than without it"
        lone = "A path that one person alone took can be recognised, without its times."
        return (
            Criterion(
                "Singling out",
                _ASKS[0],
                "No record is a person's: every case is made up from noised figures. A guess whether someone is in the "
                f"original data is at most {gain}.",
                lone if self._keeps else "Nothing beyond that chance.",
            ),
            Criterion(
                "Linkability",
                _ASKS[1],
                "No case comes from a person, so no two come from the same one; identifiers are new and mean nothing.",
                "Several releases about the same people together tell more than one"
                + (", and a lone path would stand in each." if self._keeps else "."),
            ),
            Criterion(
                "Inference",
                _ASKS[2],
                f"Beyond what is true of people in general, a yes/no guess is at most {gain}.",
                "For a lone path, its other steps." if self._keeps else "Nothing beyond that chance.",
            ),
        )

    def identifiability(self) -> tuple[str, ...]:
        decided = " The publisher must have decided that paths which one person alone took may be seen."
        lone = decided if self._keeps else ""
        return (
            "A person is identifiable if they can be singled out, directly or indirectly. Under recital 26 of the "
            "GDPR, data "
            "are anonymous if that is not possible by any means reasonably likely to be used, considering cost, time "
            "and "
            "technology. The promise above does not rest on what an attacker lacks in knowledge or technology, now or "
            f"later.{lone} Whether this release counts as anonymous in its context is the publisher's decision; "
            "this statement gives the technical reasons for it and does not replace it.",
        )

    def attacker(self) -> tuple[str, ...]:
        assumed = (
            "Everything about all other people; this person's name, habits and part of their path and times; this "
            "statement, the program and its source. Not the random numbers that were drawn, and no other release about "
            "the same people.",
        )
        taken = "; ".join(self.facts.assumes)
        return (*assumed, f"The promise takes for granted: {taken}.")

    def uses(self) -> tuple[str, ...]:
        paths = (
            "Discovering and checking process models: every path is one of the original, and none is missing."
            if self._keeps
            else "Discovering the main paths: frequent paths are true, rare ones are made up from true steps."
        )
        return (
            paths,
            "How often paths and steps occur; how long each step takes; how many cases are under way.",
            "Teaching, research, testing and comparing process-mining software.",
        )

    def misuses(self) -> tuple[str, ...]:
        rare = (
            () if self._keeps else ("Do not conclude anything from a rare path or step: it may be made up or missing.",)
        )
        return (
            *_NEVER,
            "Do not rely on figures of few cases, or on how far steps that do not follow each other hang together: "
            "each step's "
            "time is drawn by itself.",
            *rare,
            "How near times are to the truth differs from log to log: ask the publisher, who has compared them.",
        )

    def corrections(self) -> tuple[str, ...]:
        noise = self._count_noise
        return (
            "Nothing is to be subtracted. Noise was put on the figures that this log was made from, and estimation has "
            "already taken account of it; correcting again makes it worse.",
            f"Before estimation a number of cases on one path was off by about {noise} (standard deviation): two paths "
            f"that differ by fewer than {2 * noise} cases may well be equally frequent. Error bars that are computed "
            f"as if "
            "these cases were people are too narrow.",
        )

    @property
    def _count_noise(self) -> int:
        ratio = float(self._method.terms.ratio)
        return max(1, round(math.sqrt(2 * ratio) / (1 - ratio)))


def _citation(facts: ReleaseFacts) -> str:
    return (
        f"Event log made with unsingle {facts.version}, method {facts.method} at delta {facts.delta:g}, "
        f"{facts.date}{f', digest {facts.digest}' if facts.digest else ''}. Method: guessing advantage for event "
        f"logs (G. "
        "Elkoumy, A. Pankova, M. Dumas: Mine Me but Don’t Single Me Out, ICPM 2021)"
        + (
            " and differential privacy by Gaussian and geometric noise (J. Dong, A. Roth, W. J. Su: Gaussian "
            "Differential "
            "Privacy, JRSS B 84, 2022)."
            if facts.synthetic
            else "."
        )
    )


def _holds(sense: str) -> str:
    """In which sense a promise holds, for readers without statistics.

    >>> _holds("averaged over the noise: in at most 5 % of releases it is sure")
    'That is an average over the chance by which a release is made: in at most 5 % of releases it is sure.'
    >>> _holds("whatever comes out, but in at most 0.0003 of releases")
    'That holds whatever comes out, but in at most 0.0003 of releases.'
    """
    _, is_average, how_often = sense.partition(": ")
    if is_average:
        return f"That is an average over the chance by which a release is made: {how_often}."
    return f"That holds {sense}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
