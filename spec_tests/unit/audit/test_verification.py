"""Copies of documents: each sentence matches, moved, differs or is missing, and what is new is told."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from random import Random
from textwrap import wrap

import pytest

from mqclause import FactsError, Rules
from mqclause.audit.verification import count_other_sources, is_unsourced, verify_copies
from mqclause.model.configuration.sources import Source
from mqclause.rulebook.clauses import compute_fingerprint, locate_sentences, read_clause_files
from spec_tests.support.explain_command import bad, run

LINES = (
    "1. A parcel is put on a shelf.",
    "2. The shelf is not full. It is never full on a Sunday.",
    "3. Nobody is there.",
)
SENTENCES = {
    "1.1": "A parcel is put on a shelf.",
    "2.1": "The shelf is not full.",
    "2.2": "It is never full on a Sunday.",
    "3.1": "Nobody is there.",
}
"""The sentences of the document above, by the paths that ours has for them."""


def written_rules(**file: str) -> Rules:
    """The rules of the project, with that document in the place of all others of the workload rules."""
    own = {path: None for path in Rules().files if path.startswith("documents/")}
    head = "".join(f'{key} = "{value}"\n' for key, value in {"document": "call", "title": "Parcels", **file}.items())
    clauses = "".join(
        f'[[clause]]\npath = "{path}"\nnumber = "{path[0]}"\nsays = "{path}"\nrules = ["call.2053"]\n'
        f'fingerprint = "{compute_fingerprint(text)}"\n'
        for path, text in SENTENCES.items()
    )
    return Rules().with_files({**own, "documents/parcels.toml": head + clauses})


def verified(text: str, **file: str) -> tuple[dict[str, str], list[tuple[int, str]], bool]:
    """The status of each sentence by its path, what is new by its line, and whether it is the very file."""
    (found,) = verify_copies(written_rules(**file), [Source("mine.txt", text.encode())])
    said = {each.paths[0]: str(each.status) for each in found.sentences}
    return said, [(each.line, each.text) for each in found.new], found.is_same_file


ALIKE = {f"call/{path}": "matches" for path in SENTENCES}


def test_a_copy_that_is_the_document() -> None:
    text = "\n".join(LINES)
    assert verified(text) == (ALIKE, [], False)
    assert verified(text, sha256=hashlib.sha256(text.encode()).hexdigest())[2]


def test_white_space_and_the_numbers_of_clauses_do_not_count() -> None:
    assert verified("\r\n\r\n".join(f"   {line.replace(' ', '  ')}" for line in LINES)) == (ALIKE, [], False)


SET_OTHERWISE = {
    "typographic quotes and a ligature": ("“They’re on the shelf” – at ﬁrst.", '"They\'re on the shelf" - at first.'),
    "a soft hyphen": ("A par\u00adcel waits.", "A parcel waits."),
    "bullets of another kind": ("▪ one\n▪ two", "• one • two"),
}


@pytest.mark.parametrize("how", SET_OTHERWISE)
def test_which_quotes_dashes_and_bullets_are_set_does_not_count(how: str) -> None:
    copied, plain = SET_OTHERWISE[how]
    ((_, sentence),) = locate_sentences(copied)
    assert compute_fingerprint(sentence) == compute_fingerprint(plain)


BROKEN = {
    "lines broken in the middle": "1. A parcel is put\non a shelf.\n\n2. The shelf is\nnot full. It is never\nfull on a Sunday.\n\n3. Nobody\nis there.\n",
    "and no empty line between": "1. A parcel is put\non a shelf.\n2. The shelf is not\nfull. It is never full\non a Sunday.\n3. Nobody is there.",
    "words broken, too": "1. A par-\ncel is put on a shelf.\n2. The shelf is not full. It is ne-\nver full on a Sun-\nday.\n3. No-\nbody is there.",
    "numbers on lines of their own": "1.\nA parcel is put\non a shelf.\n2.\nThe shelf is not full. It is never full\non a Sunday.\n3.\nNobody is there.",
}  # fmt: skip
"""The document as copies of pages have it."""


@pytest.mark.parametrize("how", BROKEN)
def test_where_lines_end_does_not_count(how: str) -> None:
    assert verified(BROKEN[how]) == (ALIKE, [], False)
    changed = BROKEN[how].replace("full on a", "full of a").replace("full\non a", "full\nof a")
    said, new, _ = verified(changed)
    assert (said, new) == (ALIKE | {"call/2.2": "differs"}, [])


def test_what_a_copy_holds_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    copy = tmp_path / "mine.txt"
    copy.write_text("The queue that\x1b[31m is red.\nDestinations <b>\u202ethat</b>.\n" + documents()[0].read_text())
    done = run("verify", str(copy))
    assert done.returncode == 1
    assert not {"\x1b", "\u202e"} & {*done.stdout}
    assert "<b>" in done.stdout


@pytest.mark.deep
@pytest.mark.parametrize("width", [40, 72, 100])
def test_documents_with_wrapped_lines_are_those_of_the_rules(width: int) -> None:
    for path in documents():
        lines = path.read_text(encoding="utf-8").splitlines()
        wrapped = "\r\n".join(
            "\r\n".join(wrap(line, width, break_on_hyphens=False, break_long_words=False)) for line in lines
        )
        (found,) = verify_copies(Rules(), [Source(path.name, wrapped.encode())])
        assert found.is_alike, path


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_any_word_that_differs_is_told_of_its_sentence_alone(seed: int) -> None:
    rng = Random(seed)
    path = rng.choice(documents())
    lines = path.read_text(encoding="utf-8").splitlines()
    at, word = rng.choice([(at, each) for at, line in enumerate(lines) for each in re.finditer(r"[a-z]{4,}", line)])
    lines[at] = f"{lines[at][: word.start()]}otherwise{lines[at][word.end() :]}"
    (found,) = verify_copies(Rules(), [Source(path.name, "\n".join(lines).encode())])
    told = [(each.status, each.copied and "otherwise" in each.copied.text) for each in found.sentences]
    assert [each for each in told if each[0] != "matches"] == [("differs", True)]
    assert found.new == ()


@pytest.mark.parametrize(
    ("change", "differs", "new"),
    [
        (("never", "seldom"), {"2.2": "differs"}, []),
        ((" It is never full on a Sunday.", ""), {"2.2": "missing"}, []),
        (("Nobody is there.", "Nobody is there. Nor is anybody else."), {}, [(3, "Nor is anybody else.")]),
        (("A parcel", "Some parcel"), {"1.1": "differs"}, []),
    ],
)
def test_one_change_names_just_that_sentence(
    change: tuple[str, str], differs: dict[str, str], new: list[tuple[int, str]]
) -> None:
    said, added, _ = verified("\n".join(LINES).replace(*change))
    assert said == ALIKE | {f"call/{path}": status for path, status in differs.items()}
    assert added == new


def test_a_sentence_at_another_place_has_moved() -> None:
    said, new, _ = verified("\n".join([LINES[2], LINES[0], LINES[1]]))
    assert (said, new) == (ALIKE | {"call/3.1": "moved"}, [])


def test_what_is_no_copy_of_a_document_is_refused() -> None:
    with pytest.raises(FactsError, match=r"mine\.txt: has no sentence of a document of rules/documents/; allowed"):
        verified("Something else.")
    with pytest.raises(FactsError, match=r"mine\.txt: has 20001 sentences; allowed: 20000"):
        verified("A b.\n" * 20001)


def test_every_sentence_with_rules_says_where_it_is_from() -> None:
    files = read_clause_files(Rules())
    assert [f"{file.name}: {each.path}" for file in files for each in file.clauses if is_unsourced(each)] == []
    counted = count_other_sources(Rules())
    assert not counted.unsourced
    assert counted.on_pages > 50


def test_a_page_has_an_address_and_the_day_on_which_it_was_read() -> None:
    clauses = [(file.name, each) for file in read_clause_files(Rules()) for each in file.clauses if each.page]
    read = [each for each in clauses if each[1].evidence != "recalled"]
    undated = [f"{name}: {each.path}" for name, each in read if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", each.read)]
    assert undated == []
    assert {each.read for _, each in clauses if each.evidence == "recalled"} == {""}


def documents() -> list[Path]:
    """The copies at hand; skips the test where there are none."""
    folder = os.environ.get("MQCLAUSE_DOCUMENTS")
    if not folder:
        pytest.skip("MQCLAUSE_DOCUMENTS names no folder of source documents")
    return sorted(Path(folder).glob("*.txt"))


def test_the_documents_are_those_of_the_rules() -> None:
    found = verify_copies(Rules(), [Source(path.name, path.read_bytes()) for path in documents()])
    assert [each.source for each in found if not (each.is_alike and each.is_same_file)] == []
    assert len(found) == 5


def test_the_command_names_the_sentence_with_a_word_that_differs(tmp_path: Path) -> None:
    """Of the last document: 60 days in 8.6 become 90."""
    whole = documents()[-1].read_text(encoding="utf-8")
    assert whole.count("60 days") == 1
    copy = tmp_path / "mine.txt"
    copy.write_text(whole.replace("60 days", "90 days"), encoding="utf-8")
    done = run("verify", str(copy))
    assert done.returncode == 1
    told = [
        line for line in done.stdout.splitlines() if line.startswith(("  differs", "  missing", "  moved", "  new"))
    ]
    assert len(told) == 1
    assert told[0].startswith("  differs  administration/8.6")


def test_what_the_command_is_not_given_is_told() -> None:
    assert bad("verify") == ["name at least one copy of a document; see --help"]
