"""``mqclause explain --lines`` beside a JSON round trip of the same documents: facts read, traces read and written.

    python tools/bench/lines.py [LINES]

Processor time, the best of five rounds in turns. Each document has six queue managers with an instance of the queue,
of which priorities, ranks, weights and states of channels are drawn.
"""

from __future__ import annotations

import gc
import io
import json
import sys
import time
from random import Random
from typing import Any

from mqclause import Engine, Rules
from mqclause.tools.commands.explain import PutOptions, explain_lines
from mqclause.tools.commands.options import Inputs

STATES = ("RUNNING", "RUNNING", "INACTIVE", "RETRYING")
HOSTS = [f"QM{number}" for number in range(2, 8)]


def document(rng: Random) -> dict[str, Any]:
    """Return the facts of one put."""
    return {
        "queue_manager": {"name": "QM1", "clusters": ["SALES"]},
        "remote_queue_manager": [{"name": host, "clusters": ["SALES"]} for host in HOSTS],
        "queue": [
            {"name": "ORDERS.IN", "queue_manager": host, "clusters": ["SALES"], "clwlprty": rng.randint(0, 9)}
            for host in HOSTS
        ],
        "channel": [
            {
                "name": f"TO.{host}", "queue_manager": host, "cluster": "SALES", "status": rng.choice(STATES),
                "clwlrank": rng.choice((0, 0, 0, 1)), "clwlprty": rng.randint(0, 9), "clwlwght": rng.randint(1, 99),
            }
            for host in HOSTS
        ],
        "put": {"queue": "ORDERS.IN", "bind": "NOTFIXED"},
    }  # fmt: skip


def explained(lines: list[bytes], rules: Rules) -> tuple[float, list[bytes]]:
    """Measure the processor time of one run, and return the traces."""
    out, begun = io.BytesIO(), time.process_time()
    status = explain_lines(lines, out, Engine(rules), (Inputs(), PutOptions()))
    took = time.process_time() - begun
    if status:
        raise SystemExit("a line is bad")
    return took, out.getvalue().splitlines()


def round_trip(lines: list[bytes], traces: list[bytes]) -> float:
    """Measure the processor time of json.loads of the facts, and of json.loads and json.dumps of the traces."""
    begun = time.process_time()
    for line in lines:
        json.loads(line)
    for trace in traces:
        json.dumps(json.loads(trace))
    return time.process_time() - begun


def main() -> None:
    """Print both, and how many times as long the first one takes."""
    count, rng, rules = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, Random(7), Rules()
    lines = [f"{json.dumps(document(rng))}\n".encode() for _ in range(count)]
    _, traces = explained(lines, rules)
    gc.freeze()
    rounds = [(explained(lines, rules)[0], round_trip(lines, traces)) for _ in range(5)]
    ours, json_alone = (min(each) for each in zip(*rounds, strict=True))
    print(f"explain --lines {ours / count * 1e6:6.0f} us a line")
    print(f"JSON round trip {json_alone / count * 1e6:6.0f} us a line")
    print(f"ratio           {ours / json_alone:6.1f}")


if __name__ == "__main__":
    main()
