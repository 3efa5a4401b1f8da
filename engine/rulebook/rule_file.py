"""Read a rule file: its keys, its action and its condition, or everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from attrs import evolve, frozen

from mqclause.language import nodes
from mqclause.language.nodes import ExpressionError
from mqclause.language.parser import (
    check_extent,
    find_literal_texts,
    find_stated_name_fault,
    infer_type,
    parse_order,
    parse_unchecked,
)
from mqclause.language.vocabulary import BOOLEAN, NUMBER, TEXT, WHOLE, Type, Vocabulary
from mqclause.model.diagnostics import quote_value, suggest_allowed, suggest_word
from mqclause.model.facts.domains import COMMANDS, MQI_CALLS, REASONS
from mqclause.rulebook.rule import (
    Action,
    Choose,
    Conclude,
    Condition,
    Declaration,
    Derive,
    Eliminate,
    Example,
    Expression,
    FailWith,
    Keep,
    MessageTemplate,
    Notice,
    OrderBy,
    Remedy,
    Rule,
    RuleError,
    SetAside,
    Settle,
    TakeBack,
    TemplateLanguage,
    Ties,
)

FILE_NAME = re.compile(r"(?P<number>[0-9]+(?:[.-][0-9]+)?[a-z]{0,2}|[a-z]+(?:-[a-z]+)?[0-9]*)_[a-z0-9_]+\.toml")

PLACEHOLDER: Expression = nodes.build_value(0)
"""What stands in the place of an expression that is wrong."""

SEVERITIES = tuple("error warning note".split())  # noqa: SIM905 - no clause is meant
FINDING_KEYS = ("severity", "graver", "attribute", "misplaced", "together", "follows", "why", "example")
MERGE_KEYS = ("queue_manager",)
"""By what findings that say the same of several objects can be told as one."""
_SHOWN = ("found", "clean")

CHOICE_TIES: tuple[Ties, ...] = ("first-listed", "last-listed")
"""Who of several can be taken by a choice."""

COMMON_KEYS = ("clause", "title", "when", "before", "after", "leave_out", "remark", "notices", *FINDING_KEYS,
               "edition", "reading")  # fmt: skip
"""The keys of a rule file besides its action."""

REMEDY_TEXTS = ("mqsc", "shell", "advice")
"""What a remedy can say: commands of MQSC, a command for a shell, words for a person."""

LANGUAGES: Mapping[str, TemplateLanguage] = {"remedy": "mqsc", "mqsc": "mqsc", "shell": "shell"}
"""The keys of commands, by the language that they are in: in the others a rule speaks to a person."""

REMEDY_KEYS = ("when", *REMEDY_TEXTS)


@frozen
class RuleFile:
    """One rule file on its way to a rule: its path within rules/, and what it states for edition and readings in force.

    ``earlier`` are the rules before it, ``clauses`` the clause numbers by document, ``origins`` the tables of editions
    and readings that keys are from. What is wrong is a RuleError. Where faults are ``noted``, what is wrong with an
    expression or a sentence is, and another one stands in its place: so more than the first fault is found.
    """

    path: str
    table: Mapping[str, Any]
    vocabulary: Vocabulary
    earlier: Sequence[Rule]
    about: Declaration
    clauses: Mapping[str, Collection[str]]
    origins: Mapping[str, str]
    noted: list[RuleError] | None = None

    def _note(self, error: RuleError) -> None:
        if self.noted is None:
            raise error from None
        self.noted.append(error)

    @property
    def ruleset(self) -> str:
        """The folder of the file."""
        return self.path.partition("/")[0]

    @property
    def number(self) -> str:
        """What the file's name begins with: the clause's number."""
        name = FILE_NAME.fullmatch(self.path.rpartition("/")[2])
        if name is None:
            raise RuleError(self.path, "", "a rule file is named like 04a_channel_rank.toml")
        return name["number"]

    @property
    def clause(self) -> str:
        """The document's number of the clause that the rule states."""
        clause = self.text(self.table, "clause", "")
        document, _, number = clause.partition("/")
        if document != self.ruleset or not number:
            raise RuleError(self.path, "clause", f"{quote_value(clause)} is not a clause of {self.ruleset}/…")
        self.check_clause("clause", clause)
        return number

    def check_clause(self, key: str, clause: str) -> None:
        """Raise RuleError for a clause that no file of documents/ has, if any has clauses of that document."""
        document, _, number = clause.partition("/")
        if number not in self.clauses.get(document, (number,)):
            near = suggest_word(clause, sorted(f"{document}/{each}" for each in self.clauses[document]))
            raise RuleError(
                self.path, key, f"{quote_value(clause)} is not a clause of {document} in rules/documents/{near}"
            )

    def check_name(self, key: str, name: str) -> None:
        """Raise RuleError for what cannot be the name of a fact."""
        if fault := find_stated_name_fault(name):
            raise RuleError(self.path, key, f"{quote_value(name)} {fault}")

    def text(self, table: Mapping[str, Any], key: str, within: str) -> str:
        """Return the text of a key that has to be there. Raises RuleError, as all that follow."""
        value = table.get(key)
        name = f"{within}.{key}" if within else key
        if not isinstance(value, str) or not value.strip():
            raise RuleError(self.path, name, "is missing" if value is None else f"{quote_value(value)} is not text")
        return value

    def texts(self, value: object, place: str, said: str) -> list[str]:
        """Return a list of texts, which holds one at least; an error says of what it is a list."""
        if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
            raise RuleError(self.path, place, f"is a list of {said}")
        return value

    def check_attribute(self, place: str, name: str) -> None:
        """Raise RuleError for what is no attribute of a subject."""
        word = self.vocabulary.words.get(name)
        if word is None or word.about != "subject":
            near = suggest_word(name, [each.name for each in self.vocabulary.words.values() if each.about == "subject"])
            said = f"{quote_value(name)} is not an attribute of a {self.vocabulary.subject}{near}"
            raise RuleError(self.path, place, said)

    def expression(self, text: str, key: str, wanted: Type | None, per_subject: bool) -> Expression:
        """Return a text as a checked tree of the type that is wanted."""
        try:
            tree = parse_unchecked(text)
            check_extent(tree, self.vocabulary)
            found = infer_type(tree, self.vocabulary, per_subject)
        except ExpressionError as error:
            self._note(RuleError(self.path, key, str(error)))
            return PLACEHOLDER
        fits = wanted is None or found.kind == wanted.kind or (found.is_number and wanted.kind == "number")
        if not fits:
            self._note(RuleError(self.path, key, f"{quote_value(text)} is {found}, expected {wanted}"))
        return tree

    def fact(self, table: Mapping[str, Any], name: str, within: str, wanted: Type | None) -> Expression:
        """Parse a key that derives a fact of the situation, and check its type against what answers expect."""
        text, key = self.text(table, name, within), f"{within}.{name}"
        asked = self.about.asks.get(name, wanted)
        tree = self.expression(text, key, asked, per_subject=False)
        if asked is None or tree is PLACEHOLDER:
            return tree
        found = infer_type(tree, self.vocabulary, per_subject=False)
        if (found.most is not None and asked.least is not None and found.most < asked.least) or (
            found.least is not None and asked.most is not None and found.least > asked.most
        ):
            span = f"from {asked.least}" + ("" if asked.most is None else f" to {asked.most}")
            self._note(RuleError(self.path, key, f"{quote_value(text)} is never a whole number {span}"))
        for word in find_literal_texts(tree, self.vocabulary) if asked.words else ():
            if word not in asked.words:
                listed = [each for each in asked.words if each.strip()]
                self._note(
                    RuleError(
                        self.path, key, f"{quote_value(word)} is never a value here{suggest_allowed(word, listed)}"
                    )
                )
        return tree

    def order(self, text: str, key: str) -> tuple[Expression, bool]:
        """Parse the sort order of subjects, and whether the highest is first."""
        try:
            return parse_order(text, self.vocabulary)
        except ExpressionError as error:
            self._note(RuleError(self.path, key, str(error)))
            return PLACEHOLDER, False

    def condition(self, table: Mapping[str, Any], key: str, within: str, per_subject: bool = True) -> Expression:
        """Return the condition that a key holds."""
        name = f"{within}.{key}" if within else key
        return self.expression(self.text(table, key, within), name, BOOLEAN, per_subject)

    def because(self, table: Mapping[str, Any], within: str, *extra: str, part: str = "because") -> MessageTemplate:
        """Return the sentence of a key; besides all words of the document it may name ``extra`` ones."""
        text, place = self.text(table, part, within), f"{within}.{part}".lstrip(".")
        because = MessageTemplate(text, LANGUAGES.get(part, "sentence"))
        try:
            names = list(because.names())
        except ValueError as error:
            raise RuleError(self.path, place, f"{error}") from None
        if formatted := because.find_formatted_word():
            self._note(RuleError(self.path, place, f"{formatted} has a format; allowed: a word alone in braces"))
        allowed = [*self.vocabulary.names(), *extra]
        for name in names:
            if name not in allowed:
                self._note(RuleError(self.path, place, f"{{{name}}} is not a word{suggest_word(name, allowed)}"))
        return because


