"""Writes docs/command.md from the command's own --help. A test checks that it is up to date."""

from __future__ import annotations

from pathlib import Path

import click

from unsingle.cli import main

TARGET = Path(__file__).with_name("command.md")


def reference() -> str:
    """The help of every command as Markdown."""
    parts = ["# The command\n\nWritten by `make docs` from `--help`; do not edit.\n"]
    parts.append(_section(main, "unsingle"))
    parts += [_section(command, f"unsingle {name}") for name, command in sorted(main.commands.items())]
    return "\n".join(parts)


def _section(command: click.Command, name: str) -> str:
    context = click.Context(
        command, info_name=name, max_content_width=100, terminal_width=100, help_option_names=["-h", "--help"]
    )
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
