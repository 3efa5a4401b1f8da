"""Find what is odd in rule files: rules that never apply or that others hide, texts that name what does not decide."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from importlib.resources import files
from typing import Any

from attrs import evolve, field, frozen

from mqclause.audit.case_run import find_case_files, run_in_processes
from mqclause.audit.possibility import Constraint, Verdict, find_words, search
from mqclause.audit.proof import read_laws
from mqclause.audit.verification import is_unsourced
from mqclause.documents import DOCUMENTS
from mqclause.executors.operations import Filter, Let, LoweredRuleset, Rank, list_expressions
from mqclause.language import nodes
from mqclause.language.nodes import get_literal_value, strip_parentheses
from mqclause.language.parser import find_used_terms
from mqclause.language.vocabulary import Vocabulary
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.model.facts.domains import REASONS
from mqclause.model.readers.facts_files import read_toml
from mqclause.rulebook.case_files import CaseFile
from mqclause.rulebook.clauses import find_unstated_clauses, read_clause_files
from mqclause.rulebook.loader import check_keys
from mqclause.rulebook.mutants import TERMS_FILE
from mqclause.rulebook.rule import (
    Condition,
    Declaration,
    Derive,
    Eliminate,
    Expression,
    FailWith,
    Rule,
    RuleError,
    Ruleset,
    Settle,
)
from mqclause.rulebook.rules import LINT_FILE, Rules

LONGEST_TITLE = 180
"""Characters of a title."""

MOST_ALIKE = 100
"""So many rules before a rule, those that stand next to it, are looked at for whether they hide it."""

WORD = re.compile(r"[a-z_][a-z0-9_]*")

NUMERAL = re.compile(r"(?<![\w.{-])\d+(?![\w.}-])")
"""A number by itself in a text."""


@frozen
class LintFinding:
    """What is odd: the ``code`` of the check, the file within the folder of rules, the key, and what is said of it.

    ``reason`` is why the folder itself lists it as meant so, blank where it does not.
    """

    code: str
    path: str
    key: str
    message: str
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return {"code": self.code, "file": self.path, "key": self.key, "message": self.message, "reason": self.reason}


@frozen
class LintCheck:
    """A check of rule files: its code, what it asks, why, what mends it, and a text in which it finds something.

    ``example`` is a file by its path, laid over those of the project. What is to be so ``everywhere`` is
    said only if it is in each edition and under each reading.
    """

    code: str
    title: str
    why: str
    instead: str
    find: Callable[[Read], Iterator[LintFinding]] = field(repr=False)
    example: tuple[str, str] = field(repr=False)
    everywhere: bool = False

    def render_markdown(self) -> str:
        """Render the page of the check."""
        path, text = self.example
        return (
            f"## {self.code}\n\n{self.title}.\n\n{self.why}\n\n{self.instead}\n\n"
            f"It finds something in this `{path}`:\n\n```toml\n{text.strip()}\n```\n"
        )


@frozen(eq=False, slots=False)
class Read:
    """The rules of one document, as one edition and the readings in force have them, with what is asked of them.

    Of those that are ``cleared`` a search would find nothing new.
    """

    rules: Rules
    ruleset: Ruleset
    cases: Mapping[str, CaseFile]
    cleared: frozenset[str] = frozenset()

    @cached_property
    def steps(self) -> LoweredRuleset:
        """The rules as steps."""
        return LoweredRuleset.of(self.ruleset)

    @property
    def name(self) -> str:
        """The folder of the document."""
        return self.ruleset.name

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each rule in the order in which they run."""
        return {rule.id: at for at, rule in enumerate(self.ruleset.rules)}

    @cached_property
    def deciding(self) -> tuple[tuple[Rule, tuple[Expression, ...]], ...]:
        """Each rule with the conditions that have to hold together for it to do anything."""
        found = []
        for rule, step in zip(self.ruleset.rules, self.steps.steps, strict=True):
            trees = [rule.when] if rule.when is not None else []
            if isinstance(step, Filter):
                trees.append(step.where)
            elif isinstance(step, Rank) and step.among is not None:
                trees.append(step.among)
            found.append((rule, tuple(trees)))
        return tuple(found)

    def search(self, rule: Rule, *trees: Expression) -> Verdict:
        """Search for what a rule can see by which conditions of it hold together."""
        at = self.places[rule.id]
        named = {name for tree in trees for name in find_words(tree, self.ruleset.vocabulary)}
        given = {name: values for name in named if (values := self.list_derived_values(name, at))}
        return search([Constraint(tree, self.ruleset.vocabulary) for tree in trees], given)

    def list_derived_values(self, name: str, before: int) -> tuple[Any, ...]:
        """List what a fact can be before a rule: blank, or what the rules before derive, if each does so in words.

        Nothing where that is not so, or where the document before hands it on.
        """
        word = self.ruleset.vocabulary.words.get(name)
        if word is None or not word.is_derived or name in self.ruleset.sees:
            return ()
        found = {word.blank}
        for rule in self.ruleset.rules[:before]:
            action = rule.action
            for fact, tree in action.values if isinstance(action, Derive | Settle) else ():
                if fact == name:
                    values = _literals(tree, self.ruleset.vocabulary)
                    if values is None:
                        return ()
                    found |= values
            if getattr(action, "fact", None) == name:
                return ()
        return tuple(sorted(found, key=repr))


