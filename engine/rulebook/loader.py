"""Load the rules of a folder: their files, their order, and the readings and editions that change them."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

from attrs import field, frozen

from mqclause.language import nodes
from mqclause.language.nodes import ExpressionError
from mqclause.language.parser import (
    check_extent,
    expand_terms,
    find_stated_name_fault,
    find_words,
    infer_type,
    parse,
    parse_unchecked,
)
from mqclause.language.vocabulary import BOOLEAN, Type, Vocabulary, Word, build_words
from mqclause.model.diagnostics import quote_value, suggest_allowed, suggest_word
from mqclause.rulebook.rule import (
    Conclude,
    Condition,
    Declaration,
    Derive,
    Expression,
    ReadingError,
    Rule,
    RuleError,
    Ruleset,
    Settle,
)
from mqclause.rulebook.rule_file import ACTIONS, FILE_NAME, RuleFile, build_rule

Tables = Mapping[str, Mapping[str, Any]]
"""Tables of TOML by name."""

TERM_KEYS: Mapping[str, type] = {"is": str, "means": str}
"""What a term says, and of which type."""

ORDER_KEYS = {"before": 0, "after": 2}
"""The keys by which a rule is moved, and where it then stands beside the rule named, whose own side is between."""
ITSELF = 1

MOST_MOVED = 50
"""So many rules may be moved, each beside the next."""

OVERRIDES = ("edition", "reading")
"""The tables of a rule, a term or a reading that state what differs in an edition or under a reading."""

READING_KEYS: Mapping[str, type] = {
    "clauses": list, "choices": list, "question": str, "why": str, "not_replayed": list, "said_by": dict,
}  # fmt: skip
EDITION_KEYS: Mapping[str, type] = {"title": str, "command_level": int, "evidence": str, "source": str}
"""What readings.toml and editions.toml say of each, and of which type."""

_TYPES = {str: "text", list: "a list of texts", int: "a whole number", dict: "a table", bool: "true or false"}

RECALLED = "recalled"

EVIDENCE: Mapping[str, str] = {
    "stated": "it was read",
    "implied": "follows from what was read",
    "inferred": "nothing that was read says otherwise",
    RECALLED: "recalled, not read",
}
"""How it is known what holds in an edition, the surest first, and that in words."""


@frozen
class RulesetLoader:
    """What all rule files of one document are read by."""

    declaration: Declaration
    in_force: Interpretation
    readings: Mapping[str, Reading]
    editions: tuple[str, ...]
    followed: Ruleset | None = None
    clauses: Mapping[str, Collection[str]] = field(factory=dict)

    def ruleset(self, files: Tables, terms: Tables) -> Ruleset:
        """Read the rules in ``files`` (by file name) in the document's order. Raises RuleError."""
        name = self.declaration.name
        if not files:
            raise RuleError(f"{name}/", "", "there are no rule files")
        for file, table in files.items():
            check_overrides(f"{name}/{file}", "", table, self.readings, self.editions)
        self._check_readings()
        stated = {file: self.in_force.stated(table, ACTIONS) for file, table in files.items()}
        sees = self.list_seen_facts()
        vocabulary = self._vocabulary(terms, sees)
        rules: list[Rule] = []
        clauses = tuple((document, frozenset(numbers)) for document, numbers in self.clauses.items())
        for file in _sort_rule_files(name, stated):
            text = pickle.dumps((stated[file], self.in_force.origins(files[file])))
            conditions = tuple(rule for rule in rules if isinstance(rule.action, Condition))
            rule = _build_rule(f"{name}/{file}", text, vocabulary, conditions, self.declaration, clauses)
            if rule is not None:
                vocabulary = _with_words(vocabulary, tuple(self._derived(rule, vocabulary)))
                rules.append(rule)
        return _build_ruleset(self.declaration, tuple(rules), vocabulary, sees)

    def terms(self, terms: Tables) -> Vocabulary:
        """Return the attributes and terms; terms asked before any rule are checked. Raises RuleError."""
        vocabulary = self._vocabulary(terms, self.list_seen_facts())
        _check_asked_terms(self.declaration, vocabulary)
        return vocabulary

    def _check_readings(self) -> None:
        """Raises RuleError for a reading of a clause that the document does not have."""
        name = self.declaration.name
        known = [f"{name}/{each}" for each in sorted(self.clauses.get(name, ()))]
        stated = ((each.id, clause) for each in self.readings.values() for clause in each.clauses)
        for reading, clause in stated if known else ():
            if clause.startswith(f"{name}/") and clause not in known:
                said = (
                    f"{quote_value(clause)} is not a clause of {name} in rules/documents/{suggest_word(clause, known)}"
                )
                raise RuleError("readings.toml", f"{reading}.clauses", said)

    def _derived(self, rule: Rule, vocabulary: Vocabulary) -> Iterator[Word]:
        """The facts of a rule, of the type that is asked for, else that of what they are derived from."""
        asked = self.declaration.asks
        if isinstance(rule.action, Settle) or (isinstance(rule.action, Derive) and rule.action.of == "situation"):
            for name, tree in rule.action.values:
                found = asked.get(name) or infer_type(tree, vocabulary, per_subject=False)
                yield Word(name, found, "situation", is_derived=True)
        if isinstance(rule.action, Conclude):
            yield Word(rule.action.fact, BOOLEAN, "situation", is_derived=True)

    def list_seen_facts(self) -> tuple[tuple[str, Expression, Type], ...]:
        """List what is seen of the document before, but for facts that its rules do not derive in this edition."""
        found = []
        for name, text in self.declaration.sees.items():
            assert self.followed is not None, "only what follows another document sees facts of it"  # noqa: S101
            if not text.isidentifier() or text in self.followed.vocabulary.words:
                tree = parse(text, self.followed.vocabulary, per_subject=False)
                found.append((name, tree, infer_type(tree, self.followed.vocabulary, per_subject=False)))
        return tuple(found)

    def _vocabulary(self, terms: Tables, sees: tuple[tuple[str, Expression, Type], ...]) -> Vocabulary:
        """The attributes, what the document sees of the one before, and the terms of rules/terms.toml."""
        name, stated = self.declaration.name, []
        for term, table in check_tables("terms.toml", name, terms, TERM_KEYS).items():
            check_overrides("terms.toml", f"{name}.{term}.", table, self.readings, self.editions)
            with _placed(f"{name}.{term}"):
                stated.append((term, self.in_force.stated(table)["is"]))
        return _build_vocabulary(self.declaration, tuple(stated), sees)


