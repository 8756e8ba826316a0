"""What a method is: its parameters as fields, how it makes a release, and what it promises.

One class in one module of this package is all there is of a method: the command, the page, the API, sweeps, audits and
the reference list what is registered here. What each method shares with others of its family stands in `paper` and in
`synthetic`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from enum import Enum
from typing import Any, ClassVar, NamedTuple

from ..core.arrays import Ints
from ..core.automaton import Automaton
from ..core.clock import GRIDS
from ..core.columns import Field as ColumnField
from ..core.log import EventLog, Paths
from ..core.registry import Registry
from ..core.wording import quoted
from ..errors import ParameterError, argument
from ..mechanisms.time_noise import Calibration
from ..mechanisms.timeline import Timeline
from ..privacy.advantage import checked_delta
from ..privacy.budget import Budget
from ..privacy.composition import Spent
from ..privacy.guarantee import Guarantee
from ..privacy.random import Randomness
from ..progress import Progress

USUAL_DELTA, WEAK_DELTA, TINY_DELTA = 0.2, 0.25, 0.01
"""The delta that is taken unless another is asked for, the one above which a release is said to be weak, and the one
below which noise hides nearly everything."""


class Outcome(NamedTuple):
    """A released log, and what is known of how it was made.

    `ancestors` names for each released case the original case that it descends from (private); None where no case
    descends from one. `budget` is what a differentially private method spent.
    """

    log: EventLog
    ancestors: Ints | None = None
    budget: Budget | None = None


class ParameterKind(Enum):
    """How a user writes a parameter down."""

    NUMBER = "number"
    COUNT = "count"  # a whole number
    TEXT = "text"
    CHOICE = "choice"
    TEXTS = "texts"  # several: a list in Python, a file with one in each line for the command
    COLUMNS = "columns"  # names of kept columns
    TEXTS_BY_COLUMN = "texts by column"  # a list for each column: a file for the command
    NUMBERS_BY_COLUMN = "numbers by column"
    CALENDAR = "calendar"  # days, hours and holidays, each a list: a file for the command

    @property
    def is_repeated(self) -> bool:
        """Whether its option may be given several times, once for each column."""
        return self in (ParameterKind.COLUMNS, ParameterKind.TEXTS_BY_COLUMN, ParameterKind.NUMBERS_BY_COLUMN)


class Parameter(NamedTuple):
    """One parameter of a method, as a user sees it."""

    name: str
    kind: ParameterKind
    help: str
    choices: tuple[str, ...] = ()
    metavar: str | None = None


def parameter(default: Any, kind: ParameterKind, help: str, **how: Any) -> Any:  # noqa: A002 - as in click
    """A field of a method that users may set."""
    return field(default=default, metadata={"kind": kind, "help": help, **how})


@dataclass(frozen=True)
class Method(ABC):
    """A way to make releases, with its parameters; raises `ParameterError` if one is out of range."""

    name: ClassVar[str]
    rank: ClassVar[int]
    """Where it stands in lists."""
    title: ClassVar[str]
    """What it is, in one line."""
    heading: ClassVar[str]
    about: ClassVar[str]
    """The same for someone who has to choose: a few words, and a sentence or two."""
    stages: ClassVar[Mapping[str, str]]
    """The steps that `release` tells a `Progress`, in their order, and what each does in words."""
    keeps_variants: ClassVar[bool] = True
    """Whether a release has exactly the variants of the original (R1)."""
    has_budget: ClassVar[bool] = False
    """Whether all that is released is made from noised figures, within one budget."""

    delta: float = parameter(
        USUAL_DELTA,
        ParameterKind.NUMBER,
        "The most that the release may add to an attacker's chance of guessing something about one person (0 to 1); "
        "the guarantee says which guesses.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", float(checked_delta(self.delta)))

    @abstractmethod
    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        """Make a release of the log."""

    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What a release promises, from the parameters alone."""

    def cautions(self) -> tuple[str, ...]:
        """What the publisher should read first, by the parameters alone: that delta is weak, or very small."""
        if self.delta > WEAK_DELTA:
            return (self._weak(),)
        if self.delta < TINY_DELTA:
            return (
                f"delta {self.delta:g} is very small: noise hides nearly everything. Most releases take 0.05 to "
                f"{WEAK_DELTA:g}.",
            )
        return ()

    def _weak(self) -> str:
        return f"delta {self.delta:g} is weak: take 0.1 where harm would be great, and not more than {WEAK_DELTA:g}."

    def published_labels(self, labels: Sequence[str]) -> Sequence[str]:
        """Those of the log's labels that a release may publish."""
        return labels

    def publishes(self, column: ColumnField) -> bool:
        """Whether texts of a kept column may be published as they are, though nobody said that they are public."""
        return self.accepts(column)

    def check(self, log: EventLog) -> None:  # noqa: B027 - most have nothing to refuse
        """Refuse a log that cannot be released, before anything is drawn; `release` does so too."""

    def spends(self) -> Spent | None:
        """All that a release may spend of what several releases add up; None where nothing adds up."""
        return None

    def accepts(self, column: ColumnField) -> bool:  # noqa: ARG002 - for those that do
        """Whether the method can release a column like this one."""
        return False

    def keeping(self, columns: Sequence[ColumnField]) -> Method:
        """The method for logs of which these columns are to be released; refuses those that it cannot release."""
        names = [column.table_name for column in columns]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f"there are two columns {quoted(name)}: rename one of them")
        for column in columns:
            if not self.accepts(column):
                able = [each.name for each in METHODS.values() if each().accepts(column)]
                raise ParameterError(
                    f"the method {self.name} cannot release {quoted(column.name)}: leave it out of {argument('keep')}"
                    + (f", or take {' or '.join(able)}" if able else "")
                )
        return self

    def outside(self, log: EventLog) -> dict[str, int]:  # noqa: ARG002 - for those with public parameters
        """How much of the log does not fit what its owner said is public (private)."""
        return {}

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """What a user may set, by name."""
        return {each.name: _parameter(each) for each in fields(cls) if each.metadata}

    def settings(self) -> dict[str, Any]:
        """The parameters and what they are set to."""
        return {name: getattr(self, name) for name in self.parameters()}


