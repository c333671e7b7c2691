"""Files of JSON lines that grow: what was torn is cut away, what is somebody else's stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from atlantis_envs.errors import OptionError
from atlantis_training.lab.lines import add_line, whole_lines

BEGINS = '{"what":'


def test_a_torn_last_line_goes_only_when_the_next_one_comes(tmp_path: Path) -> None:
    file = tmp_path / "new" / "lines.jsonl"
    assert whole_lines(file, BEGINS) == []
    add_line(file, {"what": 1}, BEGINS)
    whole = file.read_bytes()
    for torn in (b"{", b'{"what":', b'{"what": [1, 2'):
        file.write_bytes(whole + torn)
        assert whole_lines(file, BEGINS) == [b'{"what":1}'] and file.read_bytes() == whole + torn
    add_line(file, {"what": 2}, BEGINS)
    assert [json.loads(line) for line in whole_lines(file, BEGINS)] == [{"what": 1}, {"what": 2}]
    assert file.read_bytes() == whole + b'{"what":2}\n'
    file.write_bytes(b'{"wh')  # the very first line
    add_line(file, {"what": 3}, BEGINS)
    assert file.read_bytes() == b'{"what":3}\n'


@pytest.mark.parametrize("content", [b"my diary", b'{"what":1}\nmy diary', b'{"diary": 1}', b"{\n"])
def test_a_file_of_somebody_else_stays_as_it_is(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_bytes(content)
    if content.endswith(b"\n"):
        assert whole_lines(file, BEGINS) == [b"{"]  # whoever parses it finds out
    else:
        with pytest.raises(OptionError, match=r"lines.jsonl, last line: b'.*; allowed: lines that begin with"):
            whole_lines(file, BEGINS)
        with pytest.raises(OptionError, match="allowed: lines that begin with"):
            add_line(file, {"what": 1}, BEGINS)
    assert file.read_bytes() == content
