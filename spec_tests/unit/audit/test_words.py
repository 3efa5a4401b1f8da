"""The words of a document: what each is, what it means, who derives it and who names it."""

from __future__ import annotations

from mqclause import Rules
from mqclause.audit.accounts import list_words
from mqclause.documents import DOCUMENTS

RULES = Rules()


def test_an_attribute_that_is_carried_is_derived_besides() -> None:
    """The sequence number comes with the channel; the rule that counts a choice derives it anew."""
    (found,) = (each for each in list_words(RULES, "workload") if each.name == "dest_seq_number")
    assert (found.origin, found.type) == ("attribute", "whole number, from 0")
    assert found.means.startswith("The sequence number of the channel")
    assert found.derived_by
    assert "workload.12c" in found.rules


def test_a_term_says_what_it_stands_for_and_where_it_differs() -> None:
    (found,) = (each for each in list_words(RULES, "workload") if each.name == "remote")
    assert (found.origin, found.stands_for) == ("term", "NOT is_local")
    assert found.readings == ("local-instance-competes=clusrcvr-channels",)
    assert {"workload.04a", "workload.11c"} <= set(found.rules)


def test_each_word_stands_there_once_and_says_something() -> None:
    for document in DOCUMENTS:
        words = list_words(RULES, document)
        assert len({each.name for each in words}) == len(words)
        assert [each.name for each in words if not (each.means or each.derived_by)] == []
