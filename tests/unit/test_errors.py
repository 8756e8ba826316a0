"""One message, in the words of whoever reads it: of Python, of the command or of the page."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from support.helpers import run_command
from unsingle import UnsingleError, anonymize, read_log, synthesize
from unsingle.errors import ParameterError, argument, as_option
from unsingle.web.forms import as_field

UNCLEAR = "case,activity,time\n1,A,01/02/2024\n"


@pytest.fixture
def unclear(tmp_path: Path) -> Path:
    """A log whose times can be read in two ways."""
    path = tmp_path / "log.csv"
    path.write_text(UNCLEAR)
    return path


def test_a_message_names_arguments_as_its_reader_writes_them(unclear: Path) -> None:
    with pytest.raises(UnsingleError) as caught:
        read_log(unclear)
    error = caught.value
    assert "such as time_format='%d/%m/%Y %H:%M' or" in str(error)
    assert "such as --time-format '%d/%m/%Y %H:%M' or" in error.in_words(as_option)
    assert "such as “Time format”: %d/%m/%Y %H:%M or" in error.in_words(as_field)
    assert error.in_words(as_option) in run_command("inspect", unclear, ok=False).stderr


def test_a_message_keeps_its_words_on_the_way_between_processes(unclear: Path) -> None:
    with pytest.raises(UnsingleError) as caught:
        read_log(unclear)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (str(copied), copied.in_words(as_field)) == (str(caught.value), caught.value.in_words(as_field))


@pytest.mark.parametrize("name", ["epsilon", "Epsilon2", "time from", "ε"])
def test_any_name_of_an_argument_can_stand_in_a_message(name: str) -> None:
    assert str(ParameterError(f"no {argument(name)} here")) == f"no {name}= here"
    with pytest.raises(ParameterError, match=f"^{name}= does not go with the method twin"):
        anonymize(synthesize(cases=20), **{name: 1})
