"""Rules of one's own that say a name, or lead names on that nobody knows; and a cluster of two ways to QM2."""

from __future__ import annotations

from mqclause import Channel, Cluster, Queue, QueueManager, RemoteQueueManager, Rules

SAYS_A_NAME = """
clause = "workload/4"
title = "Nothing for the payroll goes by the second channel"
when = "put_queue = 'PAY'"
[eliminate]
where = "channel = 'C2'"
because = "by {channel} goes no payroll"
"""
BY_ITS_NAME = """
clause = "resolution/5"
title = "A queue manager that nothing is known of: by a transmission queue of its name"
when = "elsewhere AND NOT queue_manager_known"
[settle]
ends = "'transmission queue'"
transmission_queue = "queue_manager"
because = "{queue_manager} is not known"
"""
AS_THE_LOCAL_ONE = """
clause = "resolution/5"
title = "A queue manager that nothing is known of stands for none"
when = "elsewhere AND NOT queue_manager_known"
[settle]
ends = "'again'"
object = "queue_manager"
object_kind = "'QMALIAS'"
leads_to = "queue"
next_queue = "queue"
next_queue_manager = "''"
because = "{queue_manager} is not known"
"""
TWO_WAYS = Cluster(
    QueueManager("QM1", clusters=("SALES",)),
    [RemoteQueueManager("QM2", ("SALES",))],
    [Queue("OWN", "QM1"), Queue("THEIRS", "QM2", clusters=("SALES",))],
    [],
    [Channel("C2", "QM2", "SALES"), Channel("C3", "QM2", "SALES")],
)


def rules_that_say_a_name() -> Rules:
    """Two rules tell PAY from any other queue: by which channel it goes, and at a queue manager that nobody knows."""
    nobody = AS_THE_LOCAL_ONE.replace("queue_manager_known", "queue_manager_known AND queue = 'PAY'")
    nobody = nobody.replace("\"''\"", "\"'QM2'\"")
    return Rules().with_files({"workload/04z_payroll.toml": SAYS_A_NAME, "resolution/04b_payroll.toml": nobody})
