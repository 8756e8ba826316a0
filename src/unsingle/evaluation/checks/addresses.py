"""E-mail addresses and phone numbers, by their form."""

from __future__ import annotations

import re

from ...core.arrays import Flags
from .base import CHECKS, PublishedTexts, TextCheck, each_text
from .dates import has_date

_EMAIL = re.compile(r"(?<![\w.+%'-])[\w.+%'-]+@[\w-]+(?:\.[\w-]+)+")
_MAYBE_PHONE = re.compile(r"\d\d[ /.()-]{0,2}\d")  # found far faster
_PHONE = re.compile(
    r"(?<![\w.,+-])(?:"
    r"(?:\+|00)[1-9]\d{0,2}[ /.()-]{0,2}\d(?:[ /.()-]{0,2}\d){6,11}"  # with the code of a country
    r"|\(?0[1-9]\d{0,3}\)?(?: ?[/-] ?| )[1-9](?:[ -]?\d){5,8}"  # with the code of a town
    r"|(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}"  # as in North America
    r")(?![\w-])"
)


def _has_phone(text: str) -> bool:
    return bool(_MAYBE_PHONE.search(text) and _PHONE.search(text)) and not has_date(text)


class _Email(TextCheck):
    name, rank, of_values = "email", 0, True
    looks_like = "an e-mail address"

    def marks(self, texts: PublishedTexts) -> Flags:
        return each_text(texts, lambda text: "@" in text and _EMAIL.search(text))


class _Phone(TextCheck):
    name, rank, of_values = "phone", 10, True
    looks_like = "a phone number"

    def marks(self, texts: PublishedTexts) -> Flags:
        return each_text(texts, _has_phone)


EMAIL, PHONE = CHECKS.add(_Email()), CHECKS.add(_Phone())
