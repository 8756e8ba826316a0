import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEPT = sorted((ROOT / "bench" / "results").glob("*.json"))
PAGES = ("docs/reference/benchmarks.md", "docs/reference/reproduction.md", "docs/explanation/audit.md")
DOCUMENTS = [ROOT / name for name in ("README.md", *PAGES)]


def bench(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_results_are_what_the_documents_show(path: Path) -> None:
    text = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    shown = bench(path.stem, "--table").stdout
    for section in json.loads(path.read_text(encoding="utf-8")):
        stands = text.split(f"<!-- {section} -->\n")[1].split(f"\n<!-- end of {section} -->")[0]
        assert stands in shown


def test_help_lists_every_benchmark() -> None:
    listed = bench("--help").stdout
    assert len(KEPT) == 11
    assert all(f"  {path.stem} " in listed for path in KEPT)


def test_an_unknown_name_is_refused_with_a_sentence() -> None:
    ended = bench("nothing")
    assert ended.returncode == 1
    assert "there is no benchmark 'nothing'" in ended.stderr


def test_compare_gives_ratios(tmp_path: Path) -> None:
    for name, cell in (("old", "1,000.0"), ("new", "**500.0**")):
        table = {"header": ["log", "s"], "rows": [["A", cell]]}
        (tmp_path / name).write_text(json.dumps({"speed": ["text", table]}), encoding="utf-8")
    assert bench("compare", tmp_path / "old", tmp_path / "new").stdout.rstrip().endswith("1000 500 0.50")
