"""Private reports: one HTML file each, that opens offline, prints, and says on its face that it is private."""

from __future__ import annotations

from .pages import page_of
from .writing import private_name, render, write_report

__all__ = ["page_of", "private_name", "render", "write_report"]
