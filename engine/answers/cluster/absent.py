"""Absent: what is known of a queue manager that is no destination of a put, and the command that tells more."""

from __future__ import annotations

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.said import said
from mqclause.answers.cluster.commands import quoted_name
from mqclause.model.assembly.incomplete import Incomplete, still_asking
from mqclause.model.assembly.snapshot import Snapshot


def absent(decision: Decision, queue_manager: str, snapshot: Snapshot) -> Incomplete:
    """Why ``queue_manager`` is not among those that a put reaches, as far as the local queue manager knows.

    The command is one for the local queue manager, blank where the sources hold its output.
    """
    return next(still_asking([_absent(decision, queue_manager, snapshot)], snapshot.asked))


def _absent(decision: Decision, queue_manager: str, snapshot: Snapshot) -> Incomplete:
    cluster, name = decision.cluster, quoted_name(queue_manager)
    local, seen = cluster.queue_manager.name, decision.situation
    if queue_manager in snapshot.strangers:
        what = f"{queue_manager} is in no cluster that {local} is in"
        return Incomplete(what, queue_manager, f"DISPLAY CLUSQMGR({name}) CLUSTER")
    if not decision.runs:
        named = decision.put.queue or decision.put.queue_manager
        answer = said(decision) or "none"
        what = f"no cluster is asked where a put goes that names {named} at {local}; its names lead to {answer}"
        return Incomplete(what, named, f"DISPLAY QUEUE({quoted_name(named)}) TYPE CLUSTER")
    if seen.put_queue_manager:
        what = f"the put names {seen.put_queue_manager}, and no route to that ends at {queue_manager}"
        return Incomplete(what, seen.put_queue_manager, f"DISPLAY CLUSQMGR({name}) CHANNEL CLUSTER STATUS")
    queue = quoted_name(seen.put_queue)
    if queue_manager == local and seen.put_queue in cluster.own_queues:
        # Its own instance would be listed; what leads elsewhere is none.
        return Incomplete(decision.resolved.last.because, seen.put_queue, f"DISPLAY QUEUE({queue}) TYPE TARGET")
    instances = cluster.queues_by_name.get(seen.put_queue, ())
    clusters = dict.fromkeys(of for each in instances if each.queue_manager == queue_manager for of in each.clusters)
    if clusters:
        listed = ", ".join(clusters)
        what = f"{queue_manager} has {seen.put_queue} in {listed}, and no channel from {local} to it is known"
        return Incomplete(what, queue_manager, f"DISPLAY CLUSQMGR({name}) CHANNEL CLUSTER STATUS")
    if seen.put_queue in snapshot.beyond.hosted.get(queue_manager, ()):
        what = f"{queue_manager} has a queue {seen.put_queue}, but in no cluster that {local} is in"
        return Incomplete(what, seen.put_queue, f"DISPLAY QCLUSTER({queue}) CLUSQMGR CLUSTER")
    known = "" if queue_manager == local else f", as far as {local} knows"
    what = f"{queue_manager} hosts no instance of {seen.put_queue}{known}"
    return Incomplete(what, seen.put_queue, f"DISPLAY QCLUSTER({queue}) CLUSQMGR CLUSTER")
