"""What the audit of counts with geometric noise still asks for."""

from __future__ import annotations

from fractions import Fraction


def added_ratio(delta: Fraction) -> Fraction:
    """The ratio of geometric noise whose total variation is 2 delta.

    >>> added_ratio(Fraction(1, 5))
    Fraction(3, 5)
    """
    return max(Fraction(0), 1 - 2 * delta)
