"""What was read of each file, for a person and for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import asdict

from mqclause.model.assembly.accounts import Account, Needed
from mqclause.model.diagnostic import Diagnostic

ACCOUNTS_FORMAT = "mqclause.sources/1"


def accounts_document(
    accounts: Sequence[Account], needed: Sequence[Needed], faults: Sequence[Diagnostic]
) -> dict[str, Any]:
    """The accounts as JSON values, with what the files leave out; ``faults`` are those of the files together."""
    dangling = [{"file": each.source, **_fault(each)} for account in accounts for each in account.dangling]
    files = [_file(each) for each in accounts]
    together = {"faults": [{"file": each.source, **_fault(each)} for each in faults]} if faults else {}
    incomplete = [{**asdict(each.missing), "queue_managers": list(each.queue_managers)} for each in needed]
    return {
        "format": ACCOUNTS_FORMAT,
        "files": files,
        "dangling": dangling,
        "incomplete": None if faults else incomplete,
        **together,
    }


def _file(account: Account) -> dict[str, Any]:
    said = (*account.remarks, *account.notes)
    remarks = {"remarks": [_fault(each) for each in said]} if said else {}
    return {
        "file": account.file,
        "format": account.format or None,
        "queue_managers": list(account.queue_managers),
        "objects": dict(account.objects),
        "read": account.read,
        "faults": [_fault(each) for each in account.faults],
        **remarks,
    }


def _fault(fault: Diagnostic) -> dict[str, Any]:
    return {"line": fault.line, "column": fault.column, "message": fault.message}


def print_accounts(accounts: Sequence[Account], needed: Sequence[Needed], faults: Sequence[Diagnostic]) -> None:
    """Prints a line for each file, and below it what could not be read or may be missing; then what all leave out."""
    for each in accounts:
        of = f" of {', '.join(each.queue_managers)}" if each.queue_managers else ""
        counted = ", ".join(f"{count} {kind}" for kind, count in each.objects.items()) or "no object"
        print(f"{each.file}: {each.format or 'no format that is read'}{of}: {counted}; read {each.read}")  # noqa: T201
        for fault in (*each.faults, *each.remarks, *each.notes, *each.dangling):
            print(f"  {fault}")  # noqa: T201
    for one in needed:
        command = f": {one.missing.command}" if one.missing.command else ""
        print(f"not told of {', '.join(one.queue_managers)}: {one.missing.what}{command}")  # noqa: T201
    for fault in faults:
        print(f"what else is needed cannot be told: {fault}")  # noqa: T201
