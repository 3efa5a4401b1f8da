"""Settings: defaults of options that the nearest file ``mqclause.toml`` states, a table for each command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click
from attrs import frozen
from click.core import ParameterSource

from mqclause.model.diagnostics import Diagnostic, FactsError, quote_value, suggest_allowed, suggest_word
from mqclause.model.readers.encodings import open_file
from mqclause.model.readers.facts_files import parse_toml
from mqclause.model.readers.formats import FactsDocument
from mqclause.rulebook.rule import ReadingError
from mqclause.rulebook.rules import LARGEST_FILE
from mqclause.tools.commands.declared import Subcommand
from mqclause.tools.output import print_warnings

SETTINGS = "mqclause.settings"
"""Under which name the context of a command keeps its settings."""


@frozen(eq=False)
class Settings:
    """The table of a command in a settings file."""

    document: FactsDocument
    command: str

    @property
    def table(self) -> Mapping[str, Any]:
        """What is stated, by the names of options."""
        table: Mapping[str, Any] = self.document.data.get(self.command, {})
        return table

    def build_fault(self, said: str, *keys: str) -> Diagnostic:
        """Build the fault of the table, or of a key of it, with its place."""
        where = ": ".join((self.command, *keys))
        return Diagnostic(self.document.source, f"{where}: {said}", *self.document.places.place_of(self.command, *keys))


def apply_settings(path: str, context: click.Context, command: Subcommand, known: Mapping[str, Subcommand]) -> None:
    """Have what the file states count for each option that is not given; several values come before those given.

    ``known`` are all commands. What takes effect is told in a remark. Raises FactsError with all that is wrong.
    """
    document = _read(path)
    settings = Settings(document, str(context.command.name))
    faults = list(_find_unknown(document, known))
    values = {}
    for key, option in command.list_settings().items() if not faults else ():
        if key in settings.table:
            try:
                values[key] = option, _parse(option, settings.table[key], context)
            except click.UsageError as error:
                faults.append(settings.build_fault(error.message, key))
    if faults:
        raise FactsError(faults)
    told = []
    for key, (option, value) in values.items():
        name = str(option.name)
        is_given = context.get_parameter_source(name) is not ParameterSource.DEFAULT
        before = context.params[name]
        if option.multiple:
            context.params[name] = (*value, *before)
        elif not is_given:
            context.params[name] = value
        if context.params[name] != before:
            told.append(f"{key} = {json.dumps(settings.table[key], ensure_ascii=False)}")
    context.meta[SETTINGS] = settings
    print_warnings((), [f"{path}: [{settings.command}] {', '.join(told)}"] if told else [])


def refuse_value(option: str, value: str, said: str) -> NoReturn:
    """Refuse a value of an option that has several: FactsError where the settings state it, else UsageError."""
    settings: Settings | None = click.get_current_context().meta.get(SETTINGS)
    stated = settings.table.get(option, ()) if settings else ()
    if settings and any(value in text for text in stated):
        raise FactsError([settings.build_fault(said, option)])
    raise click.UsageError(f"--{option}: {said}")


@contextmanager
def blame_settings(*options: str) -> Iterator[None]:
    """Have a fault of a reading or an edition that the settings state name their file and line."""
    try:
        yield
    except ReadingError as error:
        settings: Settings | None = click.get_current_context().meta.get(SETTINGS)
        for key in options if settings else ():
            stated = settings.table.get(key, []) if settings else []
            for each in [stated] if isinstance(stated, str) else stated:
                if settings and each.partition("=")[0] in str(error):
                    raise FactsError([settings.build_fault(str(error), key)]) from None
        raise


def _parse(option: click.Option, value: Any, context: click.Context) -> Any:
    """The value as the option takes it. Raises UsageError."""
    if option.is_flag:
        if not isinstance(value, bool):
            _refuse(value, "true, false")
        return value
    if option.multiple:
        if not isinstance(value, list):
            _refuse(value, "a list of texts")
        for each in value:
            if not isinstance(each, str):
                _refuse(each, "a text")
        return option.process_value(context, value)
    if isinstance(option.type, click.Choice):
        choices = [str(each) for each in option.type.choices]
        if str(value).casefold() not in (each.casefold() for each in choices):
            _refuse(value, f"{', '.join(choices)}{suggest_word(str(value), choices)}")
    elif isinstance(value, bool) or not isinstance(value, str | int | float):
        _refuse(value, "a text or a number")
    return option.process_value(context, str(value))


def _refuse(value: Any, allowed: str) -> NoReturn:
    raise click.UsageError(f"{quote_value(value)} is not allowed; allowed: {allowed}")


def _find_unknown(document: FactsDocument, known: Mapping[str, Subcommand]) -> Iterator[Diagnostic]:
    """The tables that are of no command, and their keys that are no options."""
    settable = [name for name, each in known.items() if each.list_settings()]
    for name, table in document.data.items():
        settings = Settings(document, name)
        if name not in known:
            said = f"unknown table {quote_value(name)}{suggest_allowed(name, settable)}"
            yield Diagnostic(document.source, said, *document.places.place_of(name))
        elif not isinstance(table, dict):
            yield settings.build_fault(f"{quote_value(table)} is given where a table is expected")
        else:
            allowed = list(known[name].list_settings())
            for key in table:
                if key not in allowed:
                    said = f"unknown key {quote_value(key)}{suggest_allowed(key, allowed)}"
                    place = document.places.place_of(name, key)
                    yield Diagnostic(document.source, f"{name}: {said}", *place)


def _read(path: str) -> FactsDocument:
    """The settings file. Raises FactsError."""
    try:
        with open_file(Path(path)) as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise FactsError([Diagnostic(path, f"holds more than {LARGEST_FILE:,} bytes; allowed: so many")])
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise FactsError([Diagnostic(path, f"is not UTF-8: byte {error.start + 1} is wrong")]) from None
    except OSError as error:
        raise FactsError([Diagnostic(path, (error.strerror or "cannot be read").lower())]) from None
    document = parse_toml(text if text.strip() else "[check]", path)  # as facts, an empty file is a fault
    if document.diagnostics:
        raise FactsError(document.diagnostics)
    return document
