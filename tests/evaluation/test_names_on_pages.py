"""Names of policies on pages, in pictures and on the command line, and keys in what training reads."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from helpers.nasty import FILE_NAMES, NASTY, check_message
from helpers.policies import last_legal_policy
from typer.testing import CliRunner

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.cli.app import app
from atlantis_training.evaluation.evaluate import evaluate, evaluation_report
from atlantis_training.evaluation.ladder import LOG, Ladder, ladder_store, play_ladder
from atlantis_training.evaluation.measure import Results, part_of
from atlantis_training.evaluation.report import markdown, pictured, shell_word
from atlantis_training.evaluation.store import Store
from atlantis_training.selfplay.checkpoint import CheckpointError, load_generation, save_generation
from atlantis_training.selfplay.dataset import MANIFEST as LESSONS
from atlantis_training.selfplay.dataset import read_dataset
from atlantis_training.selfplay.expert import FILE, saved_settings
from atlantis_training.selfplay.settings import read_toml, settings_from

pytest.importorskip("statsmodels")

GAME = atlantis_envs.game("atlandice", players=2)
MARKUP = {
    "columns": "a|b|c",
    "script": "<script>alert(1)<",
    "picture": "![x](http:evil.example)",
    "link": "[x](javascript:x)",
    "code": "`rm -rf`",
    "emphasis": "**x** _y_ ~~z~~",
    "title": "# x",
    "reference": "&lt;b&gt; &#60;",
    "formula": "$\\frac$ $x$",
    "address": "www.evil.example me@evil.example",
    "backslash": "a\\|b\\",
}
every_key = pytest.mark.parametrize("key", NASTY.values(), ids=NASTY)


# ---- Markdown


def rendered(name: str) -> str:
    """What a reader of a table of Markdown sees of a name, and nothing else may come of it."""
    markdown_it = pytest.importorskip("markdown_it")
    page = f"| agent | share |\n|---|---|\n| {markdown(name)} | 0.5 |\n"
    html = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(page)
    cells = re.findall(r"<td>(.*?)</td>", html, re.S)
    assert len(cells) == 2 and cells[1] == "0.5" and "<" not in cells[0], html
    return cells[0]


@pytest.mark.parametrize("name", [*MARKUP.values(), *NASTY.values()], ids=[*MARKUP, *NASTY])
def test_a_name_is_text_in_markdown(name: str) -> None:
    from html import unescape

    from atlantis_envs.base.values import one_line

    assert markdown(name).isprintable() and "<" not in markdown(name)
    assert unescape(rendered(name)) == one_line(name).strip()
    for before in ("- ", "", "# Evaluation: "):
        text = f"{before}{markdown(name)}"
        assert "\n" not in text and not re.search(r"(?<!\\)[`|\[]", markdown(name))


def test_usual_names_stay_readable() -> None:
    for name in ("heuristic", "search:64,rollout=mixed", "runs/my_first_run/policy", "atlantis_rising-2", "network"):
        assert markdown(name) == pictured(name) == name


@pytest.mark.parametrize("name", ["a|b<script>x", "x\n`y`", "$\\frac$\x1b[31mred"])
def test_a_policy_with_such_a_name_is_measured_and_rated(name: str, tmp_path: Path) -> None:
    policy = last_legal_policy(tmp_path / name, GAME)
    page = evaluation_report(evaluate(GAME, (str(policy), "random"), 2)).markdown()
    ladder = Ladder(GAME, (str(policy), "random"), 0)
    played = play_ladder(ladder, 2)
    other = played.report().markdown()
    for text in (page, other):
        assert all(line.isprintable() for line in text.splitlines()) and "<script" not in text
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert all(not re.search(r"(?<!\\)`", row) for row in rows)
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows[:3]}) == 1
    assert len(played.report().write(tmp_path / "out")) == 5  # a formula would end the drawing
    assert "<script" not in (tmp_path / "out" / "ladder.svg").read_text()


# ---- commands to be copied


@pytest.mark.parametrize("name", FILE_NAMES.values(), ids=FILE_NAMES)
def test_a_command_to_be_copied_is_one_visible_line_and_means_the_file(name: str) -> None:
    word = shell_word(Path(name))
    assert word.isprintable()
    done = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True)
    assert done.stdout == os.fsencode(name)
    assert shell_word("a b") == shlex.quote("a b")


@pytest.mark.parametrize("kind", ["escape sequence", "faked error", "turned around", "raw byte"])
def test_the_command_line_says_errors_in_one_visible_line(kind: str, tmp_path: Path) -> None:
    name = FILE_NAMES[kind]
    missing = str(tmp_path / name)
    for said in (
        ["replay", missing],
        ["play", "atlandice", "--load", missing],
        ["play", "atlandice", "--seat", missing],
        ["describe", "atlandice", "--data", missing],
        ["describe", name],
        ["describe", "atlandice", "-o", f"{name}=1"],
        ["describe", "atlandice", "-o", f"clock={name}"],
        ["describe", "atlandice", "-o", name],
        ["evaluate", "atlandice", missing],
        ["ladder", "atlandice", "random", "heuristic", "--resume", "--out", missing],
        ["ladder", "atlandice", "random", "heuristic", "--better", name],
        ["export", missing, "x.onnx"],
        ["seats", "atlandice", "--players", name],
        ["seats", "atlandice", "--seed", name],
        ["train", "--out", missing, "--settings", missing],
        ["train", "--out", missing, "--resume"],
        [name],
    ):
        done = CliRunner().invoke(app, said)
        lines = done.output.splitlines()
        assert done.exit_code == 2 and len(lines) == 1 and lines[0].isprintable(), (said, done.output)
        assert lines[0].startswith("Error: ") and len(lines[0]) < 1500


@pytest.mark.parametrize("text", ["٣", " 3", "1_0", "+3", "1e2"])
def test_numbers_of_flags_are_plain_digits(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a run would lie that should not have begun
    for said in (
        ["seats", "atlandice", "--seed", text],
        ["seats", "atlandice", "--players", text],
        ["seats", "atlandice", "--games", text],
        ["levels", "atlantis_rising", "--levels", text],
        ["train", "atlandice", "--hidden", f"64,{text}", "--out", "nowhere"],
        ["train", "atlandice", "--seed", text, "--out", "nowhere"],
        ["describe", "atlandice", "--players", text],
        ["describe", "atlantis_rising", "-o", f"level={text}"],
        ["play", "atlandice", "--seat", f"search:{text}"],
    ):
        done = CliRunner().invoke(app, said)
        assert done.exit_code == 2 and "allowed" in done.output, (said, done.output)
    assert not Path("nowhere").exists()


# ---- what training reads


def refused(read, error: type[Exception] = OptionError) -> str:
    with pytest.raises(error) as caught:
        read()
    return str(caught.value)


@every_key
def test_settings_name_an_unknown_key(key: str, tmp_path: Path) -> None:
    check_message(refused(lambda: settings_from({key: 1})), "learner, game, players")
    file = tmp_path / "a.toml"
    if not any("\ud800" <= letter <= "\udfff" for letter in key):
        escaped = "".join(f"\\U{ord(letter):08x}" for letter in key)
        for text in (f'"{escaped}" = 1\n', f'game = "{escaped}\\\n', f'["{escaped}"]\n["{escaped}"]\n', f"{key} = 1\n"):
            file.write_text(text, "utf-8", newline="")
            message = refused(lambda: read_toml(file))
            check_message(message, "")
            assert str(file) in message or "learner, game, players" in message


@every_key
def test_lessons_and_checkpoints_name_an_unknown_key(key: str, tmp_path: Path) -> None:
    (tmp_path / LESSONS).write_text(json.dumps({key: 1}))
    check_message(refused(lambda: read_dataset(tmp_path, GAME)), "unknown key; allowed: ")
    saved = save_generation(tmp_path / "c", 1, GAME, {}, {})
    manifest = json.loads((saved / "manifest.json").read_text())
    for wrong in ({**manifest, key: 1}, {**manifest, "format": key}):
        (saved / "manifest.json").write_text(json.dumps(wrong))
        check_message(refused(lambda: load_generation(saved), CheckpointError), str(saved))
    (tmp_path / FILE).write_text(json.dumps({key: 1}))
    check_message(refused(lambda: saved_settings(tmp_path)), "allowed")


@every_key
def test_a_ladder_log_names_its_faults(key: str, tmp_path: Path) -> None:
    ladder = Ladder(GAME, ("heuristic", "random"), 0)
    ladder_store(tmp_path, ladder, resume=False)
    head = json.loads((tmp_path / LOG).read_text())
    nothing = part_of(Results.empty(range(0), 2))
    for line in (
        {key: 1},
        {"what": {**head["what"], "game": key}, **nothing},
        {"what": {**head["what"], key: 1}, **nothing},
        {"what": head["what"], **nothing, "first": key},
        {"what": head["what"], "first": 0, key: 1},
    ):
        (tmp_path / LOG).write_text(json.dumps(line, separators=(",", ":")) + "\n")
        check_message(refused(lambda: play_ladder(ladder, 2, ladder_store(tmp_path, ladder, resume=True))), "allowed: ")
    (tmp_path / LOG).write_text(json.dumps(key))
    check_message(refused(lambda: ladder_store(tmp_path, ladder, resume=True)), "allowed: ")
    (tmp_path / "other").write_bytes(key.encode("utf-8", "surrogatepass"))
    check_message(refused(lambda: Store(tmp_path / "other")), "allowed: ")