Builder = Callable[[RuleFile, dict[str, Any], str], Action]


def _filter(kind: type[Eliminate | SetAside]) -> Builder:
    return lambda file, table, key: kind(file.condition(table, "where", key), file.because(table, key))


def _keep(file: RuleFile, table: dict[str, Any], key: str) -> Keep:
    stated = [best for best in ("highest", "lowest") if best in table]
    if len(stated) != 1:
        raise RuleError(file.path, key, "states highest or lowest, one of them")
    best = stated[0]
    by = file.expression(file.text(table, best, key), f"{key}.{best}", None, per_subject=True)
    kind = infer_type(by, file.vocabulary, per_subject=True)
    if not (kind.is_number or kind == BOOLEAN):
        raise RuleError(file.path, f"{key}.{best}", f"{kind} has no highest or lowest")
    per = _attribute(file, table, "per", key) if "per" in table else None
    limit = None
    if "at_most" in table:
        if per is not None:
            raise RuleError(file.path, f"{key}.per", "stands beside at_most; a group keeps its best alone")
        limit = file.expression(file.text(table, "at_most", key), f"{key}.at_most", WHOLE, per_subject=False)
    among = file.condition(table, "among", key) if "among" in table else None
    return Keep(by, "highest" if best == "highest" else "lowest", among, per, limit,
                _ties(file, table, key, "first-listed", "all"), file.because(table, key, best, "at_most"),
                _counted(file, table, key))  # fmt: skip


