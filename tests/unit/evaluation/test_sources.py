"""Every function that takes a log takes frames too."""

from __future__ import annotations

import pytest

from support.helpers import paper_log
from unsingle import anonymize, assess_risk, compare, inspect_log, sweep, to_pandas, to_polars
from unsingle.evaluation.figures import measure


@pytest.mark.parametrize("frame_of", [to_polars, to_pandas])
def test_a_frame_is_as_good_as_a_log(frame_of) -> None:
    log, frame = paper_log(), frame_of(paper_log())
    assert assess_risk(frame).plain() == assess_risk(log).plain()
    assert compare(frame, frame).plain() == compare(log, log).plain()
    assert inspect_log(frame).events == inspect_log(log).events
    release = anonymize(log, 0.2, seed=1)
    assert compare(frame, release).plain() == compare(log, release).plain()
    assert measure(frame, release).measures == measure(log, release).measures
    ours, theirs = (sweep(each, [0.2], ["twin"], runs=1, seed=1).plain() for each in (log, frame))
    assert ours == theirs