# What editions and readings leave as it was is made once for all of them: each part is kept by all that it is made of.


@lru_cache(maxsize=256)
def _build_vocabulary(
    about: Declaration, terms: tuple[tuple[str, str], ...], sees: tuple[tuple[str, Expression, Type], ...]
) -> Vocabulary:
    words = dict[str, Word]()
    if about.subject is not None:
        words |= build_words(about.subject, "subject", about.carried.names if about.carried else ())
    words |= build_words(about.situation, "situation")
    for name, _, kind in sees:
        words[name] = Word(name, kind, "situation", is_derived=True)
    parsed = {}
    for term, text in terms:
        if fault := find_stated_name_fault(term):
            raise RuleError("terms.toml", f"{about.name}.{quote_value(term)}", fault)
        if term in words and term not in about.terms:
            raise RuleError("terms.toml", f"{about.name}.{term}", "is a word already; a term has a name of its own")
        with _placed(f"{about.name}.{term}"):
            parsed[term] = parse_unchecked(text)
    _check_no_circle(about.name, parsed)
    asked = {term: parsed.pop(term) for term in about.terms if term in words and term in parsed}
    return Vocabulary(words, parsed, _name_subject(about), asked)


def _name_subject(about: Declaration) -> str:
    return about.subject.__name__.lower() if about.subject else "subject"


@lru_cache(maxsize=2048)
def _with_words(vocabulary: Vocabulary, words: tuple[Word, ...]) -> Vocabulary:
    return vocabulary.with_words(*words) if words else vocabulary


@lru_cache(maxsize=2048)
def _build_rule(
    path: str,
    text: bytes,
    vocabulary: Vocabulary,
    conditions: tuple[Rule, ...],
    about: Declaration,
    clauses: tuple[tuple[str, frozenset[str]], ...],
) -> Rule | None:
    """The rule of a file; ``text`` is what it states and where each key is from, ``conditions`` stand before it."""
    table, origins = pickle.loads(text)  # noqa: S301 - what the loader wrote
    return build_rule(RuleFile(path, table, vocabulary, conditions, about, dict(clauses), origins))


