"""Ids of records and people: long numbers that few cases have, and labels that differ in a number from case to case."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np

from ...core.arrays import Flags
from .base import CHECKS, PublishedTexts, TextCheck, each_text
from .dates import has_date

_ALWAYS = re.compile(
    r"(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])"  # UUID
    r"|(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])",  # number of social security
    re.IGNORECASE,
)
_LONG = re.compile(r"\d{7}|(?<![0-9a-f])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}(?![0-9a-z])", re.IGNORECASE)
_MAYBE = re.compile(r"\d{7}|\d{3}-\d\d-\d{4}|[0-9a-fA-F]{8}")  # found far faster, and in each of these
_FEW = 5  # cases: a long number that more have may be the code of a step
_FAMILY, _OWN = 20, 0.8  # labels of one form, and the share of them that are in one case only
_OF_CASES = 0.05  # and as many labels for each case; a few numbered steps are rare in any log


class _Id(TextCheck):
    name, rank = "id", 30
    looks_like = "the id of a record or a person"

    def marks(self, texts: PublishedTexts) -> Flags:
        always = each_text(texts, lambda text: _MAYBE.search(text) and _ALWAYS.search(text))
        long = each_text(texts, lambda text: _MAYBE.search(text) and _LONG.search(text) and not has_date(text))
        return always | (long & (texts.cases < _FEW)) | _families(texts)


def _families(texts: PublishedTexts) -> Flags:
    """Labels that differ from others in a number alone, where nearly each of them is in one case only."""
    families: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts.texts):
        if (form := re.sub(r"\d+", "#", text)) != text:
            families[form].append(place)
    marks = np.zeros(len(texts.texts), dtype=np.bool_)
    for places in families.values():
        enough = len(places) >= max(_FAMILY, _OF_CASES * texts.n_cases)
        if enough and texts.once[places].mean() >= _OWN:
            marks[places] = True
    return marks


ID = CHECKS.add(_Id())