def _literals(tree: Expression, vocabulary: Vocabulary) -> set[Any] | None:
    """All that an expression can be, if it says each in words; None if it does not."""
    tree = strip_parentheses(tree)
    match tree:
        case nodes.Literal():
            return {get_literal_value(tree)}
        case nodes.Boolean():
            return {bool(tree.this)}
        case nodes.Column() if tree.name in vocabulary.terms:
            return _literals(vocabulary.terms[tree.name], vocabulary)
        case nodes.Case():
            branches = [*tree.values]
            found = [_literals(each, vocabulary) for each in branches]
            return None if None in found else set().union(*(each for each in found if each is not None))
    return None


def _finding(code: str, rule: Rule, key: str, message: str) -> LintFinding:
    return LintFinding(code, rule.path, key, message)


def _said(verdict: Verdict, what: str) -> str:
    """What was found out, and how sure that is."""
    return what if verdict.exhaustive else f"{what}, as far as was searched: not exhaustively"


def _find_dead_rules(read: Read) -> Iterator[LintFinding]:
    """Find rules whose conditions cannot hold together."""
    for rule, trees in read.deciding:
        if trees and rule.path not in read.cleared and not (verdict := read.search(rule, *trees)).possible:
            yield _finding("dead-rule", rule, "", _said(verdict, "nothing that it can see makes it apply"))


def _find_masked_rules(read: Read) -> Iterator[LintFinding]:
    """Find rules that do nothing, because earlier ones do it already."""
    earlier = list[_Conditions]()
    for rule, trees in read.deciding:
        if isinstance(rule.action, Eliminate | Settle | FailWith):
            alike = [each for each in earlier if type(each[0].action) is type(rule.action)][-MOST_ALIKE:]
            is_asked = rule.path not in read.cleared and alike and read.search(rule, *trees).possible
            if is_asked and _is_hidden(read, (rule, trees), alike):
                names = ", ".join(other.id for other, _ in _fewest(read, (rule, trees), alike))
                did = "removed everyone" if isinstance(rule.action, Eliminate) else "decided"
                yield _finding("masked-rule", rule, "", f"wherever it applies {names} has {did} before it")
        earlier.append((rule, trees))


_Conditions = tuple[Rule, Sequence[Expression]]
"""A rule with the conditions that have to hold together for it to do anything."""


def _is_hidden(read: Read, of: _Conditions, others: Sequence[_Conditions]) -> bool:
    """Whether one of the others applies wherever a rule does: all that it may see was searched, and none is left."""
    constraints = []
    for rule, trees in (of, *others):
        naming, (first, *more) = partial(_named_at, read, read.places[rule.id]), trees or (nodes.TRUE,)
        is_other = rule is not of[0]
        constraints.append(Constraint(first, read.ruleset.vocabulary, naming, tuple(more), is_other))
    return search(constraints).impossible


def _fewest(read: Read, of: _Conditions, others: Sequence[_Conditions]) -> Sequence[_Conditions]:
    """One of the others that hides a rule alone, the nearest; all of them where none does."""
    return next(([other] for other in reversed(others) if _is_hidden(read, of, [other])), others)


