"""The rule of a rule file, or all that is wrong with the file."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from mqclause.model.diagnostic import quoted, suggestion
from mqclause.rulebook.actions import action_of
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.finding import of_findings
from mqclause.rulebook.rule import Expression, Notice, Rule
from mqclause.rulebook.rule_file import RuleFile


def rule_of(file: RuleFile) -> Rule | None:
    """The rule of a file, None where it is left out of the edition in force. Raises RuleError."""
    try:
        if _leave_out(file):
            return None
        return Rule(f"{file.ruleset}.{file.number}", file.clause, _title(file), file.path, _when(file), action_of(file),
                    _remark(file), _notices(file), **of_findings(file))  # fmt: skip
    except RuleError:
        first, *others = (RuleError(file.path, _stated_at(file, each.key), each.message) for each in _faults(file))
        raise RuleError(first.path, first.key, first.message, others) from None


def _faults(file: RuleFile) -> list[RuleError]:
    """All that is wrong with a file, each key once: what can be told without what is wrong elsewhere in it."""
    found = list[RuleError]()
    noting = evolve(file, noted=found)
    for part in (_leave_out, _number, _clause, _title, _when, action_of, _remark, _notices, of_findings):
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
        raise RuleError(file.path, "leave_out", f"{quoted(stated)} is not true or false")
    return stated


def _number(file: RuleFile) -> str:
    return file.number


def _clause(file: RuleFile) -> str:
    return file.clause


def _title(file: RuleFile) -> str:
    return file.text(file.table, "title", "")


def _when(file: RuleFile) -> Expression | None:
    return file.condition(file.table, "when", "", per_subject=False) if "when" in file.table else None


def _remark(file: RuleFile) -> str:
    return file.because(file.table, "", part="remark").text if "remark" in file.table else ""


def _notices(file: RuleFile) -> tuple[Notice, ...]:
    return tuple(_each_notice(file))


def _each_notice(file: RuleFile) -> Iterator[Notice]:
    """What a rule counts as a change: a list of tables, each with ``where`` and ``attributes``."""
    listed = file.table.get("notices", [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise RuleError(file.path, "notices", "is a list of tables, like [[notices]]")
    for place, table in enumerate(listed, 1):
        key = f"notices {place}"
        if unknown := [name for name in table if name not in ("where", "attributes")]:
            raise RuleError(file.path, f"{key}.{unknown[0]}", "is not known; allowed: where, attributes")
        names = table.get("attributes")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise RuleError(file.path, f"{key}.attributes", "is a list of attributes")
        for name in names:
            word = file.vocabulary.words.get(name)
            if word is None or word.about != "subject":
                near = suggestion(name, [each.name for each in file.vocabulary.words.values()])
                what = f"{quoted(name)} is not an attribute of a {file.vocabulary.subject}{near}"
                raise RuleError(file.path, f"{key}.attributes", what)
        yield Notice(file.condition(table, "where", key), tuple(names))
