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
_RARE = 1  # of 100: how likely a rare fact seems before


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
    assumes: tuple[str, ...]
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
        assumes=tuple(map(_sentence, facts.assumes)),
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
        return (
            "People of whom more than one release is made: information from several releases adds up, including "
            "attempts that were not published."
        )
    if facts.earlier and facts.delta_together is None:
        return "All releases of these people together: one of them promises nothing that could be added up."
    return (
        "People of whom there are releases that the publisher did not count, or makes later: information from several "
        "releases adds up, including attempts that were not published."
    )


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
            "Not for anything about an individual or a case.",
        )

    def criteria(self) -> tuple[Criterion, ...]:
        return ()

    def identifiability(self) -> tuple[str, ...]:
        return (f"{_RECITAL_26} {_DECIDES}",)

    def attacker(self) -> tuple[str, ...]:
        return ()

    def uses(self) -> tuple[str, ...]:
        return ()

    def misuses(self) -> tuple[str, ...]:
        return _NEVER

    def corrections(self) -> tuple[str, ...]:
        return ()


_NEVER = (
    "Do not look for people in it, do not link it with other data about people, and do not base decisions about "
    "individuals on it.",
)
_RECITAL_26 = (
    "Under recital 26 of the GDPR, data are anonymous if nobody can be identified by any means reasonably likely to be "
    "used, by the controller or anyone else, considering cost, time and technology."
)
_DECIDES = (
    "Whether this release counts as anonymous in its context is the publisher's decision; this statement gives the "
    "technical reasons for it and does not replace it."
)


