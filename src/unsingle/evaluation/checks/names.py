"""Names of people and of their accounts, by their form and by frequent given names."""

from __future__ import annotations

import re

import numpy as np

from ...core.arrays import Flags
from .base import CHECKS, PublishedTexts, TextCheck, each_text
from .given_names import GIVEN_NAMES

_LETTER = r"[^\W\d_]"
_PARTICLE = r"(?:(?:van|von|vom|de|der|den|di|da|del|della|du|la|le|zu|zum|ten|ter|el|al|bin)\s+)*"
_SURNAME = rf"{_PARTICLE}{_LETTER}['’]?{_LETTER}[\w'’]+(?:[ -]{_LETTER}[\w'’]+)?"
_SURNAME_FIRST = re.compile(rf"{_SURNAME},\s*(?:{_LETTER}\.[\s-]?)+")
_INITIALS_FIRST = re.compile(rf"(?:{_LETTER}\.[\s-]?){{1,3}}\s?{_SURNAME}")
_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Herrn?|Frau|Mme|Dhr|Mevr)\.? [A-ZÄÖÜ][a-zäöüßéèç]+|\b(?:Dr|Prof)\. (?:[a-z]+\. )?[A-ZÄÖÜ][a-z]+"
)
_ACCOUNT = re.compile(
    r"(?:user|usr|emp|employee|staff|clerk|agent|operator|resource|nurse|doctor|mitarbeiter|medewerker)[ _.-]?\d+",
    re.IGNORECASE,
)
_INITIAL_LAST = re.compile(rf"{_SURNAME}(?: {_LETTER}\.)+")
_LOGIN = re.compile(r"[a-z]{1,2}[._][a-z]{3,}")
_WORD = re.compile(rf"{_LETTER}[\w'’]*\.?(?:-{_LETTER}[\w'’]*)*")
_MOST_WORDS, _MOST_LETTERS = 4, 100  # whatever is longer is no name
_SEVERAL, _SHARE = 3, 0.3  # labels that may be names: one alone means nothing


class _Name(TextCheck):
    name, rank, of_values = "name", 40, True
    looks_like = "the name or account of a person"

    def marks(self, texts: PublishedTexts) -> Flags:
        alone = each_text(texts, _may_be_name)
        if alone.sum() < max(_SEVERAL, _SHARE * len(alone)):
            alone = np.zeros_like(alone)
        return alone | each_text(texts, is_name)


def _may_be_name(text: str) -> bool:
    """Whether a text is a single given name, a login, or a word with an initial."""
    text = text.strip()
    if len(text) > _MOST_LETTERS:
        return False
    return text.lower() in GIVEN_NAMES or bool(_LOGIN.fullmatch(text) or _INITIAL_LAST.fullmatch(text))


def is_name(text: str) -> bool:
    """Whether a text has the form of a full name, or of an account.

    >>> [is_name(each) for each in ("Schmidt, A.", "J. van Dijk", "Anna Schmidt", "anna.schmidt", "User_12")]
    [True, True, True, True, True]
    >>> [is_name(each) for each in ("Create Fine", "Release A", "Check, approve", "W_Nabellen offertes", "Anna")]
    [False, False, False, False, False]
    """
    text = text.strip()
    if len(text) > _MOST_LETTERS:
        return False
    for form in (_SURNAME_FIRST, _INITIALS_FIRST):
        if form.fullmatch(text) and any(word[:1].isupper() and len(word) > 2 for word in re.split(r"[\s.,]+", text)):
            return True
    return bool(_TITLE.search(text) or _ACCOUNT.fullmatch(text)) or _has_given_name(text)


def _has_given_name(text: str) -> bool:
    """Whether a text is two to four words, of which the first, or the first after a comma, is a given name."""
    surname, comma, given = text.partition(",")
    words = [*given.split(), surname] if comma else re.split(r"[\s._]+", text)
    if not 2 <= len(words) <= _MOST_WORDS or not all(_WORD.fullmatch(word) for word in " ".join(words).split()):
        return False
    return words[0].lower().partition("-")[0] in GIVEN_NAMES


NAME = CHECKS.add(_Name())
