"""Generate the reference pages that the product itself can write: its vocabulary, API, checks, readings and answers."""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import NOTHING, fields
from click.testing import CliRunner

import mqclause
import mqclause.model
import mqclause.tools
from mqclause import (
    Channel,
    DomainError,
    Message,
    ModelQueue,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.audit.accounts import describe_type, find_derived, list_facts, read_meanings
from mqclause.audit.lint import get_checks
from mqclause.check.findings import Checks, render_pages
from mqclause.documents import DOCUMENTS
from mqclause.language.parser import infer_type
from mqclause.language.vocabulary import About, Vocabulary, Word, build_words
from mqclause.model.facts.objects import ChannelStatus
from mqclause.model.timeline.administration import InFlightMessage, Information, Request
from mqclause.model.timeline.events import Event
from mqclause.rulebook.rule import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.tools.cli import command_line

HERE = Path(__file__).parent
RULES = Rules()
EXAMPLES = Path(str(files("mqclause.tools") / "examples"))

GENERATED = "This page is generated from the product.\n"
DESCRIBED: dict[About, str] = {"situation": "What the rules see", "subject": "What the rules choose from"}
PACKAGED_APART = (mqclause.model, mqclause.tools)
PACKAGES = TemporaryDirectory()


def on_startup(**_: Any) -> None:
    """Show mkdocstrings the packages by their import names; in an editable installation their folders have others."""
    tree = Path(PACKAGES.name) / "mqclause"
    tree.mkdir()
    folders = {entry.name: entry for entry in Path(mqclause.__path__[0]).iterdir()}
    folders |= {package.__name__.rpartition(".")[2]: Path(package.__path__[0]) for package in PACKAGED_APART}
    for name, folder in folders.items():
        (tree / name).symlink_to(folder)
    sys.path.insert(0, PACKAGES.name)


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to those that mkdocs has found in the folder."""
    from mkdocs.structure.files import File

    for name, text in build_pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def build_pages() -> dict[str, str]:
    """Return the text of each generated page of the reference, by its name."""
    return {
        "api": build_api_page(),
        "checks": build_checks_page(),
        "facts": build_facts_page(),
        "lint": build_lint_page(),
        "readings": build_readings_page(),
        "schemas": build_schemas_page(),
        "vocabulary": build_vocabulary_page(),
    }


def build_vocabulary_page() -> str:
    """Return the page of all words that conditions can use: attributes, derived facts and terms."""
    shown = {(declaration.name, about) for declaration, about, _ in list_facts()}
    parts = [
        "# Vocabulary\n", GENERATED,
        "A condition in a rule file can use the attributes, the derived facts and the terms of its document.",
        "An attribute has its value before any rule runs. A rule derives a fact; rules that stand after it can use it.",
        "A term is a named expression of `rules/terms.toml`.\n",
    ]  # fmt: skip
    meanings = read_meanings()
    for declaration in DOCUMENTS.values():
        parts.append(f"## {declaration.name}\n")
        ruleset = RULES.ruleset(declaration)
        for about, heading in DESCRIBED.items():
            kind = getattr(declaration, about)
            if kind is None:
                continue
            parts.append(f"### {heading} ({declaration.name})\n")
            if (declaration.name, about) in shown:
                parts += _list_attributes(build_words(kind, about), meanings[kind, about])
            else:
                parts.append("The same attributes as in [workload](#workload).\n")
        parts += _list_derived(declaration, ruleset.vocabulary)
        parts += _list_terms(declaration, ruleset.vocabulary)
    return "\n".join(parts)


def _list_attributes(words: Mapping[str, Word], meanings: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    before = ""
    for name, (source, means) in meanings.items():
        if source != before:
            yield f"\nFrom **{source}**:\n\n| attribute | type and values | meaning |\n|---|---|---|"
            before = source
        yield f"| `{name}` | {describe_type(words[name].type)} | {_in_cell(means)} |"
    yield ""


def _list_derived(declaration: Declaration, vocabulary: Vocabulary) -> Iterator[str]:
    derived = find_derived(RULES, declaration)
    if derived:
        yield f"### Derived facts ({declaration.name})\n\n| fact | type and values | derived by |\n|---|---|---|"
    for name, rules in derived.items():
        known = vocabulary.words.get(name)
        said = describe_type(declaration.asks.get(name, known.type)) if known else ""
        yield f"| `{name}` | {said} | {', '.join(rules)} |"
    yield ""


def _list_terms(declaration: Declaration, vocabulary: Vocabulary) -> Iterator[str]:
    terms = RULES.toml("terms.toml").get(declaration.name, {})
    if terms:
        yield f"### Terms ({declaration.name})\n\n| term | type and values | meaning | defined as |\n|---|---|---|---|"
    trees = {**vocabulary.terms, **vocabulary.asked}
    for name, table in terms.items():
        said = describe_type(infer_type(trees[name], vocabulary, True))
        others = [*table.get("edition", ()), *table.get("reading", ())]
        differs = f"; differs for {', '.join(others)}" if others else ""
        yield f"| `{name}` | {said} | {_in_cell(table['means'])} | `{_in_cell(table['is'])}`{differs} |"
    yield ""


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


TABLES = {
    "[queue_manager]": QueueManager, "[[remote_queue_manager]]": RemoteQueueManager, "[[queue]]": Queue,
    "[[queue_manager_alias]]": QueueManagerAlias, "[[channel]]": Channel, "[[process]]": Process,
    "[[model_queue]]": ModelQueue, "[[channel_status]]": ChannelStatus, "[put]": Put, "[[message]]": Message,
    "[[event]]": Event, "[[in_flight]]": InFlightMessage, "[[information]]": Information, "[[request]]": Request,
}  # fmt: skip
"""The tables of a facts file, each with the class of its rows."""


def build_facts_page() -> str:
    """Return the keys of each table of a facts file, with what is allowed and the default."""
    parts = [
        "# Facts and scenario files\n", GENERATED,
        "A facts file is TOML, or JSON with the same keys. Names are MQSC's in lower case; values are MQSC's words in",
        "any letter case. An attribute that is left out has MQ's default. A queue without `queue_manager` is local.",
        "An unknown key or a value outside its range is an error. The table `[unknown]` lists, by attribute, the names",
        "of objects whose attribute no source gives.\n",
        "The tables from `[[event]]` on are read by `mqclause replay` and `mqclause retention`.\n",
    ]  # fmt: skip
    for heading, kind in TABLES.items():
        parts += [f"## {heading}\n", f"{inspect.getdoc(kind)}\n", "| key | allowed | default |\n|---|---|---|"]
        for each in fields(kind):
            if domain := each.metadata.get("domain"):
                said = "required" if each.default is NOTHING else _describe_default(each.default)
                parts.append(f"| `{each.name}` | {_in_cell(describe_domain(domain))} | {said} |")
        parts.append("")
    return "\n".join(parts)


def describe_domain(domain: Any) -> str:
    """Return what a domain allows, in the words of its own fault."""
    try:
        domain(object(), "")
    except DomainError as error:
        return str(error).partition("allowed: ")[2].replace(", without control characters", "").rstrip(", ")
    raise ValueError(f"{domain!r} allows anything")


def _describe_default(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, str | bool | int | float):
        return f"`{json.dumps(value)}`" if value != "" else "blank"
    return "none" if not value else f"`{value}`"


def build_checks_page() -> str:
    """Return what ``mqclause check --about all`` prints."""
    return render_pages(Checks())


def build_lint_page() -> str:
    """Return what ``mqclause lint`` looks for in rule files, each check with an example."""
    head = "`mqclause lint FOLDER` looks for this in rule files. `lint.toml` of the folder lists what is meant so."
    return "\n".join(
        ["# Checks of rule files\n", GENERATED, f"{head}\n", *(each.render_markdown() for each in get_checks())]
    )


def build_readings_page() -> str:
    """Return the readings and the editions with their evidence."""
    parts = [
        "# Readings and editions\n", GENERATED,
        "[What they are](../explanation/editions.md) is explained elsewhere. The first choice is the default.\n",
        "## Readings\n",
    ]  # fmt: skip
    for name, table in RULES.toml("readings.toml").items():
        choices = ", ".join(f"`{each}`" for each in table["choices"])
        parts += [f"### {name}\n", f"{table['question']}\n", f"- choices: {choices}"]
        parts += [
            f"- choices from {edition} on: {', '.join(f'`{each}`' for each in changed['choices'])}"
            for edition, changed in table.get("edition", {}).items()
        ]
        parts += [f"- not for replays: `{each}`" for each in table.get("not_replayed", ())]
        parts += [f"- `{choice}`: so {by}" for choice, by in table.get("said_by", {}).items()]
        parts += [f"- clauses: {', '.join(table['clauses'])}\n", f"{table['why']}\n"]
    parts += [
        "## Editions\n",
        "The evidence says how the project knows what holds: *stated* (read on a page of that edition), *implied*"
        " (follows from what was read), *inferred* (nothing that was read contradicts it) or *recalled* (known, but"
        " not read).\n",
        "| edition | product | CMDLEVEL | evidence | source |\n|---|---|---|---|---|",
    ]
    for name, table in RULES.toml("editions.toml").items():
        cells = (f"`{name}`", *(str(table[key]) for key in ("title", "command_level", "evidence", "source")))
        parts.append(f"| {' | '.join(cells)} |")
    return "\n".join(parts)


ANSWERS = {
    "why": ("why", "ORDERS.IN", "QM2.mqsc"),
    "order": ("order", "figure_11.toml"),
    "map": ("map", "sales/*.mqsc"),
    "plan": ("plan", "--set", "QLOCAL(ORDERS.IN) QMGR(QM3) CLWLPRTY(5)", "sales/*.mqsc"),
    "findings": ("check", "QM2.mqsc"),
    "retention": ("retention", "--on", "2026-02-15", "held.toml"),
    "sources": ("facts", "--sources", "QM2.mqsc"),
}
"""The commands whose answers are documents with a format, each with an example of the project."""


def build_schemas_page() -> str:
    """Return the keys of each JSON document: of the trace by its schema, of the others by a real answer."""
    schema = json.loads((files("mqclause") / "trace.schema.json").read_text(encoding="utf-8"))
    parts = [
        "# JSON documents\n", GENERATED,
        "With `--json` a command prints a document whose key `format` names its version. A later version may add keys;"
        " it renames none.\n",
        "## mqclause.trace/1\n",
        "`mqclause explain --json` prints it. The package contains the JSON schema of each document, as"
        " `trace.schema.json`; `mqclause.read_schema('trace')` returns it.\n",
        "| key | required | type | meaning |\n|---|---|---|---|",
    ]  # fmt: skip
    for name, table in schema["properties"].items():
        required = "yes" if name in schema["required"] else ""
        parts.append(f"| `{name}` | {required} | {_schema_type(table)} | {_in_cell(table.get('description', ''))} |")
    for name, arguments in ANSWERS.items():
        *command, example = arguments
        parts += [
            f"\n## mqclause.{name}/1\n",
            f"`mqclause {arguments[0]} --json` prints it. For `tools/examples/{example}`:\n",
            f"```json\n{run_example(*command, example)}\n```",
        ]
    return "\n".join(parts)


def _schema_type(table: Mapping[str, Any]) -> str:
    if "oneOf" in table:
        return " or ".join(map(_schema_type, table["oneOf"]))
    if "const" in table or "enum" in table:
        return ", ".join(f"`{each}`" for each in table.get("enum", [table.get("const")]))
    if "$ref" in table:
        return str(table["$ref"]).rpartition("/")[2]
    kind = table.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def run_example(*arguments: str) -> str:
    """Return the first lines of the JSON that a command answers about one of the project's examples."""
    *command, example = arguments
    result = CliRunner().invoke(command_line, [*command, "--json", str(EXAMPLES / example)], catch_exceptions=False)
    text = result.stdout.replace(f"{EXAMPLES}/", "")
    document = json.loads(text.splitlines()[0] if text.startswith('{"') and "\n{" in text else text)
    lines = json.dumps(document, indent=1, ensure_ascii=False).splitlines()
    return "\n".join([*lines[:60], *(["…"] if len(lines) > 60 else [])])


PUBLIC = {
    "mqclause.duckdb": "Tables in DuckDB",
    "mqclause.spark": "DataFrames in Spark",
    "mqclause.exits": "Cluster workload exits",
    "mqclause.testing": "Assertions of a test suite for a cluster",
}


def build_api_page() -> str:
    """Return the page of every public name: each is a heading under which mkdocstrings puts its docstring."""
    parts = [
        "# Python API\n", GENERATED,
        "A name of `mqclause` is loaded when it is first used, and with it only what it needs.\n",
        "## mqclause\n",
    ]  # fmt: skip
    for name in mqclause.__all__:
        parts.append(_directive(f"mqclause.{mqclause.MODULES[name]}.{name}"))
    for module, heading in PUBLIC.items():
        parts.append(f"## {module}\n\n{heading}.\n")
        parts += [_directive(f"{module}.{name}") for name in _exported(module)]
    return "\n".join(parts)


def _directive(path: str) -> str:
    return f"::: {path}\n"


def _exported(module: str) -> list[str]:
    """Read ``__all__`` without an import, so that the page needs no Spark."""
    source = (files("mqclause") / module.partition(".")[2] / "__init__.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return list(ast.literal_eval(node.value))
    raise ValueError(f"{module} has no __all__")