class _Copied(_Words):
    """Releases whose cases are copies of people's, with noise on their times."""

    def who(self) -> tuple[str, ...]:
        return (
            "Each person in part only: one step or one usual time, taken by itself. The path as a whole, all times of "
            "a person together and unusual times are not protected.",
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
                      "Someone who knows enough of a person's path finds copies of that case."),
            Criterion("Linkability", _ASKS[1], "Not prevented: copies of a case can be recognised by their durations.",
                      "Case numbers are new. Paths can be linked to other data."),
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
        each = f", with up to {cases} cases each" if cases and cases > 1 else ", with one case each"
        return f"Everybody in the original data{each}"

    @property
    def _gain(self) -> str:
        return f"at most {at_most(100 * self.facts.added, 3)} percentage points"

    def who(self) -> tuple[str, ...]:
        if not self._keeps:
            return (f"{self._everybody}, also people whose path through the process nobody else took.",)
        return (
            f"{self._everybody}: that they are in it, which of the published paths (sequences of steps) they took, "
            f"when, and how fast{self._values}.",
            "There are exceptions, listed below. The most important one: a path that only one person took is "
            f"published. For people whose path nobody else took, only times{self._values} are protected, not that they "
            "are in the data and took such a path.",
        )

    def against(self) -> tuple[str, ...]:
        other = "any other release about the same people"
        if self.facts.releases is not None:
            other = "any release about the same people that is not counted here"
        return (
            f"Against anyone, whatever they know, except the random numbers used and {other}. "
            "The promise is computed for the strongest attacker: someone who knows every other person's data in full, "
            "and how this release was made.",
        )

    def how_much(self) -> tuple[str, ...]:
        first = "this log" if self.facts.delta_together is None or not self.facts.earlier else "the first of these logs"
        three = at_most(100 * self._method.among_three)
        lone = " (for people whose path nobody else took: about their times)" if self._keeps else ""
        return (
            f"Think of any yes/no question about one person{lone}, decided on before seeing {first}: was she in "
            f"intensive care? Did it take him more than a week? Someone who would be right {_EVEN} times in 100 by "
            f"guessing is right at most {self.of_100} times in 100 with {_these(self.facts)}.{self._rare}",
            f"This is an average over the random noise: a single unlucky draw can reveal more. {self._luck}".rstrip(),
            "Guesses among more than two answers are protected less: among three equally likely answers, the chance of "
            f"a right guess can rise by up to {three} percentage points{self._alone}.",
            *((f"That is weak protection: {WEAK_DELTA:g} is the most that is advised.",) if self._is_weak else ()),
        )

    @property
    def _alone(self) -> str:
        return " with this log alone" if self.facts.earlier else ""

    @property
    def _rare(self) -> str:
        """An example for a rare fact; up to the delta that is advised, the sum bounds what anybody may believe after.

        What is believed, on average over releases of somebody of whom the fact is true, is an f-divergence of the two
        laws, so it is largest for the pair that dominates them; the tests compute it.
        """
        if self._is_weak:
            return ""
        after = at_most(_RARE + 100 * self.facts.added, 3)
        return (
            f" A rare fact that seemed {_RARE} in 100 likely before seems at most {after} in 100 likely after, also of "
            "a person of whom it is true."
        )

    @property
    def _luck(self) -> str:
        """How often the average fails one person; of several promises, the first is for presence alone."""
        guarantee = self._method.guarantee()
        if guarantee.statement != self.facts.guarantee:
            return ""
        presence, *others = guarantee.promises
        if others:
            return f"For whether somebody is in the original data at all, the promise holds {presence.sense}."
        return _sentence(presence.sense.partition(": ")[2])

    @property
    def _is_weak(self) -> bool:
        return self.facts.added > WEAK_DELTA

    def not_protected(self) -> tuple[str, ...]:
        lone = (
            "People whose path nobody else took: whoever knows enough of such a path recognises it, reads its other "
            "steps, and knows that this person is in the data.",
            "Two or three people on one rare path: their presence is protected, but the path is published, so someone "
            "who knows part of it, and that they are in the data, reads the rest of it for them too.",
        )
        more = "several" if self._covered == 1 else f"more than {self._covered}"
        several = (
            f"People with {more} cases are protected less than others."
            if self._covered
            else "People with several cases: each case is protected by itself, but all of them together less.",
        )
        return (
            *(lone if self._keeps else ()),
            *several,
            "What is true of everybody: if nearly all cases take a week, this log shows it of anyone.",
            "The names of activities, which are published as they are.",
            _others(self.facts),
        )

    def in_short(self) -> tuple[str, ...]:
        return (
            "For studying the process: its paths, how often each is taken, how long steps take, where work waits; for "
            "teaching, research and testing software. Not for finding out or deciding anything about an individual.",
        )

    def criteria(self) -> tuple[Criterion, ...]:
        but = "except for people whose path nobody else took, " if self._keeps else ""
        gain = f"knowing this log raises the chance of %s correctly by {self._gain} on average"
        nothing = "Nothing beyond that chance."
        return (
            Criterion(
                "Singling out",
                _ASKS[0],
                _sentence(f"{but}{gain % 'guessing whether someone is in the original data'}"),
                "A path that only one person took can be recognised (without its times), which also reveals that this "
                "person is in the data."
                if self._keeps
                else nothing,
            ),
            Criterion(
                "Linkability",
                _ASKS[1],
                f"Case numbers are new and mean nothing. Times{self._values} are drawn anew for each case, so they do "
                "not show which cases belong to one person.",
                ("A path taken by only one person can be linked to other data about that person. " * self._keeps)
                + "Several releases about the same people together tell more than one.",
            ),
            Criterion(
                "Inference",
                _ASKS[2],
                _sentence(
                    f"beyond what is true of people in general, and {but}{gain % 'answering a yes/no question'}"
                    if self._keeps
                    else f"beyond what is true of people in general, {gain % 'answering a yes/no question'}"
                ),
                "The other steps of a rare path, for someone who knows part of it." if self._keeps else nothing,
            ),
        )

    def identifiability(self) -> tuple[str, ...]:
        decide = (
            " Before publishing, the publisher has to decide whether paths that only one person took may be visible."
        )
        return (
            f"A person is identifiable if they can be singled out, directly or indirectly. {_RECITAL_26} The promise "
            "above does not rest on what an attacker lacks in knowledge or technology, now or later."
            f"{decide if self._keeps else ''} {_DECIDES}",
        )

    def attacker(self) -> tuple[str, ...]:
        other = "other release about the same people"
        if self.facts.releases is not None:
            other = "release about the same people that is not counted here"
        return (
            "Everything about all other people; this person's name, habits and part of their path and times; this "
            f"statement and the program. Not the random numbers used, and no {other}.",
        )

    def uses(self) -> tuple[str, ...]:
        paths = (
            "Discovering and checking process models: every path is one of the original, and none is missing."
            if self._keeps
            else "Discovering the main paths: frequent paths are real, rare ones are made up."
        )
        return (
            paths,
            "How often paths and steps occur; how long each step and a whole case take; how many cases are under way.",
            "Teaching, research, testing and comparing process-mining software.",
        )

    def misuses(self) -> tuple[str, ...]:
        rare = (
            () if self._keeps else ("Do not conclude anything from a rare path or step: it may be made up or missing.",)
        )
        return (
            *_NEVER,
            "Do not use figures based on few cases, or relations between steps that are not consecutive (such as "
            "whether a slow first step goes with a slow last one).",
            *rare,
            "How accurate the times are varies between logs; ask the publisher.",
        )

    def corrections(self) -> tuple[str, ...]:
        noise = self._count_noise
        return (
            "Do not correct for the noise; this has already been done. The number of cases on each path was typically "
            f"off by about {noise} (standard deviation) before that correction: two paths that differ by fewer than "
            f"{2 * noise} cases may well be equally frequent. Error bars computed as if these were real cases would be "
            "too small.",
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


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