@lru_cache(maxsize=256)
def _build_ruleset(
    about: Declaration,
    rules: tuple[Rule, ...],
    vocabulary: Vocabulary,
    sees: tuple[tuple[str, Expression, Type], ...],
) -> Ruleset:
    if lacking := [fact for fact in about.asks if fact not in vocabulary.words]:
        raise RuleError(f"{about.name}/", lacking[0], "is derived by no rule, and answers are made of it")
    _check_vocabulary(about, *(tuple(each.items()) for each in (vocabulary.words, vocabulary.terms, vocabulary.asked)))
    return Ruleset(about, rules, vocabulary, {fact: tree for fact, tree, _ in sees})


def _sort_rule_files(ruleset: str, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Sort the rule files of a folder, by the numbers of their rules; a range comes after its last number.

    A rule that says ``before`` or ``after`` runs just there, wherever the rule that it names stands: a clause that says
    how an earlier one is read has to stand before that one. Raises RuleError, also for two rules of one number.
    """
    of_number: dict[str, str] = {}
    for file in files:
        number = _number(file)
        if number and of_number.setdefault(number, file) != file:
            said = f"has the number of {of_number[number]}; a rule has one of its own, like {number}b"
            raise RuleError(f"{ruleset}/{file}", "", said)
    order = _Order(ruleset, files, of_number)
    return sorted(files, key=lambda file: (*order.place(file), ITSELF))


@frozen
class Reading:
    """One open point: the clauses it concerns, the choices (the default first), and why it is the default.

    By the choices in ``not_replayed`` the rules say nothing of events one after the other. ``every_choice`` has those
    of all editions, first the default of the oldest, and ``defaults`` the default of each that states any. ``said_by``
    names who says so, by choice, where pages of IBM's contradict one another.
    """

    id: str
    clauses: tuple[str, ...]
    choices: tuple[str, ...]
    question: str
    why: str
    not_replayed: tuple[str, ...] = ()
    every_choice: tuple[str, ...] = ()
    defaults: frozenset[str] = frozenset()
    said_by: Mapping[str, str] = field(factory=dict, hash=False)

    @property
    def default(self) -> str:
        """The choice of who makes none: the first."""
        return self.choices[0]

    def concerns(self, document: str) -> bool:
        """Return whether it is about a clause of the document."""
        return any(clause.startswith(f"{document}/") for clause in self.clauses)


@frozen
class Interpretation:
    """What a rule is read by: the edition, with those before it, oldest first, and a choice for every reading."""

    editions: tuple[str, ...]
    readings: Mapping[str, str]

    def stated(self, table: Mapping[str, Any], actions: Iterable[str] = ()) -> dict[str, Any]:
        """Return ``table`` with the keys that the edition and the readings in force replace.

        Of several editions the latest counts, and a reading before all of them. One of ``actions`` takes the place of
        the action that stood there.
        """
        kept = {key: value for key, value in table.items() if key not in OVERRIDES}
        for _, replaced in self._in_force(table):
            if set(replaced).intersection(actions):
                kept = {key: value for key, value in kept.items() if key not in actions}
            kept |= replaced
        return kept

    def origins(self, table: Mapping[str, Any]) -> dict[str, str]:
        """Return which edition or reading states each replaced key, as ``reading.'weight-step=truncated'``."""
        return {key: where for where, replaced in self._in_force(table) for key in replaced}

    def _in_force(self, table: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
        by_edition, by_reading = (table.get(key, {}) for key in OVERRIDES)
        for edition in self.editions:
            if edition in by_edition:
                yield f"edition.{edition!r}", by_edition[edition]
        for reading, replaced in by_reading.items():
            name, _, choice = reading.partition("=")
            if self.readings.get(name) == choice:
                yield f"reading.{reading!r}", replaced


def check_tables(path: str, within: str, tables: Any, types: Mapping[str, type]) -> dict[str, Mapping[str, Any]]:
    """Check that the ``tables`` of a file have keys of ``types`` alone: texts, lists of texts, whole numbers.

    What they state for an edition or under a reading has to be so, too. Raises RuleError.
    """
    if not isinstance(tables, Mapping):
        raise RuleError(path, within, f"{quote_value(tables)} is not a table of tables")
    for name, table in tables.items():
        check_keys(path, f"{within}.{name}".lstrip("."), table, types)
    return dict(tables)


def _check_evidence(path: str, within: str, table: Mapping[str, Any]) -> None:
    """Raise RuleError for an unknown kind of evidence in a table, or in the tables of its editions."""
    stated = table.get("evidence")
    if stated is not None and stated not in EVIDENCE:
        raise RuleError(
            path,
            f"{within}evidence",
            f"{quote_value(stated)} is no kind of evidence{suggest_allowed(str(stated), EVIDENCE)}",
        )
    for key in OVERRIDES:
        for name, each in table.get(key, {}).items():
            _check_evidence(path, f"{within}{key}.{name!r}.", each)


def read_edition_levels(tables: Any) -> dict[str, int]:
    """Read the command level of each edition of editions.toml, oldest first; 0 if none is stated. Raises RuleError.

    Levels rise.
    """
    found, highest = dict[str, int](), 0
    for name, table in check_tables("editions.toml", "", tables, EDITION_KEYS).items():
        _check_evidence("editions.toml", f"{name}.", table)
        found[name] = level = table.get("command_level", 0)
        if level and level <= highest:
            said = f"{level} is not above {highest}, that of an edition before it; the oldest stands first"
            raise RuleError("editions.toml", f"{name}.command_level", said)
        highest = max(level, highest)
    return found


def get_edition(level: int, known: Mapping[str, int]) -> str:
    """Return the latest edition whose command level is not above ``level``; the oldest where all are."""
    found = [name for name, own in known.items() if 0 < own <= level]
    return found[-1] if found else next(iter(known))


def check_keys(path: str, within: str, table: Any, types: Mapping[str, type]) -> None:
    """Raise RuleError for a table that has other keys than ``types``, or values of other types."""
    if not isinstance(table, Mapping):
        raise RuleError(path, within, f"{quote_value(table)} is not a table, like [{within}]")
    for key, value in table.items():
        if key in OVERRIDES:
            check_tables(path, f"{within}.{key}", value, types)
        elif key not in types:
            raise RuleError(path, f"{within}.{key}", f"is not known{suggest_allowed(key, [*types, *OVERRIDES])}")
        elif type(value) is not types[key] or (isinstance(value, list) and {*map(type, value)} - {str}):
            raise RuleError(path, f"{within}.{key}", f"{quote_value(value)} is not {_TYPES[types[key]]}")


def check_overrides(
    path: str, within: str, table: Mapping[str, Any], readings: Mapping[str, Reading], editions: Iterable[str]
) -> None:
    """Raise RuleError for an edition, a reading or a choice that is not known, in a table of the file ``path``."""
    if not any(key in table for key in OVERRIDES):
        return
    choices = [f"{name}={choice}" for name, reading in readings.items() for choice in reading.every_choice]
    known = {"edition": list(editions), "reading": choices}
    for key in OVERRIDES:
        given = table.get(key, {})
        if not isinstance(given, Mapping) or not all(isinstance(each, Mapping) for each in given.values()):
            raise RuleError(path, f"{within}{key}", f'is not a table of tables, like [{within}{key}."…"]')
        for name in given:
            if name not in known[key]:
                what = "an edition of rules/editions" if key == "edition" else "a reading=choice of rules/readings"
                near = suggest_word(name, known[key])
                raise RuleError(path, f"{within}{key}.{name!r}", f"is not {what}.toml{near}")


def find_overrides(table: Mapping[str, Any], kind: str) -> Iterator[str]:
    """Find the editions, or the readings with their choices, for which a table, or one in it, states anything."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from value if key == kind else find_overrides(value, kind)


def select_editions(edition: str | None, known: Iterable[str]) -> tuple[str, ...]:
    """Select the editions up to the one asked for (None: the oldest), oldest first. Raises ReadingError."""
    listed = tuple(known)
    if edition is None:
        return listed[:1]
    if edition not in listed:
        raise ReadingError(f"edition {quote_value(edition)} is not known{suggest_allowed(edition, listed)}")
    return listed[: listed.index(edition) + 1]


def build_readings(tables: Mapping[str, Any], editions: tuple[str, ...]) -> dict[str, Reading]:
    """Build the readings of readings.toml by id, as the latest of ``editions`` has them."""
    in_force = Interpretation(editions, {})
    stated = check_tables("readings.toml", "", tables, READING_KEYS)
    return {name: _reading(name, in_force.stated(table), _all_choices(table)) for name, table in stated.items()}


def check_replayable(chosen: Mapping[str, str], known: Mapping[str, Reading]) -> None:
    """Raise ReadingError for a choice by which events are not replayed."""
    for name, choice in chosen.items():
        if choice in known[name].not_replayed:
            listed = ", ".join(each for each in known[name].choices if each not in known[name].not_replayed)
            raise ReadingError(f"reading {name}: events are not replayed by {choice!r}; allowed: {listed}")


def select_readings(
    given: Mapping[str, str], known: Mapping[str, Reading], any_edition: bool = False
) -> dict[str, str]:
    """Select a choice for every reading: the ``given`` ones, the defaults for the rest. Raises ReadingError.

    For rules of ``any_edition`` a choice of another edition than the one in force is allowed, and the default counts.
    """
    for name, choice in given.items():
        if name not in known:
            raise ReadingError(f"reading {name!r} is not known{suggest_allowed(name, known)}")
        allowed = known[name].every_choice if any_edition else known[name].choices
        if choice not in allowed:
            elsewhere = " in this edition" if choice in known[name].every_choice else ""
            raise ReadingError(
                f"reading {name}: {choice!r} is not a choice{elsewhere}{suggest_allowed(choice, allowed)}"
            )
    chosen = {name: given.get(name, reading.default) for name, reading in known.items()}
    return {name: choice if choice in known[name].choices else known[name].default for name, choice in chosen.items()}


def _check_no_circle(ruleset: str, terms: Mapping[str, Expression]) -> None:
    used = {term: [each for each in find_words(tree) if each in terms] for term, tree in terms.items()}
    try:
        TopologicalSorter(used).prepare()
    except CycleError as error:
        circle = set(error.args[1])
        first = next(term for term in terms if term in circle)
        raise RuleError("terms.toml", f"{ruleset}.{first}", "is explained by itself") from None


@lru_cache(maxsize=256)
def _check_vocabulary(
    about: Declaration,
    words: tuple[tuple[str, Word], ...],
    terms: tuple[tuple[str, Expression], ...],
    asked: tuple[tuple[str, Expression], ...],
) -> None:
    """Raises RuleError for what is wrong with terms when all rules are there; once for all that have the same words."""
    vocabulary = Vocabulary(dict(words), dict(terms), _name_subject(about), dict(asked))
    _check_terms(about.name, vocabulary)
    _check_asked_terms(about, vocabulary)


def _check_terms(ruleset: str, vocabulary: Vocabulary) -> None:
    """Terms may use facts that rules derive, so their words and types are checked when all rules are there."""
    for term, tree in (*vocabulary.terms.items(), *vocabulary.asked.items()):
        with _placed(f"{ruleset}.{term}"):
            check_extent(tree, vocabulary)
            infer_type(tree, vocabulary, per_subject=True)


def _check_asked_terms(about: Declaration, vocabulary: Vocabulary) -> None:
    """Terms that are asked before the rules run have no facts, counts or other things to look at."""
    before = vocabulary.before
    for term, (kind, of) in about.terms.items():
        place = f"{about.name}.{term}"
        stated = vocabulary.asked.get(term, vocabulary.terms.get(term))
        if stated is None:
            raise RuleError("terms.toml", place, "is missing, and answers are made of it")
        with _placed(f"{about.name}.{term}"):
            check_extent(stated, before)
            tree = expand_terms(stated, before)
            found = infer_type(tree, before, per_subject=True)
        if found.kind != kind:
            raise RuleError("terms.toml", place, f"is {found}; answers need {Type(kind)}")
        words = [vocabulary.words[each] for each in find_words(tree)]
        own = None if about.stated is None or of != "subject" else {*build_words(about.stated, "subject")}
        if beyond := [
            each.name for each in words
            if each.about != of or each.is_derived or (own is not None and each.name not in own)
        ]:  # fmt: skip
            allowed = f"attributes of the {vocabulary.subject if of == 'subject' else 'situation'}"
            if own is not None:
                allowed = f"what a {vocabulary.subject} says of itself: {', '.join(sorted(own))}"
            raise RuleError(
                "terms.toml", place, f"looks at {beyond[0]!r}; it is asked before any rule runs, of {allowed}"
            )
        if tree.find(nodes.CountIf):
            raise RuleError("terms.toml", place, "counts; it is asked before any rule runs, of one alone")


@contextmanager
def _placed(term: str) -> Iterator[None]:
    """Says of which term an error is."""
    try:
        yield
    except ExpressionError as error:
        raise RuleError("terms.toml", term, str(error)) from None
    except KeyError as error:
        raise RuleError("terms.toml", term, f"{error} is missing") from None


@frozen
class _Order:
    ruleset: str
    files: Mapping[str, Mapping[str, Any]]
    of_number: Mapping[str, str]

    def place(self, file: str, moved: tuple[str, ...] = ()) -> tuple[int | str, ...]:
        """Where a rule stands; ``moved`` are those that stand beside it."""
        table, own = self.files[file], _place(_number(file))
        key, *others = [key for key in ORDER_KEYS if key in table] or [""]
        if not key:
            return own
        if others:
            raise RuleError(f"{self.ruleset}/{file}", "after", "stands beside before; a rule is moved once")
        target, _, number = str(table[key]).partition(".")
        if target != self.ruleset or number not in self.of_number:
            said = (
                f"{quote_value(table[key])} is not a rule of {self.ruleset}, like {self.ruleset}.{min(self.of_number)}"
            )
            raise RuleError(f"{self.ruleset}/{file}", key, said)
        to = self.of_number[number]
        if to in (file, *moved):
            raise RuleError(
                f"{self.ruleset}/{file}", key, f"{quote_value(table[key])} is moved beside this rule itself"
            )
        if len(moved) == MOST_MOVED:
            said = f"{quote_value(table[key])} is moved, and so are {MOST_MOVED} rules one beside the other"
            raise RuleError(f"{self.ruleset}/{file}", key, said)
        return (*self.place(to, (file, *moved)), ORDER_KEYS[key], *own)


def _number(file: str) -> str:
    """The number in a file's name; blank where it has none, which is told when the file is read."""
    found = FILE_NAME.fullmatch(file)
    return found["number"] if found else ""


def _place(number: str) -> tuple[int, int, str]:
    if not number[:1].isdigit():
        return (1, 0, number)
    digits, letters = number.rstrip("abcdefghijklmnopqrstuvwxyz"), number.lstrip("0123456789.-")
    first, dash, last = digits.partition("-")
    whole, _, part = (last or first).partition(".")
    return (0, int(whole), "~" if dash else f"{part}{letters}")


def _all_choices(table: Mapping[str, Any]) -> list[Sequence[str]]:
    """The choices of a reading in each edition that states any, the oldest first."""
    stated = [table, *table.get("edition", {}).values()]
    return [each["choices"] for each in stated if each.get("choices")]


def _reading(name: str, table: Mapping[str, Any], all_choices: Sequence[Sequence[str]]) -> Reading:
    missing = next((key for key in ("clauses", "choices", "question", "why") if not table.get(key)), None)
    if missing:
        raise RuleError("readings.toml", f"{name}.{missing}", "is missing")
    choices, not_replayed = tuple(table["choices"]), tuple(table.get("not_replayed", ()))
    if twice := [choice for at, choice in enumerate(choices) if choice in choices[:at]]:
        raise RuleError("readings.toml", f"{name}.choices", f"{quote_value(twice[0])} is there twice")
    for choice in not_replayed:
        if choice not in choices[1:]:
            said = f"{choice!r} is no choice besides the default{suggest_allowed(choice, choices[1:])}"
            raise RuleError("readings.toml", f"{name}.not_replayed", said)
    known, defaults = (
        dict.fromkeys(each for listed in all_choices for each in listed),
        {each[0] for each in all_choices},
    )
    about = tuple(table["clauses"]), choices, table["question"], table["why"], not_replayed
    said_by = table.get("said_by", {})
    for choice, by in said_by.items():
        if choice not in known or not isinstance(by, str):
            said = f"is no text about a choice{suggest_allowed(choice, tuple(known))}"
            raise RuleError("readings.toml", f"{name}.said_by.{choice}", said)
    return Reading(name, *about, tuple(known), frozenset(defaults), dict(said_by))