def _named_at(read: Read, place: int, word: str) -> str:
    """What a word is called where a rule sees it: as elsewhere, unless a rule between may change what it is."""
    steps = read.steps.steps[:place]
    if word.startswith("COUNT_IF"):
        changes = sum(not isinstance(step, Let) for step in steps)
    else:
        lets = (step for step in steps if isinstance(step, Let))
        changes = sum(any(each.name == word for each in step.values) for step in lets)
    return f"{word} after {changes}" if changes else word


def _find_unfailing_conditions(read: Read) -> Iterator[LintFinding]:
    """Find conditions of which none fails where they are looked at."""
    for rule in read.ruleset.rules:
        if isinstance(rule.action, Condition) and rule.path not in read.cleared:
            fails = nodes.Not(nodes.Paren(rule.action.when))
            trees = [fails] if rule.when is None else [rule.when, fails]
            verdict = read.search(rule, *trees)
            if not verdict.possible:
                message = _said(verdict, "the condition holds wherever it is looked at")
                yield _finding("cannot-fail", rule, "holds.when", message)


def _find_same_rules(read: Read) -> Iterator[LintFinding]:
    """Find rules that do what another one does, under the same condition; one that is switched off does nothing."""
    known: dict[str, Rule] = {}
    for rule in (each for each in read.ruleset.rules if each.when != nodes.FALSE):
        other = known.setdefault(repr(rule.describe_effect(read.ruleset.vocabulary, with_texts=False)), rule)
        if other is not rule:
            yield _finding("same-rule", rule, "", f"it does what {other.id} does, under the same condition")


def _find_unstated_rules(read: Read) -> Iterator[LintFinding]:
    """Find rules that no sentence names, and sentences whose rules are not there."""
    if read.name not in read.rules.clauses:
        yield LintFinding("no-sentence", "documents/", read.name, "there is no file with the sentences of it")
        return
    for message in find_unstated_clauses(read.rules, read.name):
        about = message.partition(":")[0]
        path = next((rule.path for rule in read.ruleset.rules if rule.id == about), "documents/")
        yield LintFinding("no-sentence", path, "" if path != "documents/" else about, message.partition(": ")[2])


def _find_unsourced_sentences(read: Read) -> Iterator[LintFinding]:
    """Find sentences with rules of which nothing says where they are from."""
    for file in read_clause_files(read.rules, read.name) if read.name in read.rules.clauses else ():
        for clause in file.clauses:
            if is_unsourced(clause):
                message = "it has no fingerprint and no page, and says not why the project states it"
                yield LintFinding("no-source", f"documents/{file.name}", clause.path, message)


def _find_unheard_numbers(read: Read) -> Iterator[LintFinding]:
    """Find numbers in explanations that have no part in what is decided."""
    vocabulary, passed_by, passed_numbers = read.ruleset.vocabulary, set[str](), set[str]()
    codes = set(map(str, REASONS.values()))
    for rule, step in zip(read.ruleset.rules, read.steps.steps, strict=True):
        if rule.because is None:
            continue
        trees = [*list_expressions(step), *(tree for _, tree in rule.graver)]
        heard = {
            *find_used_terms(trees, vocabulary),
            *(name for tree in trees for name in find_words(tree, vocabulary)),
        }
        numbers = {number for tree in trees for number in _numbers_in(tree, vocabulary)}
        if isinstance(rule.action, Settle | FailWith):
            # It decides only where none of those before it did.
            passed_by |= heard
            passed_numbers |= numbers
            heard, numbers = passed_by, passed_numbers
        for name in rule.because.names():
            if name in heard or not vocabulary.is_number(name):
                continue
            message = f"it names {{{name}}}, at which the rule does not look"
            yield _finding("because-number", rule, "because", message)
        for number in NUMERAL.findall(re.sub(r"\{[^}]*\}|'[^']*'", "", rule.because.text)):
            if number not in numbers and number not in codes:
                message = f"it names {number}, with which the rule compares nothing"
                yield _finding("because-number", rule, "because", message)


def _numbers_in(tree: Expression, vocabulary: Vocabulary) -> Iterator[str]:
    """The numbers that stand in an expression, or in a term that it uses."""
    for each in (tree, *(vocabulary.terms[term] for term in find_used_terms([tree], vocabulary))):
        yield from (str(get_literal_value(literal)) for literal in each.find_all(nodes.Literal))


