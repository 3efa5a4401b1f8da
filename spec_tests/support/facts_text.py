"""What a facts document that a test writes is read as."""

from __future__ import annotations

from mqclause.model.readers.facts_files import Facts, parse_json, parse_toml, read_facts


def parse_facts(text: str, source: str, written_in: str, local: str | None = None) -> Facts:
    """The facts in ``text``, which is TOML or JSON; the faults of the text come before those of its tables."""
    document = (parse_toml if written_in == "toml" else parse_json)(text, source)
    if document.data is None and document.diagnostics:
        return Facts(source, diagnostics=document.diagnostics)
    facts = read_facts(document.data, source, local)
    if document.diagnostics:
        return Facts(source, diagnostics=document.diagnostics + facts.diagnostics)
    return facts
