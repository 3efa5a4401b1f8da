"""Sentences: the because of a rule, filled with the values that the rule saw."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from string import Formatter
from typing import Any

from sqlglot import exp

from mqclause.language.evaluate import Scope
from mqclause.language.python import SourceNames, python_source
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.facts.constants import REASONS
from mqclause.rulebook.rule import Because, Choose, Keep, Rule, Ruleset
from mqclause.trace.telling import SeenNames, Telling, telling, tells


def sentence(ruleset: Ruleset, rule: Rule, subject: Any | None, scope: Scope, because: Because | None = None) -> str:
    """A sentence of the rule, its because if none is given, about ``subject`` (None: about the situation alone).

    ``scope`` is what the rule saw. Blank where the rule has no because.
    """
    return sentence_about(ruleset, rule, scope, because)(subject)


def sentence_about(ruleset: Ruleset, rule: Rule, scope: Scope, because: Because | None = None) -> Callable[[Any], str]:
    """The same, about one subject after the other."""
    return tells(scope, _compiled(ruleset, rule, because, scope.carried is not None))


@lru_cache(maxsize=4096)
def _compiled(ruleset: Ruleset, rule: Rule, because: Because | None, carried: bool) -> Telling[str]:
    """A because as a function: sentences are read by the thousand, so their expressions are compiled too."""
    because = because or rule.because or Because("")
    names = SeenNames(ruleset.vocabulary, has_carried=carried)
    text, values, best = "", [], ""
    for literal, name, _, _ in Formatter().parse(because.text):
        text += literal.replace("%", "%%")
        if name is None:
            continue
        source = _source(name, rule, names)
        if name in ("highest", "lowest") and isinstance(rule.action, Keep) and rule.action.per is None:
            # The same for every subject, so it is looked for once.
            best, source = f", best={source}", "best"
        text += "%s"
        values.append(_shown(source, name, ruleset.vocabulary))
    said = names.constant(text if values else text % ())
    said += f" % ({''.join(f'{each}, ' for each in values)})" if values else ""
    return telling(f"lambda d{best}: {said}", names, shown=shown, numbered=numbered)


def _shown(source: str, name: str, vocabulary: Vocabulary) -> str:
    """The source of a value as ``shown`` gives it; most are text or whole numbers."""
    if _is_reason(exp.column(name), vocabulary):
        return f"numbered({source})"
    word = vocabulary.words.get(name)
    kind = None if word is None else word.type.kind
    if kind == "text":
        return f"{source} or 'blank'"
    return source if kind == "whole" else f"shown({source})"


def _is_reason(tree: exp.Expression, vocabulary: Vocabulary) -> bool:
    """Whether an expression is the name of a reason code, or blank, and nothing else."""
    match tree:
        case exp.Column() if tree.name in vocabulary.words:
            words = {*vocabulary.words[tree.name].type.words} - {""}
            return bool(words) and words <= REASONS.keys()
        case exp.Column() if tree.name in vocabulary.terms:
            return _is_reason(vocabulary.terms[tree.name], vocabulary)
        case exp.Case():
            values = [*(branch.args["true"] for branch in tree.args["ifs"]), tree.args["default"]]
            return all(_is_reason(each, vocabulary) for each in values)
        case exp.Literal():
            return str(tree.this) in REASONS
    return False


def _source(name: str, rule: Rule, names: SourceNames) -> str:
    action = rule.action
    if isinstance(action, Keep) and name in ("highest", "lowest"):
        others = names.at("o")
        among = "True" if action.among is None else python_source(action.among, others)
        same = "True" if action.per is None else f"{others.of(action.per)} == {names.of(action.per)}"
        best = "max" if name == "highest" else "min"
        return f"{best}([{python_source(action.by, others)} for o in R if {among} and {same}])"
    if isinstance(action, Keep) and name == "at_most" and action.at_most is not None:
        return python_source(action.at_most, names)
    if isinstance(action, Choose) and name == "lowest":
        values = ", ".join(python_source(tree, names.at("o")) for tree in action.by)
        return f"min([({values},) for o in R])"
    return python_source(exp.column(name), names)


def shown(value: Any) -> str:
    """A value as it stands in a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, tuple):
        return " and ".join(map(shown, value))
    return str(value) if value != "" else "blank"


def numbered(reason: str) -> str:
    """The name of a reason code with its number."""
    return f"{reason} ({REASONS[reason]})" if reason else shown(reason)