def _ties(file: RuleFile, table: dict[str, Any], key: str, *allowed: Ties) -> Ties:
    """Who of equals it is: the first that is allowed, unless stated."""
    stated = table.get("ties", allowed[0])
    for each in allowed:
        if stated == each:
            return each
    raise RuleError(file.path, f"{key}.ties", f"{quote_value(stated)} is not allowed; allowed: {', '.join(allowed)}")


def _counted(file: RuleFile, table: dict[str, Any], key: str) -> tuple[str, ...]:
    """The attributes that a limit counts by."""
    if table.get("counts", []) == []:
        return ()
    names = file.texts(table["counts"], f"{key}.counts", "attributes")
    if "at_most" not in table:
        raise RuleError(file.path, f"{key}.counts", "says what at_most counts, and there is no at_most")
    return tuple(_attribute(file, {"counts": name}, "counts", key) for name in names)


def _attribute(file: RuleFile, table: dict[str, Any], name: str, key: str) -> str:
    """The name of a text of a subject, not an expression."""
    text = file.text(table, name, key)
    file.expression(text, f"{key}.{name}", TEXT, per_subject=True)
    file.check_attribute(f"{key}.{name}", text)
    return text


def _choose(file: RuleFile, table: dict[str, Any], key: str) -> Choose:
    if ("where" in table) == ("lowest" in table):
        raise RuleError(file.path, key, "states where or lowest, one of them")
    ties = _ties(file, table, key, *CHOICE_TIES)
    if "where" in table:
        return Choose(file.condition(table, "where", key), (), file.because(table, key), ties)
    order = file.texts(table["lowest"], f"{key}.lowest", "expressions, the first deciding first")
    by = tuple(file.expression(item, f"{key}.lowest", NUMBER, per_subject=True) for item in order)
    return Choose(None, by, file.because(table, key, "lowest"), ties)


def _order_by(file: RuleFile, table: dict[str, Any], key: str) -> OrderBy:
    said = "expressions, with DESC or without, the first deciding first"
    order = file.texts(table.get("by"), f"{key}.by", said)
    return OrderBy(tuple(file.order(item, f"{key}.by") for item in order))


def _settle(file: RuleFile, table: dict[str, Any], key: str) -> Settle:
    values = []
    for name in table:
        if name != "because":
            if file.about.asks and name not in file.about.asks:
                near = suggest_allowed(name, ["because", *file.about.asks])
                raise RuleError(file.path, f"{key}.{name}", f"is not known: no answer is made of it{near}")
            wanted = _derivable(file, f"{key}.{name}", name, "situation")
            values.append((name, file.fact(table, name, key, wanted)))
    if not values:
        raise RuleError(file.path, key, "settles nothing")
    return Settle(tuple(values), file.because(table, key))


