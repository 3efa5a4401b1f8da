"""The same as the rules of retrieval and their state, as lists that are searched for everything, call by call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, field

from spec_tests.support.lying import (
    Browse,
    Call,
    Group,
    Lying,
    Stand,
    available,
    first_of,
    fits,
    group_after,
    lying,
    whole_of,
)

AT_CURSOR = {"MSG_UNDER_CURSOR", "BROWSE_MSG_UNDER_CURSOR"}
BROWSES = {"BROWSE_FIRST", "BROWSE_NEXT", "BROWSE_MSG_UNDER_CURSOR"}


@define
class Queueing:
    """One queue and the applications that use it."""

    messages: list[Lying] = field(factory=list)
    stands: dict[str, Stand] = field(factory=dict)
    kept: dict[str, dict[tuple[str, str], Group | None]] = field(factory=dict)
    handles: dict[str, int] = field(factory=dict)
    arrivals: int = 0

    def do(self, number: int, call: Call) -> dict[str, Any]:
        """What a call returns: got and statuses of a get, reason and warning."""
        unit = call.get("unit_of_work", "")
        if unit and call["do"] in ("put", "get"):
            self.kept.setdefault(unit, {})
        stand = self.stands.setdefault(call.get("by", ""), Stand())
        match call["do"]:
            case "put":
                return self.put(number, call, stand)
            case "get":
                return self.get(call, stand)
            case "commit" | "backout":
                self.end(unit, call["do"] == "commit")
            case "restart":
                for open_unit in list(self.kept):
                    self.end(open_unit, False)
                self.messages = [each for each in self.messages if each.persistent]
                self.stands.clear()
                self.handles.clear()
            case "open":
                self.handles[call.get("by", "")] = self.handles.get(call.get("by", ""), 0) + 1
            case "close":
                return self.close(call.get("by", ""), stand)
        return {}

    def close(self, by: str, stand: Stand) -> dict[str, Any]:
        self.handles[by] -= 1
        if self.handles[by]:
            return {}
        groups = [group for group in (stand.gets, stand.puts) if group is not None and group.logical]
        del self.stands[by]
        for kept in self.kept.values():
            for key in [key for key in kept if key[0] == by]:
                del kept[key]
        if not groups:
            return {}
        return {"reason": 2242 if any(group.amid for group in groups) else 2241, "warning": True}

    def end(self, unit: str, committed: bool) -> None:
        for (by, kind), group in ({} if committed else self.kept[unit]).items():
            setattr(self.stands.setdefault(by, Stand()), kind, group)
        del self.kept[unit]
        kept = []
        for each in self.messages:
            if each.got_by == unit and committed:
                continue
            if each.put_by == unit and not committed:
                continue
            each.got_by = "" if each.got_by == unit else each.got_by
            each.put_by = "" if each.put_by == unit else each.put_by
            kept.append(each)
        self.messages = kept

    def keep(self, call: Call, kind: str, group: Group | None) -> None:
        unit = call.get("unit_of_work", "")
        if unit:
            self.kept[unit].setdefault((call.get("by", ""), kind), evolve(group) if group else None)

    def put(self, number: int, call: Call, stand: Stand) -> dict[str, Any]:
        puts, logical, given = stand.puts, call.get("logical_order", False), dict(call)
        given.setdefault("id", f"#{number}")
        segment = call.get("segment", False) or call.get("last_segment", False)
        if logical:
            grouped = call.get("in_group") is not False and (
                bool(call.get("group")) or "last_in_group" in call or call.get("in_group") is True
            )
            fits = puts is not None and (call.get("group") or puts.item[1]) == puts.item[1]
            fits = fits and puts is not None and grouped == (puts.item[0] == "group")
            last = call.get("last_in_group", False)
            whole = puts is not None and segment and (puts.item[0] != "group" or last == puts.is_last)
            if puts is not None and puts.logical and puts.amid and not (fits and whole):
                return {"reason": 2242}
            if puts is not None and puts.logical and not fits:
                return {"reason": 2241}
            goes_on = fits and puts is not None and puts.next is not None and (whole or not puts.amid)
            if goes_on and puts is not None and puts.next is not None:
                given |= {"group": puts.item[1], "sequence": puts.next[0], "offset": puts.next[1]}
            elif grouped or segment:
                given |= {"group": call.get("group") or given["id"], "sequence": 1, "offset": 0}
            else:
                given |= {"group": ""}
            given["in_group"] = grouped
        self.arrivals += 1
        message = lying(self.arrivals, given)
        self.messages.append(message)
        self.keep(call, "puts", puts)
        stand.puts = group_after(message, logical)
        if puts is not None and puts.logical and not logical:
            return {"reason": 2242 if puts.amid else 2241, "warning": True}
        return {"reason": 2049, "warning": True} if call.get("priority", 0) > 9 else {}

    def seen(self, unit: str) -> list[Lying]:
        """The messages that a unit of work sees, in physical order."""
        found = [each for each in self.messages if not each.got_by and each.put_by in ("", unit)]
        return sorted(found, key=lambda each: each.at)

    def get(self, call: Call, stand: Stand) -> dict[str, Any]:
        options = set(call.get("options", ()))
        browses = bool(options & BROWSES)
        seen = self.seen("" if browses else call.get("unit_of_work", ""))
        found, reason = self.found(call, options, stand, seen)
        begins = "BROWSE_NEXT" in options and stand.browse is None and found and not reason
        if "BROWSE_FIRST" in options or begins:
            stand.logically = "LOGICAL_ORDER" in options
        if reason or not found:
            return {"got": [], "group_status": " ", "segment_status": " ", "reason": reason or 2033}
        first, last, answer = found[0], found[-1], self.statuses(found, options)
        logical = "LOGICAL_ORDER" in options
        if not browses:
            if stand.gets is not None and stand.gets.logical and not logical:
                answer |= {"reason": 2242 if stand.gets.amid else 2241, "warning": True}
            self.keep(call, "gets", stand.gets)
            stand.gets = group_after(last, logical)
            self.take(found, call.get("unit_of_work", ""))
        elif "BROWSE_MSG_UNDER_CURSOR" not in options:
            within = (
                logical and "BROWSE_NEXT" in options and stand.browse is not None and stand.browse.group is not None
            )
            anchor = stand.browse.anchor if within and stand.browse is not None else first.at
            stand.browse = Browse(first.at, anchor, logical, group_after(last, logical) if logical else None)
        return answer

    def statuses(self, found: Sequence[Lying], options: set[str]) -> dict[str, Any]:
        first = found[0]
        group = ("L" if found[-1].last_in_group else "G") if first.grouped else " "
        whole = "COMPLETE_MSG" in options
        segment = ("L" if whole or first.last_segment else "S") if first.segment else " "
        return {"got": [each.id for each in found], "group_status": group, "segment_status": segment}

    def take(self, found: Sequence[Lying], unit: str) -> None:
        for each in found:
            if unit and not each.put_by:
                each.got_by = unit
            else:
                self.messages.remove(each)

    def found(
        self, call: Call, options: set[str], stand: Stand, seen: list[Lying]
    ) -> tuple[Sequence[Lying], int | None]:
        """What a get may return, or a reason why it returns nothing."""
        browse, logical, whole = stand.browse, "LOGICAL_ORDER" in options, "COMPLETE_MSG" in options
        if "BROWSE_NEXT" in options and stand.logically not in (None, logical):
            return (), 2259
        if options & AT_CURSOR:
            under = [each for each in seen if browse is not None and each.at == browse.at]
            if not under:
                return (), 2034
            if whole and under[0].segment and under[0].offset:
                return (), 2246
            if whole and not available(seen, under[0], {"COMPLETE_MSG"}):
                return (), 2033
            return (whole_of(seen, under[0]) if whole else under), None
        group = None
        if logical and "BROWSE_FIRST" not in options:
            group = (browse.group if browse is not None else None) if options & BROWSES else stand.gets
        if group is not None:
            return self.within(call, options, group, seen)
        behind = None
        if "BROWSE_NEXT" in options and browse is not None:
            behind = browse.anchor if logical else browse.at
        for each in seen:
            if behind is not None and each.at <= behind:
                continue
            if logical and each is not first_of(seen, each):
                continue
            if fits(call, each) and available(seen, each, options):
                return (whole_of(seen, each) if whole else [each]), None
        return (), 2033

    def within(
        self, call: Call, options: set[str], group: Group, seen: list[Lying]
    ) -> tuple[Sequence[Lying], int | None]:
        found = next((each for each in seen if each.item == group.item and each.place == group.next), None)
        if found is None:
            return (), 2033
        if not fits(call, found):
            return (), 2247
        wanted = options - {"ALL_MSGS_AVAILABLE"} - ({"ALL_SEGMENTS_AVAILABLE"} if group.amid else set())
        if not available(seen, found, wanted):
            return (), 2033
        return (whole_of(seen, found) if "COMPLETE_MSG" in options else [found]), None
