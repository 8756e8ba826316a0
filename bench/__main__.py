"""All benchmarks by one command: measure, show what is kept, or compare two files of results.

python -m bench NAME [--table] [--logs FOLDER] [--write] | python -m bench compare OLD.json NEW.json
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = {
    "speed": ("speed", "each step of the command beside other readers of the same file (--check: only the limit)"),
    "worst-cases": ("speed", "logs that are made to be hard; measured together with speed"),
    "methods": ("methods", "all methods side by side on the real logs"),
    "columns": ("columns", "what is kept of columns beside case, activity and time"),
    "strict": ("strict", "what differential privacy keeps of the real logs"),
    "use": ("use", "what is learnt on releases, tried on the original"),
    "audits": ("audits", "all methods attacked on real logs"),
    "web": ("web", "the web page under load"),
    "spark": ("spark", "releases on Spark: growth, skew, agreement"),
    "archive": ("archive", "all methods on all logs at all deltas, in files that programs read"),
    "paper": ("paper_table", "the paper's table, measured again"),
    "reproduction": ("reproduction", "what else the paper measured: digits of minutes, precision of a guess"),
}


def main(words: list[str]) -> None:
    """Do what is asked."""
    sys.path.insert(0, str(HERE))
    import document
    import results

    if not words or words[0] in ("-h", "--help"):
        print(__doc__, *(f"  {name:12} {about}" for name, (_, about) in SCRIPTS.items()), sep="\n")
    elif words[0] == "compare" and len(words) == 3:
        print(*results.compare(results.load(Path(words[1])), results.load(Path(words[2]))), sep="\n")
    elif words[0] not in SCRIPTS:
        sys.exit(f"there is no benchmark {words[0]!r}: take one of {', '.join(SCRIPTS)}, or compare OLD.json NEW.json")
    elif "--table" in words:
        kept = results.load(results.FOLDER / f"{words[0]}.json")
        print(*map(document.rendered, kept.values()), sep="\n\n")
    else:
        sys.argv = words
        runpy.run_path(str(HERE / f"{SCRIPTS[words[0]][0]}.py"), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
