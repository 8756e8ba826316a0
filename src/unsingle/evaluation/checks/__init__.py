"""What to look at before a log is released: labels that look personal, and columns that look wrong. Private."""

from .base import CHECKS, Concern, checked, personal

__all__ = ["CHECKS", "Concern", "checked", "personal"]