def _derive(file: RuleFile, table: dict[str, Any], key: str) -> Derive:
    of = table.get("of", "situation")
    if of not in ("situation", "chosen", "every"):
        raise RuleError(file.path, f"{key}.of", f"{quote_value(of)} is not allowed; allowed: situation, chosen, every")
    values = []
    for name in table:
        if name != "of":
            wanted = _derivable(file, f"{key}.{name}", name, of)
            if of == "situation":
                values.append((name, file.fact(table, name, key, wanted)))
                continue
            text = file.text(table, name, key)
            values.append((name, file.expression(text, f"{key}.{name}", wanted, per_subject=of == "chosen")))
    if not values:
        raise RuleError(file.path, key, "derives nothing")
    return Derive(of, tuple(values))


def _derivable(file: RuleFile, key: str, name: str, of: str) -> Type | None:
    """The type that a derived value must have, if its name is known already."""
    file.check_name(key, name)
    known = file.vocabulary.words.get(name)
    if of == "situation":
        if name in file.vocabulary.terms or (known is not None and not known.is_derived):
            raise RuleError(file.path, key, "is already a fact; a derived fact has a name of its own")
        return known.type if known is not None else None
    if known is None or not known.is_carried:
        carried = [each.name for each in file.vocabulary.words.values() if each.is_carried]
        said = f"cannot be derived for a {file.vocabulary.subject}{suggest_allowed(name, carried)}"
        raise RuleError(file.path, key, said)
    return NUMBER


def _fail_with(file: RuleFile, table: dict[str, Any], key: str) -> FailWith:
    reason = file.text(table, "reason", key)
    if reason not in REASONS:
        near = suggest_word(reason, REASONS)
        raise RuleError(file.path, f"{key}.reason", f"{quote_value(reason)} is not a reason code that we know{near}")
    call = file.expression(file.text(table, "call", key), f"{key}.call", TEXT, per_subject=False)
    for word in find_literal_texts(call, file.vocabulary):
        known = (*MQI_CALLS, *COMMANDS)
        if word not in known:
            raise RuleError(file.path, f"{key}.call", f"{quote_value(word)} is no call{suggest_allowed(word, known)}")
    remedy = file.because(table, key, part="remedy") if "remedy" in table else None
    return FailWith(reason, call, file.because(table, key), remedy)


def _holds(file: RuleFile, table: dict[str, Any], key: str) -> Condition:
    condition = file.condition(table, "when", key, per_subject=False)
    report = file.condition(table, "report", key, per_subject=False) if "report" in table else None
    because = file.because(table, key) if "because" in table else None
    return Condition(condition, because, tuple(_remedies(file, table, key)), report)


def _remedies(file: RuleFile, table: dict[str, Any], key: str) -> Iterator[Remedy]:
    given, within = table.get("remedy", []), f"{key}.remedy"
    if isinstance(given, str):
        yield Remedy(mqsc=file.because(table, key, part="remedy"))
        return
    for each in given if isinstance(given, list) else [given]:
        if not isinstance(each, dict) or not each.keys() & {*REMEDY_TEXTS}:
            raise RuleError(file.path, within, f"is MQSC, or tables of {', '.join(REMEDY_KEYS)}")
        for name in each:
            if name not in REMEDY_KEYS:
                raise RuleError(file.path, f"{within}.{name}", f"is not known{suggest_allowed(name, REMEDY_KEYS)}")
        if "mqsc" in each and "shell" in each:
            raise RuleError(file.path, f"{within}.shell", "stands beside mqsc; a remedy has one command")
        when = file.condition(each, "when", within, per_subject=False) if "when" in each else None
        yield Remedy(when, **{name: file.because(each, within, part=name) for name in REMEDY_TEXTS if name in each})


def _conclude(file: RuleFile, table: dict[str, Any], key: str) -> Conclude:
    fact = file.text(table, "fact", key)
    _derivable(file, f"{key}.fact", fact, "situation")
    conditions = [rule for rule in file.earlier if isinstance(rule.action, Condition)]
    known = {rule.clause for rule in conditions}
    needs, excused = (list(_clauses(file, table, f"{key}.{part}", known)) for part in ("needs", "excused"))
    rules = [rule.id for rule in conditions if rule.clause in needs and rule.clause not in excused]
    if not rules:
        raise RuleError(file.path, f"{key}.needs", "names no condition that stands before this rule")
    return Conclude(fact, tuple(rules))


