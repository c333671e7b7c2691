"""Keys, values, names and paths from outside, in the messages of every reader of the library and its agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.nasty import FILE_NAMES, MOST, NASTY, check_message
from helpers.policies import last_legal_policy

import atlantis_envs
from atlantis_agents.networks.policy import MANIFEST, WEIGHTS, load_policy
from atlantis_envs.base.files import exists, is_directory, read_file, read_json
from atlantis_envs.base.values import child, decimal_number, listed, one_line, repr_short, visible, whole_number
from atlantis_envs.errors import MOST_FAULTS, OptionError, PositionError, ReplayError
from atlantis_envs.play.replay import load_replay, read_replay, replay_lines
from atlantis_envs.seats.agents import make_agent

GAME = atlantis_envs.game("atlandice", players=2)
every_key = pytest.mark.parametrize("key", NASTY.values(), ids=NASTY)
every_name = pytest.mark.parametrize("name", FILE_NAMES.values(), ids=FILE_NAMES)


def message_of(call: Callable[[], Any], error: type[Exception] = OptionError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# ---- the function


@every_key
def test_whatever_is_shown_is_one_visible_short_line(key: str) -> None:
    for text in (
        repr_short(key),
        repr_short([key]),
        repr_short({key: key}),
        child("options", key),
        child("", key),
        listed([key] * 99),
    ):
        check_message(text, "")
    for text in (
        repr_short(key),
        repr_short(key.encode("utf-8", "surrogatepass")),
        repr_short(np.array([key[:50]])),
        child("", key),
    ):
        assert len(text) <= 60
    assert len(repr_short(Path(key))) <= MOST and repr_short(Path(key)).isprintable()
    assert len(one_line(key)) <= MOST and one_line(key).isprintable()


def test_what_is_harmless_is_shown_as_it_is() -> None:
    assert repr_short(Path("runs/été 1/策略.json")) == "runs/été 1/策略.json" and visible("été 策略") == "été 策略"
    assert repr_short("a") == "'a'" and repr_short([1, "a"]) == "[1, 'a']" and child("data", "clock") == "data.clock"
    assert child("data", "a.b: c") == "data.'a.b: c'" and child("", 3) == "3"
    path = Path("/runs/" + "x" * 300 + "/policy")
    assert (
        repr_short(path).startswith("/runs/x") and repr_short(path).endswith("x/policy") and "..." in repr_short(path)
    )


def test_many_faults_are_counted_rather_than_listed() -> None:
    text = message_of(lambda: GAME.from_json({f"key {number}": 1 for number in range(100_000)}), PositionError)
    assert len(text) < 4000 and f"key {MOST_FAULTS - 1}: unknown key" in text and "more faults" in text


# ---- the readers


@every_key
def test_a_position_names_an_unknown_key(key: str) -> None:
    document = GAME.initial_position().to_json()
    check_message(message_of(lambda: GAME.from_json({**document, key: 1}), PositionError), "unknown key; allowed: ")
    changed = {**document, "options": {**document["options"], key: 1}}
    check_message(message_of(lambda: GAME.from_json(changed), PositionError), "allowed: ")


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_every_part_of_a_position_names_an_unknown_key(name: str) -> None:
    game = atlantis_envs.game(name)
    document = game.initial_position().to_json()
    for key in ("x\nError: lost", "\x1b[2J", "k" * 10_000):
        for part in [part for part, value in document.items() if isinstance(value, dict)]:
            changed = {**document, part: {**document[part], key: 1}}
            text = message_of(partial(game.from_json, changed), PositionError)
            check_message(text, "")
            assert part in text


@every_key
@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_a_data_file_names_an_unknown_key(name: str, key: str, tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text(json.dumps({key: 1}), "utf-8")
    check_message(message_of(lambda: atlantis_envs.game(name, data=file)), "unknown key; allowed: ")
    if name == "atlandice":  # a clock may have any name, which is a part of the path of its faults
        file.write_text(json.dumps({"clocks": {key: ["nowhere"]}, "clock": key + "?"}), "utf-8")
        check_message(message_of(lambda: atlantis_envs.game(name, data=file)), "allowed: ")


@every_key
def test_an_option_names_an_unknown_key(key: str) -> None:
    for name in atlantis_envs.game_names():
        check_message(message_of(lambda name=name: atlantis_envs.game(name, **{key: 1})), "allowed: ")
    check_message(message_of(lambda: atlantis_envs.game(key)), "'atlandice'")


@every_key
def test_a_replay_names_its_faults(key: str) -> None:
    lines = list(replay_lines(GAME.initial_position()))
    header = json.loads(lines[0])
    for wrong in (
        {**header, key: 1},
        {**header, "options": {**header["options"], key: 1}},
        {**header, "game": key},
        {**header, "start": {key: 1}},
        {**header, "versions": {key: 1}},
    ):
        check_message(message_of(lambda wrong=wrong: read_replay([json.dumps(wrong)]), ReplayError), "allowed")
    for line in ({"chance": key}, {"seat": key, "action": key}, {key: 1}):
        check_message(message_of(lambda line=line: read_replay([lines[0], json.dumps(line)]), ReplayError), "line 2")


@every_key
def test_a_manifest_names_an_unknown_key(key: str, tmp_path: Path) -> None:
    policy = last_legal_policy(tmp_path / "policy", GAME)
    manifest = json.loads((policy / MANIFEST).read_text())
    for wrong in ({**manifest, key: 1}, {**manifest, "game": key}, {**manifest, "advice": key}):
        (policy / MANIFEST).write_text(json.dumps(wrong))
        text = message_of(lambda: load_policy(policy))
        check_message(text, "")
        assert "allowed" in text or "this library has" in text
    (policy / MANIFEST).write_text(json.dumps({**manifest, "options": {key: 1}}))
    check_message(message_of(lambda: load_policy(policy)), "allowed")


@every_name
def test_a_file_is_named_in_one_visible_line(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "a.json").write_text("{")
    (folder / MANIFEST).write_text("{")
    for call in (
        lambda: load_replay(folder / "a.json"),
        lambda: load_replay(folder / "none"),
        lambda: read_json(folder / "a.json"),
        lambda: atlantis_envs.game("atlandice", data=folder / "a.json"),
        lambda: load_policy(folder),
        lambda: make_agent(str(folder) + "x", GAME),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        check_message(str(caught.value), "")
    policy = last_legal_policy(folder / "policy", GAME)
    (policy / WEIGHTS).write_bytes(b"")
    check_message(message_of(lambda: load_policy(policy)), "SHA-256 differs")


# ---- names of agents that no file system takes


@pytest.mark.parametrize(
    "name", ["a" * 300, "a/" * 5000, "\x00", "a\x00b", "\ud800", "search:guide=" + "a" * 300, "search:guide=\x00",
             "search:rollout=\ud800", "search:own=" + "b/" * 5000, "x:" + "y" * 300],
    ids=lambda name: ascii(name[:20]),
)  # fmt: skip
def test_an_agent_that_cannot_be_a_file_is_refused(name: str) -> None:
    check_message(message_of(lambda: make_agent(name, GAME)), "allowed: ")


def test_what_cannot_be_a_name_is_not_there() -> None:
    for name in ("a" * 300, "\x00", "\ud800", "/nowhere/at/all"):
        assert not exists(name) and not is_directory(name)
        with pytest.raises(ValueError, match="allowed: a regular file"):
            read_file(name)


# ---- numbers


NO_NUMBERS = ("٣", "６4", " 64", "64 ", "1_000", "+5", "0x10", "064", "1e3", "nan", "inf", "-inf", "Infinity",
              "", "-", "--5", "5\n",
              "9" * 5000)  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_a_number_is_written_in_plain_digits(text: str) -> None:
    assert whole_number(text) is None and decimal_number(text) is None
    assert (whole_number("64"), whole_number("-5"), decimal_number("0.25"), decimal_number("-3")) == (64, -5, 0.25, -3)
    assert decimal_number(".5") is None and decimal_number("5.") is None and decimal_number("٣.٥") is None
    for argument in (text, f"64,prior={text}", f"64,threads={text}", f"ms={text}"):
        if text or argument != text:
            with pytest.raises(OptionError, match="allowed"):
                make_agent(f"search:{argument}", GAME)


def test_the_settings_of_a_search_are_read_back_from_their_text() -> None:
    from atlantis_agents.search.settings import make_settings, parse_argument, usual_settings

    usual = usual_settings(GAME.definition)
    for given in ({"considered": 1e6}, {"temperature": 0.001}, {"prior": 0.00001}, {"ms": 600_000}, {"simulations": 7}):
        made = make_settings(GAME.definition, usual, given)
        assert "e+" not in made.text and "e-" not in made.text
        assert make_settings(GAME.definition, usual, parse_argument(made.text)) == made