def _parameter(field_: Field[Any]) -> Parameter:
    return Parameter(field_.name, **field_.metadata)


class TwoStage(Method):
    """A method in two stages, counts and times, that need not see the whole log at once.

    How many cases a variant gets depends on the paths alone; how times are released depends on groups of values, and
    otherwise on each case by itself. So an engine can run the first stage where all paths are, and the second for any
    part of the cases, wherever it lies: in one process, or on many machines.
    """

    grid: str | None
    """The grid of released times; None for the log's own."""

    @property
    @abstractmethod
    def base(self) -> str:
        """What times are measured from: ``previous`` or ``start``."""

    @property
    @abstractmethod
    def calibration(self) -> Calibration:
        """How much noise times get."""

    @abstractmethod
    def added_to_variants(self, paths: Paths, automaton: Automaton, random: Randomness) -> Ints:
        """How many cases to add to each variant."""

    @abstractmethod
    def released(self, timeline: Timeline, automaton: Automaton, added: Ints, random: Randomness) -> Outcome:
        """The release of these cases and of the added ones, which are named by the cases that they copy."""


METHODS: Registry[type[Method]] = Registry("method", __package__)
"""All methods by name, the default first; those with a budget are a ladder of ever stronger promises."""


def checked_grid(grid: str | None) -> None:
    """Refuse a grid that is not one of ours."""
    if grid is not None and grid not in GRIDS:
        raise ParameterError(f"unknown grid {grid!r}: choose one of {', '.join(GRIDS)}")


def grid_parameter(default: str) -> Any:
    """The grid of released times; `default` says which is taken if none is given."""
    return parameter(
        None,
        ParameterKind.TEXT,
        f"Round released times to the day, hour, minute, second or millisecond. [default: {default}]",
        metavar="GRID",
    )


def refuse_unknown(method: type[Method], given: Iterable[str]) -> None:
    """Refuse parameters that the method does not have, and say which methods have them."""
    for name in given:
        if name not in method.parameters():
            owners = [each.name for each in METHODS.values() if name in each.parameters()]
            known = ", ".join(argument(each) for each in method.parameters())
            whose = f"it is for {', '.join(owners)}" if owners else f"it takes {known}"
            raise ParameterError(f"{argument(name)} does not go with the method {method.name}: {whose}")