def _find_rules_without_cases(read: Read) -> Iterator[LintFinding]:
    """Find rules without a case in which they do something, and without one in which they do not."""
    for path in (path for path in read.rules.files if path.startswith(f"{read.name}/")):
        file = read.cases.get(path)
        if file is None:
            yield LintFinding("no-case", path, "", "it has no case file")
            continue
        acts = {table.get("acts") for table in file.tables}
        for wanted, said in ((True, "acts"), (False, "does not act")):
            if wanted not in acts:
                yield LintFinding("no-case", path, "", f"it has no case where it {said}")


def _find_unused_terms(read: Read) -> Iterator[LintFinding]:
    """Find terms that no rule uses, in any edition and under any reading."""
    stated = read.rules.toml(TERMS_FILE).get(read.name, {})
    texts = (read.rules.files[path] for path in read.rules.files if path.startswith(f"{read.name}/"))
    used = {word for text in texts for word in WORD.findall(text)} | {*read.ruleset.about.terms}
    within = {term: {*WORD.findall(str(table))} for term, table in stated.items()}
    by_terms = Counter(word for words in within.values() for word in words)
    for term in stated:
        if term not in used and by_terms[term] == (term in within[term]):
            yield LintFinding("unused-term", TERMS_FILE, f"{read.name}.{term}", "no rule and no term uses it")


def _find_style_faults(read: Read) -> Iterator[LintFinding]:
    """Find titles that are no heading, and explanations that are no part of a sentence."""
    for rule in read.ruleset.rules:
        title = rule.title
        if not title[:1].isupper() or title.endswith(".") or len(title) > LONGEST_TITLE:
            message = (
                f"the title begins with a capital letter, ends without a full stop, has up to {LONGEST_TITLE} letters"
            )
            yield _finding("style", rule, "title", message)
        if rule.because is not None and (rule.because.text.endswith(".") or rule.because.text[:1].isspace()):
            yield _finding(
                "style", rule, "because", "the explanation is part of a sentence: it ends without a full stop"
            )
    for term, table in read.rules.toml(TERMS_FILE).get(read.name, {}).items():
        if not table.get("means"):
            yield LintFinding("style", TERMS_FILE, f"{read.name}.{term}", "it does not say in words what it means")


FINDERS: Mapping[str, tuple[Callable[[Read], Iterator[LintFinding]], bool]] = {
    "dead-rule": (_find_dead_rules, True),
    "masked-rule": (_find_masked_rules, True),
    "cannot-fail": (_find_unfailing_conditions, True),
    "same-rule": (_find_same_rules, False),
    "no-sentence": (_find_unstated_rules, False),
    "no-source": (_find_unsourced_sentences, False),
    "because-number": (_find_unheard_numbers, False),
    "no-case": (_find_rules_without_cases, False),
    "unused-term": (_find_unused_terms, False),
    "style": (_find_style_faults, False),
}
"""What finds the findings of each check by its code, and whether they have to be so everywhere."""


@lru_cache(maxsize=1)
def get_checks() -> tuple[LintCheck, ...]:
    """Return every check of rule files; what is said of them stands in lint.toml beside this module."""
    said = read_toml((files("mqclause.audit") / "lint.toml").read_text(encoding="utf-8"))
    found = []
    for code, (find, everywhere) in FINDERS.items():
        table = said[code]
        example = table["path"], table["example"]
        found.append(LintCheck(code, table["title"], table["why"], table["instead"], find, example, everywhere))
    return tuple(found)


def lint_rules(
    rules: Rules,
    cases: Mapping[str, CaseFile] | None = None,
    documents: Iterable[str] = (),
    processes: int = 1,
) -> tuple[LintFinding, ...]:
    """Find what is odd in the rules of a folder, in any edition; what the folder lists as meant so has its reason.

    ``cases`` are the case files by the path of their rule; those that come with the project if none are given.
    ``documents`` are those that are looked at; all, and the folder's list itself, if none are given. Raises RuleError,
    also for what is no law, and for a list of reasons that names what is not found.
    """
    known = read_cases_by_path() if cases is None else cases
    asked, chosen = tuple(documents), []
    for given in (False, True):
        read_laws(rules, asked, given)
    for name in asked or DOCUMENTS:
        if any(path.startswith(f"{name}/") for path in rules.files):
            chosen.append((name, {path: file for path, file in known.items() if file.document == name}))
    found = run_in_processes(partial(_lint_document, rules), chosen, processes)
    return _with_reasons(rules, [each for listed in found for each in listed], is_whole=not asked)


