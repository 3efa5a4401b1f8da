"""Where attributes of facts files come from: the lines of keys, however the file is laid out."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.provenance import Origin
from mqclause.model.configuration.snapshot import read_document, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.facts.objects import Put
from spec_tests.support.facts_document import build_facts_document
from spec_tests.support.origins import origins, read

TOML = """
# the facts
queue_manager = { name = "HQ", clusters = [
    "PARTS",
], clwluseq = "ANY" }

put.queue = "STOCK"
put.bind = 'OPEN'

[[queue]]
name = \"\"\"STOCK\"\"\"
"clusters" = ["PARTS",
  "BILLS"]    # [[queue]]
trigdata = "[queue] # x = 1"
clwlrank = 3

[[queue]]       # the next one
'name' = "SHARED"
shared = true
[[ channel ]]
queue_manager = "HQ"
name = "TO.HQ"
deftype = "CLUSRCVR"
"""

JSON = r"""
{
  "queue_manager":
    {"name": "HQ", "clusters": ["PARTS"],
     "clwluseq": "ANY"},
  "queue": [
    {"name": "STOCK",
     "trigdata": "a \"name\": {x", "clwlrank": 3},
    {
      "shared": true,
      "\u006eame":
        "SHARED"
    }
  ],
  "put": {"queue": "STOCK"}
}
"""


class TestFactsFiles:
    def test_toml(self) -> None:
        snapshot = read(hq=TOML)
        stock, shared = snapshot.cluster.queues
        assert stock.clusters == ("PARTS", "BILLS")
        assert origins(snapshot, stock, "name clusters trigdata clwlrank get queue_manager") == {
            "name": ("stated", 10),
            "clusters": ("stated", 11),
            "trigdata": ("stated", 13),
            "clwlrank": ("stated", 14),
            "get": ("defaulted", 9),
            "queue_manager": ("defaulted", 9),
        }
        assert origins(snapshot, shared, "name shared clwlrank") == {
            "name": ("stated", 17),
            "shared": ("stated", 18),
            "clwlrank": ("defaulted", 16),
        }
        assert origins(snapshot, snapshot.cluster.channels[0], "name cluster") == {
            "name": ("stated", 21),
            "cluster": ("defaulted", 19),
        }

    def test_toml_in_line_and_dotted(self) -> None:
        snapshot = read(hq=TOML)
        own = snapshot.cluster.queue_manager
        assert origins(snapshot, own, "name clusters clwluseq clwlmruc") == {
            "name": ("stated", 2),
            "clusters": ("stated", 2),
            "clwluseq": ("stated", 4),
            "clwlmruc": ("defaulted", 2),
        }
        put = snapshot.put
        assert put == Put(queue="STOCK", bind="OPEN")
        assert origins(snapshot, put, "queue bind call") == {
            "queue": ("stated", 6),
            "bind": ("stated", 7),
            "call": ("defaulted", 6),
        }

    def test_toml_tables_in_lists(self) -> None:
        rows = (
            "\nprocess = [\n  {name = 'P'}, {name = 'Q',  userdata = ''},\n  # {}\n  {name = 'R', applicid = '{'},\n]\n"
        )
        first = "\n[queue_manager]\nname = 'HQ'\n"
        snapshot = read(first=first, more="\nqueue = [ {name = 'A', clwlrank = 3} ]\n", rows=rows)
        assert origins(snapshot, snapshot.cluster.queues[0], "name clwlrank get") == {
            "name": ("stated", 1),
            "clwlrank": ("stated", 1),
            "get": ("defaulted", 1),
        }
        assert [
            origins(snapshot, each, "name userdata applicid") for each in snapshot.cluster.processes
        ] == [
            {"name": ("stated", 2), "userdata": ("defaulted", 2), "applicid": ("defaulted", 2)},
            {"name": ("stated", 2), "userdata": ("stated", 2), "applicid": ("defaulted", 2)},
            {"name": ("stated", 4), "userdata": ("defaulted", 4), "applicid": ("stated", 4)},
        ]  # fmt: skip

    def test_json(self) -> None:
        snapshot = read(hq=JSON)
        stock, shared = snapshot.cluster.queues
        assert snapshot.provenance.of(stock, "clwlrank") == Origin("stated", "hq", 7)
        assert origins(snapshot, stock, "name trigdata get") == {
            "name": ("stated", 6),
            "trigdata": ("stated", 7),
            "get": ("defaulted", 6),
        }
        assert origins(snapshot, shared, "name shared get") == {
            "name": ("stated", 10),
            "shared": ("stated", 9),
            "get": ("defaulted", 8),
        }
        assert origins(snapshot, snapshot.cluster.queue_manager, "name clwluseq trigint") == {
            "name": ("stated", 3),
            "clwluseq": ("stated", 4),
            "trigint": ("defaulted", 2),
        }
        assert origins(snapshot, snapshot.put, "queue call") == {"queue": ("stated", 14), "call": ("defaulted", 14)}

    def test_a_document_that_was_no_text_has_no_lines(self) -> None:
        snapshot = read_document({"queue_manager": {"name": "HQ", "trigint": 5}}, "f")
        own = snapshot.cluster.queue_manager
        assert origins(snapshot, own, "trigint clwlmruc") == {
            "trigint": ("stated", None),
            "clwlmruc": ("defaulted", None),
        }


@pytest.mark.parametrize(("leads_to", "host"), [("QM7", None), ("QM9", "QM7")])
def test_the_host_of_an_alias_is_written_where_it_is_another_than_what_the_alias_resolves_to(
    leads_to: str, host: str | None
) -> None:
    text = f"""* Queue manager name: QM7
DEFINE CHANNEL(FARM.QM7) CHLTYPE(CLUSRCVR) CONNAME('qm7') CLUSTER(FARM)
DEFINE QREMOTE(DOOR) RNAME(' ') RQMNAME({leads_to}) CLUSTER(FARM)
"""
    (alias,) = build_facts_document(read_sources([Source("QM7.mqsc", text.encode())]))["queue_manager_alias"]
    assert (alias["queue_manager"], alias.get("host")) == (leads_to, host)
