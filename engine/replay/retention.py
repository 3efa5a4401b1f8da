"""Compute how long repositories keep information and requests. Days are calendar days."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from attrs import evolve, frozen

from mqclause.model.timeline.administration import AdministrationSubject, Information, RepositoryContent, Request
from mqclause.replay.administration import AdministrationAnswer, AdministrationRules

ONE_DAY = timedelta(days=1)


@frozen
class InformationState:
    """Information as it is on a day."""

    information: Information
    settled: AdministrationAnswer

    def day(self, *facts: str) -> date:
        """Return the day so many days after it was sent as the facts say together."""
        return self.information.sent + timedelta(days=sum(self.settled.facts[fact] for fact in facts))

    def document(self) -> dict[str, Any]:
        """Return the state as in the JSON of ``mqclause retention``."""
        facts = self.settled.facts
        return {
            "name": self.information.name,
            "owner": self.information.owner,
            "state": facts["state"],
            "sent": str(self.information.sent),
            "resend_due": str(self.day("resend_after")),
            "expires": str(self.day("lifetime")),
            "removed": str(self.day("lifetime", "grace_period")),
            "answers_new_requests": facts["answers_new_requests"],
            "owner_in_cluster": facts["owner_in_cluster"],
            **self.settled.document(),
        }


@frozen
class RequestState:
    """A request as it is on a day; ``made`` is the day of the one in force."""

    request: Request
    made: date
    settled: AdministrationAnswer

    def day(self, fact: str) -> date:
        """Return the day so many days after it was made as the fact says."""
        days: int = self.settled.facts[fact]
        return self.made + timedelta(days=days)

    def document(self) -> dict[str, Any]:
        """Return the state as in the JSON of ``mqclause retention``."""
        return {
            "name": self.request.name,
            "by": self.request.by,
            "state": self.settled.facts["state"],
            "made": str(self.made),
            "check_due": str(self.day("check_after")),
            "expires": str(self.day("request_lifetime")),
            **self.settled.document(),
        }


@frozen
class Retention:
    """What is held on a day."""

    on: date
    information: tuple[InformationState, ...]
    requests: tuple[RequestState, ...]

    def document(self) -> dict[str, Any]:
        """Return the JSON of ``mqclause retention``."""
        return {
            "format": "mqclause.retention/1",
            "on": str(self.on),
            "information": [each.document() for each in self.information],
            "requests": [each.document() for each in self.requests],
        }


def build_retention(rules: AdministrationRules, held: RepositoryContent, on: date) -> Retention:
    """Build the state of everything that repositories hold on the day ``on``; only references may be of later days."""
    latest: dict[str, date] = {}
    for each in held.information:
        latest[each.owner] = max(each.sent, latest.get(each.owner, each.sent))
    information = tuple(
        InformationState(each, rules.ask(_of_information(each, on, latest[each.owner]))) for each in held.information
    )
    return Retention(on, information, tuple(_request_on(rules, each, on) for each in held.requests))


def _of_information(each: Information, on: date, latest: date) -> AdministrationSubject:
    age, owner_age = (on - each.sent).days, (on - latest).days
    return AdministrationSubject(asked="information", name=each.name, host=each.owner, age=age, owner_age=owner_age)


def _request_on(rules: AdministrationRules, request: Request, on: date) -> RequestState:
    """The request that is in force: each day on which something may happen to it is looked at, in order."""
    matter = AdministrationSubject(asked="request", name=request.name, host=request.by)
    made = day = request.made
    referenced = False
    while True:
        today = _referenced_on(request.referenced, day)
        referenced = referenced or today
        found = rules.ask(evolve(matter, age=(day - made).days, referenced=referenced, referenced_today=today))
        if found.facts["remade"]:
            made, referenced = day, today
        if day >= on:
            return RequestState(request, made, found)
        day = min((on, *_days_after(request.referenced, day, made, found)))


def _referenced_on(days: Sequence[date], day: date) -> bool:
    at = bisect_left(days, day)
    return at < len(days) and days[at] == day


def _days_after(days: Sequence[date], day: date, made: date, found: AdministrationAnswer) -> Iterator[date]:
    """The days after ``day`` on which something may happen next: that of a reference, and that of the check."""
    check = made + timedelta(days=found.facts["check_after"])
    at = bisect_left(days, day + ONE_DAY)
    yield from days[at : at + 1]
    if check > day:
        yield check