def _lint_document(rules: Rules, of: tuple[str, Mapping[str, CaseFile]]) -> list[LintFinding]:
    """What every check finds in one document, with the case files of its rules."""
    document, cases = of
    every = [Read(rules, each, cases) for each in dict.fromkeys(_rulesets(rules, DOCUMENTS[document]))]
    found = list[LintFinding]()
    for check in get_checks():
        found += _found_everywhere(check, every) if check.everywhere else _found_anywhere(check, every)
    return found


def _found_anywhere(check: LintCheck, every: Sequence[Read]) -> Iterable[LintFinding]:
    return {(each.path, each.key, each.message): each for read in every for each in check.find(read)}.values()


def _found_everywhere(check: LintCheck, every: Sequence[Read]) -> Iterator[LintFinding]:
    """What a check finds of a rule wherever the rule is read: of one that is cleared once, no more is asked."""
    found, cleared = dict[tuple[str, str], LintFinding](), set[str]()
    for read in every:
        listed = list(check.find(evolve(read, cleared=frozenset(cleared))))
        cleared |= {rule.path for rule in read.ruleset.rules} - {each.path for each in listed}
        for each in listed:
            found.setdefault((each.path, each.key), each)
    yield from (each for (path, _), each in found.items() if path not in cleared)


def read_cases_by_path(paths: Iterable[Any] | None = None) -> Mapping[str, CaseFile]:
    """Read case files by the path of the rule that each is about. Raises CaseError."""
    files = map(CaseFile.read, find_case_files() if paths is None else paths)
    return {f"{file.document}/{file.path.name}": file for file in files}


def _rulesets(rules: Rules, about: Declaration) -> Iterator[Ruleset]:
    """The rules of a document as each edition has them, and as each reading has them."""
    for read in rules.read_editions():
        yield read.ruleset(about)
        for reading in read.known_readings.values():
            for choice in reading.choices[1:] if reading.concerns(about.name) else ():
                yield read.under({reading.id: choice}).ruleset(about)


def _with_reasons(rules: Rules, found: Iterable[LintFinding], is_whole: bool) -> tuple[LintFinding, ...]:
    """The findings with the reasons that the folder lists. Raises RuleError for a reason of what is not found."""
    reasons = dict(_listed_reasons(rules))
    listed = [evolve(each, reason=reasons.get((each.code, each.path, each.key), "")) for each in found]
    used = {(each.code, each.path, each.key) for each in listed if each.reason}
    for place, about in enumerate(reasons, 1):
        if is_whole and about not in used:
            said = f"{about[0]} is not found in {about[1]} any more; take it out"
            raise RuleError(LINT_FILE, f"listed {place}", said)
    return tuple(sorted(listed, key=lambda each: (each.path, each.code, each.key, each.message)))


def _listed_reasons(rules: Rules) -> Iterator[tuple[tuple[str, str, str], str]]:
    """What a folder lists as meant so: code, file and key, with the reason. Raises RuleError."""
    table = rules.toml(LINT_FILE)
    for key in table:
        if key != "listed":
            raise RuleError(LINT_FILE, key, "is not known; allowed: listed")
    listed = table.get("listed", [])
    if not isinstance(listed, list):
        raise RuleError(LINT_FILE, "listed", "is a list of tables, like [[listed]]")
    codes = [*FINDERS]
    for place, each in enumerate(listed, 1):
        check_keys(LINT_FILE, f"listed {place}", each, LISTED_KEYS)
        for key in ("code", "file", "reason"):
            if not each.get(key):
                raise RuleError(LINT_FILE, f"listed {place}.{key}", "is missing")
        if each["code"] not in codes:
            said = f"{quote_value(each['code'])} is no check{suggest_allowed(each['code'], codes)}"
            raise RuleError(LINT_FILE, f"listed {place}.code", said)
        yield (each["code"], each["file"], each.get("key", "")), each["reason"]


LISTED_KEYS: Mapping[str, type] = {"code": str, "file": str, "key": str, "reason": str}
"""What a folder says of a finding that it means so."""
