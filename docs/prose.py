"""Measure the text of the documentation: ``make lint`` fails where it is hard to read.

A page passes if at most one sentence in twenty is longer than 25 words and none has a forbidden word. Its words have to
be in pyspellchecker's English dictionary or in ``docs/words.txt``, our own list. The same holds for text in notebooks.
``python docs/prose.py PAGE`` shows the long sentences of pages.

Rules files speak like their rulebooks: of these spelling alone counts.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORDS = {f"docs/rules/{name}.md" for name in ("atlandice", "atlantis", "atlantis_rising")}
MOST_WORDS = 25
LEAST_SHARE = 0.95  # of short sentences, of a page
FEW = 40  # sentences: below, a page may have two long ones
FORBIDDEN = {
    r"stands? wherever": "can be used wherever",
    r"told": "said, stated",
    r"comes? along": "is bundled",
    r"of equals": "ties are broken by",
    r"by turns": "in turn, alternating",
    r"faces of (?:a|the) game": "interfaces",
    r"all told": "in all",
    r"is paid": "gets a reward",
    r"looked at": "tried, read",
    r"utilis\w+|utiliz\w+": "use",
    r"simply|obviously|of course": "leave it out",
}
WORD_LIST = "docs/words.txt"
AMERICAN = re.compile(r"(?:behavior|center|color|favor|neighbor)\w*|\w+[iy]z(?:e[ds]?|ing|ation)")
NOT_AMERICAN = re.compile(r"(?:(?:re)?s|pr|se|ma|ga)iz(?:e[ds]?|ing)")
WORDS = re.compile(rf"\b({'|'.join(FORBIDDEN)})\b", re.IGNORECASE)
END = re.compile(r"(?<=[.!?])[)*_\"”]{0,3}\s+(?=[A-Z`“\"(\d*])")


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs and list items of a page: without code, tables, headings, directives and link targets."""
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1\s*$", "\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(?:    .*|#.*|\|.*|!\[.*|>.*|:.*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "`code`", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\s\[[-+\d.,\s]+\]", "", text)  # an interval belongs to its number
    text = re.sub(r"^\s*(?:[-*]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def sentences(text: str) -> list[str]:
    """Return the sentences of a page."""
    return [sentence for part in paragraphs(text) for sentence in END.split(part) if sentence.strip("*_ ")]


def count_words(sentence: str) -> int:
    """Return the number of words; a piece of code is one."""
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


def long_sentences(text: str) -> list[str]:
    """Return the sentences that are too long."""
    return [sentence for sentence in sentences(text) if count_words(sentence) > MOST_WORDS]


def forbidden_words(text: str) -> list[str]:
    """Return every forbidden word of a page with what to say instead."""
    found = [word for part in paragraphs(text) for word in WORDS.findall(part)]
    instead = {word: next(say for rule, say in FORBIDDEN.items() if re.fullmatch(rule, word, re.I)) for word in found}
    return [f"{word!r}; say: {say}" for word, say in instead.items()]


def pages() -> list[Path]:
    """Return the pages that are measured."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if path.relative_to(ROOT).as_posix() not in RECORDS]


def plain(text: str) -> str:
    """Return a page without code, directives, HTML, addresses and targets of links."""
    text = re.sub(r"^(`{3,}).*?^\1\s*$|<[^>]*>", " ", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|^(?:    |:).*$", " ", text, flags=re.MULTILINE)
    return re.sub(r"\w+://\S+|\S+\.(?:md|py|txt|json)\b|\w*[\d_@/]\w*", " ", text)


def unknown_words(texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the page and the word for every word that no list knows, and for American spellings."""
    from spellchecker import SpellChecker

    known = SpellChecker(language="en").word_frequency
    own = set((ROOT / WORD_LIST).read_text("utf-8").split())
    for name, text in texts.items():
        for word in sorted(set(re.findall(r"[^\W\d_]{2,}(?:['’][a-z]+)?", plain(text)))):
            low = re.sub(r"['’]s$", "", word.lower())
            american = AMERICAN.fullmatch(low) and not NOT_AMERICAN.fullmatch(low)
            if not word.isupper() and low not in own and (american or low not in known):
                yield name, word


def misspelled() -> list[tuple[str, str]]:
    """Return all misspelled words of pages and notebooks with where they are."""
    paths = [*(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")), *(ROOT / "docs").rglob("*.md")]
    texts = {path: path.read_text("utf-8") for path in paths}
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts[path] = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return list(unknown_words({path.relative_to(ROOT).as_posix(): text for path, text in sorted(texts.items())}))


def faults_of(text: str) -> list[str]:
    """Return what is wrong with a page."""
    known, long = len(sentences(text)), long_sentences(text)
    allowed = max(2, known * (1 - LEAST_SHARE)) if known < FEW else known * (1 - LEAST_SHARE)
    many = [f"{len(long)} of {known} sentences have more than {MOST_WORDS} words; allowed: {int(allowed)}"]
    return (many if len(long) > allowed else []) + forbidden_words(text)


def main(names: Sequence[str]) -> int:
    """Measure the pages, or show the long sentences of those that are named."""
    if names:
        for name in names:
            sys.stdout.writelines(f"{name}: {one}\n" for one in long_sentences(Path(name).read_text("utf-8")))
        return 0
    faults, known, long = [], 0, 0
    for path in pages():
        text = path.read_text("utf-8")
        known, long = known + len(sentences(text)), long + len(long_sentences(text))
        faults += [f"{path.relative_to(ROOT)}: {fault}" for fault in faults_of(text)]
    failed = bool(faults)
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    sys.stdout.write(f"{known:,} sentences, {1 - long / known:.1%} of at most {MOST_WORDS} words\n")
    faults = [f"{name}: {word!r} is not spelled so; if it is, add it to {WORD_LIST}" for name, word in misspelled()]
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return failed or bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
