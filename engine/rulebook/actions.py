"""The actions of rules: how each is read from its table in a rule file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from mqclause.language.check import type_of
from mqclause.language.parse import words_given
from mqclause.language.vocabulary import BOOLEAN, NUMBER, TEXT, WHOLE, Type
from mqclause.model.diagnostic import instead, quoted, suggestion
from mqclause.model.facts.constants import COMMANDS, MQI_CALLS, REASONS
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.finding import FINDING_KEYS
from mqclause.rulebook.rule import (
    Action,
    Choose,
    Conclude,
    Derive,
    Eliminate,
    FailWith,
    Holds,
    Keep,
    OrderBy,
    Remedy,
    SetAside,
    Settle,
    TakeBack,
    Ties,
)
from mqclause.rulebook.rule_file import RuleFile

TAKEN: tuple[Ties, ...] = ("first-listed", "last-listed")
"""Who of several can be taken by a choice."""

COMMON_KEYS = ("clause", "title", "when", "before", "after", "leave_out", "remark", "notices", *FINDING_KEYS,
               "edition", "reading")  # fmt: skip
"""The keys of a rule file besides its action."""


def action_of(file: RuleFile) -> Action:
    """The one action of a rule. Raises RuleError."""
    keys = [key for key in file.table if key not in COMMON_KEYS]
    for key in keys:
        if key not in ACTIONS:
            raise RuleError(file.path, key, f"is not a key of a rule{instead(key, [*COMMON_KEYS, *ACTIONS])}")
    if len(keys) != 1:
        raise RuleError(file.path, "", f"a rule has one action, here {len(keys)}; allowed: {', '.join(ACTIONS)}")
    build, allowed_keys = ACTIONS[keys[0]]
    table = file.table[keys[0]]
    if not isinstance(table, dict):
        raise RuleError(file.path, keys[0], f"is a table, like [{keys[0]}]")
    for key in table:
        if allowed_keys and key not in allowed_keys:
            raise RuleError(file.path, f"{keys[0]}.{key}", f"is not known{instead(key, allowed_keys)}")
    return build(file, table, keys[0])


def _eliminate(file: RuleFile, table: dict[str, Any], key: str) -> Eliminate:
    return Eliminate(file.condition(table, "where", key), file.because(table, key))


def _set_aside(file: RuleFile, table: dict[str, Any], key: str) -> SetAside:
    return SetAside(file.condition(table, "where", key), file.because(table, key))


def _take_back(file: RuleFile, table: dict[str, Any], key: str) -> TakeBack:
    return TakeBack(file.condition(table, "where", key))


def _keep(file: RuleFile, table: dict[str, Any], key: str) -> Keep:
    stated = [best for best in ("highest", "lowest") if best in table]
    if len(stated) != 1:
        raise RuleError(file.path, key, "states highest or lowest, one of them")
    best = stated[0]
    by = file.expression(file.text(table, best, key), f"{key}.{best}", None, per_subject=True)
    kind = type_of(by, file.vocabulary, per_subject=True)
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
    raise RuleError(file.path, f"{key}.ties", f"{quoted(stated)} is not allowed; allowed: {', '.join(allowed)}")


def _counted(file: RuleFile, table: dict[str, Any], key: str) -> tuple[str, ...]:
    """The attributes that a limit counts by."""
    names = table.get("counts", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RuleError(file.path, f"{key}.counts", "is a list of attributes")
    if names and "at_most" not in table:
        raise RuleError(file.path, f"{key}.counts", "says what at_most counts, and there is no at_most")
    return tuple(_attribute(file, {"counts": name}, "counts", key) for name in names)


def _attribute(file: RuleFile, table: dict[str, Any], name: str, key: str) -> str:
    """The name of a text of a subject, not an expression."""
    text = file.text(table, name, key)
    file.expression(text, f"{key}.{name}", TEXT, per_subject=True)
    word = file.vocabulary.words.get(text)
    if word is None or word.about != "subject":
        raise RuleError(
            file.path, f"{key}.{name}", f"{quoted(text)} is not an attribute of a {file.vocabulary.subject}"
        )
    return text


def _choose(file: RuleFile, table: dict[str, Any], key: str) -> Choose:
    if ("where" in table) == ("lowest" in table):
        raise RuleError(file.path, key, "states where or lowest, one of them")
    ties = _ties(file, table, key, *TAKEN)
    if "where" in table:
        return Choose(file.condition(table, "where", key), (), file.because(table, key), ties)
    order = table["lowest"]
    if not isinstance(order, list) or not order or not all(isinstance(item, str) for item in order):
        raise RuleError(file.path, f"{key}.lowest", "is a list of expressions, the first deciding first")
    by = tuple(file.expression(item, f"{key}.lowest", NUMBER, per_subject=True) for item in order)
    return Choose(None, by, file.because(table, key, "lowest"), ties)


def _order_by(file: RuleFile, table: dict[str, Any], key: str) -> OrderBy:
    order = table.get("by")
    if not isinstance(order, list) or not order or not all(isinstance(item, str) for item in order):
        said = "is a list of expressions, with DESC or without, the first deciding first"
        raise RuleError(file.path, f"{key}.by", said)
    return OrderBy(tuple(file.order(item, f"{key}.by") for item in order))


def _settle(file: RuleFile, table: dict[str, Any], key: str) -> Settle:
    values = []
    for name in table:
        if name != "because":
            if file.about.asks and name not in file.about.asks:
                near = instead(name, ["because", *file.about.asks])
                raise RuleError(file.path, f"{key}.{name}", f"is not known: no answer is made of it{near}")
            wanted = _derivable(file, f"{key}.{name}", name, "situation")
            values.append((name, file.fact(table, name, key, wanted)))
    if not values:
        raise RuleError(file.path, key, "settles nothing")
    return Settle(tuple(values), file.because(table, key))


def _derive(file: RuleFile, table: dict[str, Any], key: str) -> Derive:
    of = table.get("of", "situation")
    if of not in ("situation", "chosen", "every"):
        raise RuleError(file.path, f"{key}.of", f"{quoted(of)} is not allowed; allowed: situation, chosen, every")
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
        said = f"cannot be derived for a {file.vocabulary.subject}{instead(name, carried)}"
        raise RuleError(file.path, key, said)
    return NUMBER


def _fail_with(file: RuleFile, table: dict[str, Any], key: str) -> FailWith:
    reason = file.text(table, "reason", key)
    if reason not in REASONS:
        near = suggestion(reason, REASONS)
        raise RuleError(file.path, f"{key}.reason", f"{quoted(reason)} is not a reason code that we know{near}")
    call = file.expression(file.text(table, "call", key), f"{key}.call", TEXT, per_subject=False)
    for word in words_given(call, file.vocabulary):
        known = (*MQI_CALLS, *COMMANDS)
        if word not in known:
            raise RuleError(file.path, f"{key}.call", f"{quoted(word)} is no call{instead(word, known)}")
    remedy = file.because(table, key, part="remedy") if "remedy" in table else None
    return FailWith(reason, call, file.because(table, key), remedy)


def _holds(file: RuleFile, table: dict[str, Any], key: str) -> Holds:
    condition = file.condition(table, "when", key, per_subject=False)
    told = file.condition(table, "told", key, per_subject=False) if "told" in table else None
    because = file.because(table, key) if "because" in table else None
    return Holds(condition, because, tuple(_remedies(file, table, key)), told)


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
                raise RuleError(file.path, f"{within}.{name}", f"is not known{instead(name, REMEDY_KEYS)}")
        if "mqsc" in each and "shell" in each:
            raise RuleError(file.path, f"{within}.shell", "stands beside mqsc; a remedy has one command")
        when = file.condition(each, "when", within, per_subject=False) if "when" in each else None
        yield Remedy(when, **{name: file.because(each, within, part=name) for name in REMEDY_TEXTS if name in each})


REMEDY_TEXTS = ("mqsc", "shell", "advice")
"""What a remedy can say: commands of MQSC, a command for a shell, words for a person."""

REMEDY_KEYS = ("when", *REMEDY_TEXTS)


def _conclude(file: RuleFile, table: dict[str, Any], key: str) -> Conclude:
    fact = file.text(table, "fact", key)
    _derivable(file, f"{key}.fact", fact, "situation")
    conditions = [rule for rule in file.earlier if isinstance(rule.action, Holds)]
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
            raise RuleError(file.path, key, f"{quoted(item)} is not a clause or a range of clauses, like '4-10'")
        if found[3] and found[3] not in known:
            raise RuleError(file.path, key, f"{quoted(item)} is not a clause with a condition before this rule")
        yield from [found[3]] if found[3] else map(str, range(int(found[1]), int(found[2]) + 1))


Builder = Callable[[RuleFile, dict[str, Any], str], Action]
ACTIONS: dict[str, tuple[Builder, tuple[str, ...]]] = {
    "eliminate": (_eliminate, ("where", "because")),
    "set_aside": (_set_aside, ("where", "because")),
    "take_back": (_take_back, ("where",)),
    "keep": (_keep, ("highest", "lowest", "among", "per", "at_most", "counts", "ties", "because")),
    "choose": (_choose, ("where", "lowest", "ties", "because")),
    "order_by": (_order_by, ("by",)),
    "derive": (_derive, ()),
    "settle": (_settle, ()),
    "fail_with": (_fail_with, ("reason", "call", "because", "remedy")),
    "holds": (_holds, ("when", "because", "remedy", "told")),
    "conclude": (_conclude, ("fact", "needs", "excused")),
}
"""The closed set of actions: how each is read, and the keys that it takes (any, where that is empty)."""
