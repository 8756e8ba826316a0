"""Makes docs/pictures/demo.svg: the demo's own commands run in a terminal of 100 columns, as a picture."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

TARGET = Path(__file__).with_name("pictures") / "demo.svg"

COMMANDS = (
    "unsingle synthesize --cases 1000 -o hospital.xes.gz",
    "unsingle anonymize hospital.xes.gz --lifecycle complete --delta 0.2 -o release.xes.gz",
)

# rich's own frame would load a font from the web
FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font-family: Consolas, Menlo, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
line-height: {line_height}px; }} {styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
<rect width="100%" height="100%" rx="10" fill="#1f2430"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


def main() -> None:
    """Run the commands and draw what they print."""
    console = Console(record=True, width=104, file=Path(os.devnull).open("w"), force_terminal=True)  # noqa: SIM115
    environment = {**os.environ, "COLUMNS": "100", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            console.print(Text(f"$ {command}", style="bold bright_green"))
            done = subprocess.run(
                command.split(), cwd=folder, env=environment, check=True, capture_output=True, text=True
            )
            console.print(Text((done.stderr + done.stdout).rstrip()))
            console.print()
    TARGET.write_text(console.export_svg(title="", code_format=FRAME, unique_id="demo"), encoding="utf-8")


if __name__ == "__main__":
    main()
