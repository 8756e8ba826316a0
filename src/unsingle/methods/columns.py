"""What users say about kept columns, as the attributes that the mechanisms release."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ..core.columns import Field, Kind
from ..core.wording import quoted
from ..errors import ParameterError, argument
from ..mechanisms.attributes import Attribute

_STEPS = {Kind.INTEGER: 1.0, Kind.NUMBER: 0.01, Kind.TEXT: 1.0}
"""What numbers are rounded to if nothing else is asked for."""

_STAFF = re.compile(r"resource|user|employee|staff|clerk|agent|handler|assignee|operator|performer|owner|author")


@dataclass(frozen=True)
class Said:
    """Public values, pseudonyms and steps, each by the name that a column has in tables."""

    values: Mapping[str, Sequence[str]]
    pseudonyms: Sequence[str]
    names: Sequence[str]
    round: Mapping[str, float]

    def check(self) -> None:
        """Refuse what cannot be, whatever columns there are."""
        for column, step in self.round.items():
            if not (isinstance(cast(object, step), int | float) and 0 < step < math.inf):
                raise ParameterError(
                    f"{argument('round')} for {quoted(column)} must be a number above 0 (not {step!r})"
                )
        for column, values in self.values.items():
            if isinstance(values, str) or not values or not all(isinstance(value, str) for value in values):
                raise ParameterError(f"{argument('values')} for {quoted(column)} must be a list of texts")
        if both := set(self.pseudonyms) & set(self.names):
            raise ParameterError(
                f"{quoted(min(both))} cannot be published both by {argument('pseudonyms')} and by {argument('names')}"
            )

    def attributes(self, fields: Sequence[Field]) -> tuple[Attribute, ...]:
        """The columns to release; refuses what is said of a column that is not kept, or that cannot be done."""
        kinds = {field.table_name: field.kind for field in fields}
        for option, columns in vars(self).items():
            for column in columns:
                _check(option, column, kinds)
        return tuple(self._attribute(field) for field in fields)

    def _attribute(self, field: Field) -> Attribute:
        name = field.table_name
        public = tuple(self.values[name]) if name in self.values else None
        hidden = name in self.pseudonyms or (looks_like_staff(name) and name not in self.names)
        return Attribute(field, public, hidden and field.kind is Kind.TEXT, self.round.get(name, _STEPS[field.kind]))


def looks_like_staff(name: str) -> bool:
    """Whether the values of a column with this name are likely people who work there.

    >>> looks_like_staff("org:resource"), looks_like_staff("org:role")
    (True, False)
    """
    return _STAFF.search(name.lower()) is not None


def _check(option: str, column: str, kinds: Mapping[str, Kind]) -> None:
    """Refuse what is said of a column that is not kept, or is of another kind."""
    if column not in kinds:
        kept = ", ".join(map(quoted, kinds)) or "none"
        raise ParameterError(
            f"{argument(option)} names {quoted(column)}, which is not kept: name it with {argument('keep')} too "
            f"(kept: {kept})"
        )
    wants_text = option != "round"
    if wants_text != (kinds[column] is Kind.TEXT):
        found, wanted = ("numbers", "text") if wants_text else ("text", "numbers")
        raise ParameterError(f"{argument(option)} is for columns of {wanted}, and {quoted(column)} holds {found}")
