"""The texts of the rules that an answer names: what each does, in which clause, and the sentences that it states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from mqclause.audit.sentences import find_ruleset
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.clauses import list_clauses, read_clause_files
from mqclause.rulebook.rule import ReadingError, Rule
from mqclause.rulebook.rules import Rules


@frozen
class RuleText:
    """A rule to be read beside an answer. ``sentences`` are pairs of a path and what the document says there.

    ``source`` is the title of the document that its clauses are those of.
    """

    id: str
    document: str
    clause: str
    title: str
    why: str
    sentences: tuple[tuple[str, str], ...]
    file: str
    text: str
    source: str = ""


def list_rule_texts(rules: Rules, named: Iterable[str | None]) -> dict[str, RuleText]:
    """List the texts of the rules that are ``named``, each once; of those that are not there, nothing. By id."""
    found, sentences = dict[str, RuleText](), dict[str, Mapping[str, list[tuple[str, str]]]]()
    for rule_id in dict.fromkeys(named):
        document = (rule_id or "").partition(".")[0]
        rule = _find_rule(rules, document, rule_id)
        if rule is None:
            continue
        if document not in sentences:
            sentences[document] = _group_sentences(rules, document)
        path = rules.path(rule.id)
        found[rule.id] = RuleText(
            rule.id, document, rule.clause, rule.title, rule.why or "", tuple(sentences[document].get(rule.id, ())),
            f"rules/{path}", rules.files[path], _find_title(rules, document),
        )  # fmt: skip
    return found


def _find_rule(rules: Rules, document: str, rule_id: str | None) -> Rule | None:
    """The rule as these rules have it, or as the oldest edition has it that has it."""
    if rule_id is None or document not in DOCUMENTS:
        return None
    found = next((each for each in rules.ruleset(DOCUMENTS[document]).rules if each.id == rule_id), None)
    try:
        return found or find_ruleset(rules, rule_id).rule(rule_id)
    except ReadingError:
        return None


def _find_title(rules: Rules, document: str) -> str:
    """The title of the document that comes first of those whose sentences the rules state; blank if none has one."""
    return next((each.title for each in read_clause_files(rules, document) if each.title), "")


def _group_sentences(rules: Rules, document: str) -> Mapping[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for clause in list_clauses(rules, document):
        for rule_id in dict.fromkeys(clause.rules or ()):
            found.setdefault(rule_id, []).append((clause.path, clause.says))
    return found