def _clauses(file: RuleFile, table: dict[str, Any], key: str, known: Collection[str]) -> Iterator[str]:
    """The clause numbers of a list like ["2", "4-10"]; one alone has to be among the ``known`` ones."""
    listed = table.get(key.rpartition(".")[2], [])
    for item in listed if isinstance(listed, list) else [listed]:
        found = re.fullmatch(r"([0-9]+)-([0-9]+)|([0-9]+(?:\.[0-9]+)?)", item) if isinstance(item, str) else None
        if found is None:
            raise RuleError(file.path, key, f"{quote_value(item)} is not a clause or a range of clauses, like '4-10'")
        if found[3] and found[3] not in known:
            raise RuleError(file.path, key, f"{quote_value(item)} is not a clause with a condition before this rule")
        yield from [found[3]] if found[3] else map(str, range(int(found[1]), int(found[2]) + 1))


ACTIONS: dict[str, tuple[Builder, tuple[str, ...]]] = {
    "eliminate": (_filter(Eliminate), ("where", "because")),
    "set_aside": (_filter(SetAside), ("where", "because")),
    "take_back": (lambda file, table, key: TakeBack(file.condition(table, "where", key)), ("where",)),
    "keep": (_keep, ("highest", "lowest", "among", "per", "at_most", "counts", "ties", "because")),
    "choose": (_choose, ("where", "lowest", "ties", "because")),
    "order_by": (_order_by, ("by",)),
    "derive": (_derive, ()),
    "settle": (_settle, ()),
    "fail_with": (_fail_with, ("reason", "call", "because", "remedy")),
    "holds": (_holds, ("when", "because", "remedy", "report")),
    "conclude": (_conclude, ("fact", "needs", "excused")),
}
"""The closed set of actions: how each is read, and the keys that it takes (any, where that is empty)."""


def build_rule(file: RuleFile) -> Rule | None:
    """Build the rule of a file, None where it is left out of the edition in force. Raises RuleError."""
    try:
        if _leave_out(file):
            return None
        action = _build_action(file)
        return Rule(f"{file.ruleset}.{file.number}", file.clause, _title(file), file.path, _when(file), action,
                    _remark(file), tuple(_notices(file)), **_build_finding_fields(file))  # fmt: skip
    except RuleError:
        first, *others = (RuleError(file.path, _stated_at(file, each.key), each.message) for each in _faults(file))
        raise RuleError(first.path, first.key, first.message, others) from None


def _build_finding_fields(file: RuleFile) -> dict[str, Any]:
    """Build the fields of a rule that makes findings where its condition does not hold; none of them if it makes none.

    Raises RuleError.
    """
    if "severity" not in file.table:
        if stated := [key for key in FINDING_KEYS if key in file.table and key != "follows"]:
            raise RuleError(file.path, stated[0], "is said of a finding; severity is missing")
        return {}
    if not isinstance(holds := file.table.get("holds"), dict):
        raise RuleError(file.path, "severity", "is said of a condition, and the rule has none: no [holds]")
    file.text(holds, "because", "holds")
    texts = {"attribute": file.because(file.table, "", part="attribute").text, "why": file.text(file.table, "why", "")}
    follows = file.text(file.table, "follows" if "follows" in file.table else "clause", "")
    file.check_clause("follows", follows)
    shown = file.table.get("example")
    if not isinstance(shown, dict) or set(shown) != set(_SHOWN):
        raise RuleError(file.path, "example", f"is a table with the keys {' and '.join(_SHOWN)}")
    example = Example(*(file.text(shown, key, "example") for key in _SHOWN))
    severity = _among(file, "severity", file.table["severity"], SEVERITIES)
    graver = tuple(_graver(file, SEVERITIES[: SEVERITIES.index(severity)]))
    together = _among(file, "together", file.table["together"], MERGE_KEYS) if "together" in file.table else ""
    found = {"severity": severity, "graver": graver, "follows": follows, "example": example, "together": together}
    return {**texts, **found, "misplaced": dict(_misplaced(file))}


