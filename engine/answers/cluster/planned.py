"""All that is told of a planned change: the rows of the map that differ, what restarts, what check finds, real puts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import asdict, field, frozen

from mqclause.answers.check.findings import FindingChanges
from mqclause.answers.cluster.cluster_map import MapRow
from mqclause.answers.cluster.difference import PLAN_FORMAT, PlanRow, Side
from mqclause.answers.cluster.traffic import Move, Traffic, moves
from mqclause.model.assembly.incomplete import Incomplete


@frozen(eq=False)
class Planned:
    """What a change does.

    ``rows`` differ, and so do ``alias_rows``, of puts that name an alias of a queue manager; ``restarts`` are the
    members whose sequence factors restart, by the clause ``restarts_by``;
    ``members`` are all that were asked.
    Of ``traffic`` so many puts are ``elsewhere``: of queues, or at queue managers, that the map does not have.
    ``exits`` are those that are named and not given, with the members that name them on either side.
    ``remarks`` is what is to be said of puts then and was not before, by what they name and member: why messages do
    not arrive, that they wait for a channel among it; ``held_up`` are the rows, which need not differ, with the parts
    that wait so.
    ``in_question`` are the sides of rows that rest on what is not known.
    ``to_nobody`` is what is to be said of CLUSSDR channels to members that are left out.
    """

    rows: Sequence[PlanRow]
    restarts: Sequence[str]
    members: Sequence[str]
    findings: FindingChanges
    traffic: Traffic | None = None
    elsewhere: int = 0
    exits: Mapping[Incomplete, Sequence[str]] = field(factory=dict)
    held_up: Sequence[PlanRow] = ()
    remarks: Sequence[tuple[Mapping[str, str], str, str]] = ()
    to_nobody: Sequence[str] = ()
    restarts_by: str = ""
    alias_rows: Sequence[PlanRow] = ()
    in_question: Sequence[tuple[Side, MapRow]] = ()

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The real puts that move, by queue manager."""
        return moves(self.rows)

    def to_json(self) -> dict[str, Any]:
        """The document ``mqclause.plan/1``."""
        document: dict[str, Any] = {
            "format": PLAN_FORMAT,
            "rows": [row.to_json() for row in self.rows],
            "findings": self.findings.document(),
            "restarts": list(self.restarts),
            "incomplete": [
                *({"from": name, **asdict(each)} for each, names in self.exits.items() for name in names),
                *(
                    {**row.named, "from": row.member, "side": side, **asdict(each)}
                    for side, row in self.in_question
                    for each in row.incomplete
                    if each not in row.exits
                ),
            ],
        }
        if self.alias_rows:
            document["queue_manager_aliases"] = [row.to_json() for row in self.alias_rows]
        if self.held_up:
            document["waiting"] = [
                {**row.before.named, "from": row.member, "shares": [each.to_json() for each in row.held_up]}
                for row in self.held_up
            ]
        if self.remarks or self.to_nobody:
            document["remarks"] = [
                *({**named, "from": member, "remark": said} for named, member, said in self.remarks),
                *({"queue": None, "from": None, "remark": said} for said in self.to_nobody),
            ]
        if self.traffic is not None:
            document["traffic"] = {
                "puts": self.traffic.total,
                "elsewhere": self.elsewhere,
                "moves": [each.to_json() for each in self.moves],
            }
        return document
