"""The steps for a queue put to remote destinations as expressions of ZEN, in order; each sees those before by ``$``."""


def highest(kept: str, before: str, name: str, better: str = "max") -> list[tuple[str, str]]:
    """Keep those with the highest (or lowest) value of an attribute."""
    best = f"best_{kept}"
    return [
        (best, f"len($.{before}) > 0 ? {better}(map($.{before}, #.{name})) : 0"),
        (kept, f"filter($.{before}, #.{name} == $.{best})"),
    ]


def among(kept: str, before: str, condition: str, preferred: str) -> list[tuple[str, str]]:
    """Keep the preferred ones, if the condition holds and one is preferred."""
    return [(kept, f"{condition} and some($.{before}, {preferred}) ? filter($.{before}, {preferred}) : $.{before}")]


UP = "#.channel_status in ['INACTIVE', 'RUNNING']"
MOVING = "#.channel_status in ['BINDING', 'INITIALIZING', 'STARTING', 'STOPPING']"
RETRYING = "#.channel_status == 'RETRYING'"
COMPETITOR = "y.queue_manager == x.queue_manager and y.network_priority > x.network_priority"
USED_LATER = "y.dest_seq_number > x.dest_seq_number or (y.dest_seq_number == x.dest_seq_number and y.id < x.id)"

STEPS: list[tuple[str, str]] = [
    ("reach", "filter(all, #.shares_cluster and #.channel_in_queue_cluster)"),
    ("s1", "filter($.reach, #.put_enabled)"),
    ("s3", "(came or use == 'LOCAL') and some($.s1, #.is_local) ? filter($.s1, #.is_local) : $.s1"),
    ("s4", "pcf ? filter($.s3, not (#.queue_manager in sent)) : $.s3"),
    *highest("s4a", "s4", "channel_rank"),
    *highest("s4b", "s4a", "queue_rank"),
    *among("s5", "s4b", "not some($.s4b, #.is_local)", "not #.suspended"),
    ("s6", f"some($.s5, {UP}) ? filter($.s5, {UP}) : some($.s5, {MOVING}) ? filter($.s5, {MOVING})"
           f" : some($.s5, {RETRYING}) ? filter($.s5, {RETRYING}) : $.s5"),
    *among("s10", "s6", "pcf", "#.channel_manual"),
    ("s11", f"len($.s10) > 1 ? filter($.s10 as x, not some($.s10 as y, {COMPETITOR})) : $.s10"),
    *highest("s11b", "s11", "queue_priority"),
    ("s11c", f"len($.s11b) > mruc ? filter($.s11b as x, count($.s11b as y, {USED_LATER}) < mruc) : $.s11b"),
    *highest("factors", "s11c", "dest_seq_factor", "min"),
    *highest("left", "factors", "dest_seq_number", "min"),
    ("permitted", "len($.left)"),
    ("chosen", "$.permitted > 0 ? $.left[0].id : -1"),
    ("reason", "$.permitted > 0 ? 0 : len($.reach) > 0 and not some($.reach, #.put_enabled) ? 2268 : 2085"),
    ("factor", "$.permitted > 0 ? $.left[0].dest_seq_factor + 1000 / $.left[0].channel_weight : 0"),
    ("number", "$.permitted > 0 ? last + 1 : 0"),
]  # fmt: skip