def _build_action(file: RuleFile) -> Action:
    """Build the one action of a rule. Raises RuleError."""
    keys = [key for key in file.table if key not in COMMON_KEYS]
    for key in keys:
        if key not in ACTIONS:
            raise RuleError(file.path, key, f"is not a key of a rule{suggest_allowed(key, [*COMMON_KEYS, *ACTIONS])}")
    if len(keys) != 1:
        raise RuleError(file.path, "", f"a rule has one action, here {len(keys)}; allowed: {', '.join(ACTIONS)}")
    build, allowed_keys = ACTIONS[keys[0]]
    table = file.table[keys[0]]
    if not isinstance(table, dict):
        raise RuleError(file.path, keys[0], f"is a table, like [{keys[0]}]")
    for key in table:
        if allowed_keys and key not in allowed_keys:
            raise RuleError(file.path, f"{keys[0]}.{key}", f"is not known{suggest_allowed(key, allowed_keys)}")
    return build(file, table, keys[0])


def _faults(file: RuleFile) -> list[RuleError]:
    """All that is wrong with a file, each key once: what can be told without what is wrong elsewhere in it."""
    found = list[RuleError]()
    noting = evolve(file, noted=found)
    parts = (_leave_out, attrgetter("number"), attrgetter("clause"), _title, _when, _build_action, _remark,
             lambda each: [*_notices(each)], _build_finding_fields)  # fmt: skip
    for part in parts:
        try:
            part(noting)
        except RuleError as error:
            found.append(error)
    return [*{error.key: error for error in reversed(found)}.values()][::-1]


def _stated_at(file: RuleFile, key: str) -> str:
    """A key with the table of an edition or a reading that it is from."""
    origin = file.origins.get(key.partition(".")[0].partition(" ")[0])
    return f"{origin}.{key}" if origin else key


def _leave_out(file: RuleFile) -> bool:
    stated = file.table.get("leave_out", False)
    if not isinstance(stated, bool):
        raise RuleError(file.path, "leave_out", f"{quote_value(stated)} is not true or false")
    return stated


def _title(file: RuleFile) -> str:
    return file.text(file.table, "title", "")


def _when(file: RuleFile) -> Expression | None:
    return file.condition(file.table, "when", "", per_subject=False) if "when" in file.table else None


def _remark(file: RuleFile) -> str:
    return file.because(file.table, "", part="remark").text if "remark" in file.table else ""


def _notices(file: RuleFile) -> Iterator[Notice]:
    """What a rule counts as a change: a list of tables, each with ``where`` and ``attributes``."""
    listed = file.table.get("notices", [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise RuleError(file.path, "notices", "is a list of tables, like [[notices]]")
    for place, table in enumerate(listed, 1):
        key = f"notices {place}"
        if unknown := [name for name in table if name not in ("where", "attributes")]:
            raise RuleError(file.path, f"{key}.{unknown[0]}", "is not known; allowed: where, attributes")
        names = file.texts(table.get("attributes"), f"{key}.attributes", "attributes")
        for name in names:
            file.check_attribute(f"{key}.attributes", name)
        yield Notice(file.condition(table, "where", key), tuple(names))


def _misplaced(file: RuleFile) -> Iterator[tuple[str, frozenset[str]]]:
    """Attributes, by type of object, that are read although MQSC does not have them there."""
    stated = file.table.get("misplaced", {})
    if not isinstance(stated, dict):
        raise RuleError(file.path, "misplaced", "is a table of lists of attributes, by type of object")
    for kind, names in stated.items():
        yield kind, frozenset(file.texts(names, f"misplaced.{kind}", "attributes of MQSC"))


def _graver(file: RuleFile, allowed: Sequence[str]) -> Iterator[tuple[str, Expression]]:
    """The severities above the rule's own, the gravest first, each with the condition under which it counts."""
    table = file.table.get("graver", {})
    if not isinstance(table, dict):
        raise RuleError(file.path, "graver", "is a table of severities, each with a condition")
    for name in table:
        _among(file, f"graver.{name}", name, allowed)
    for name in allowed:
        if name in table:
            yield name, file.condition(table, name, "graver", per_subject=False)


def _among(file: RuleFile, key: str, given: object, allowed: Sequence[str]) -> str:
    if given not in allowed:
        near = suggest_word(str(given), allowed)
        listed = ", ".join(allowed) or "nothing, for nothing is graver"
        raise RuleError(file.path, key, f"{quote_value(given)} is not allowed; allowed: {listed}{near}")
    return str(given)
