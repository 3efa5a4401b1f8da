"""The names that rules say: a row that gives one of them is of a kind of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp

from mqclause.documents import OUTCOME, RESOLUTION
from mqclause.executors.course import Course
from mqclause.language.parse import expanded
from mqclause.language.vocabulary import Word
from mqclause.rulebook.rules import Rules


@lru_cache(maxsize=8)
def said_by_rules(rules: Rules) -> tuple[str, ...]:
    """The names that rules compare others with; those that come with the project say none."""
    found: dict[str, None] = {}
    for steps in (*Course.of(rules, RESOLUTION).steps, *Course.of(rules, OUTCOME).steps):
        for tree in steps.expressions():
            for test in expanded(tree, steps.vocabulary).find_all(exp.EQ, exp.NEQ, exp.In):
                values = [value for side in (test.this, *_compared_with(test)) for value in _values(side)]
                if any(_is_name(steps.vocabulary.words[each.name]) for each in values if isinstance(each, exp.Column)):
                    found |= {each.name: None for each in values if isinstance(each, exp.Literal) and each.name}
    return tuple(found)


def _compared_with(test: exp.Expr) -> list[exp.Expr]:
    return test.expressions if isinstance(test, exp.In) else [test.expression]


def _values(tree: exp.Expr) -> Iterator[exp.Expr]:
    """What a side of a comparison is, in any of its cases."""
    if isinstance(tree, exp.Paren):
        yield from _values(tree.this)
    elif isinstance(tree, exp.Case):
        for each in (*(branch.args["true"] for branch in tree.args["ifs"]), tree.args["default"]):
            yield from _values(each)
    else:
        yield tree


def _is_name(word: Word) -> bool:
    """Whether a word is a name that facts or puts give: text of no closed list, and not what a rule says itself."""
    return word.type.kind == "text" and not word.type.words and not word.is_derived
