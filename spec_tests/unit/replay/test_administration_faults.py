"""What is said of events of administration that cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause import FactsError
from spec_tests.support.administered import ARRIVE, FAIL, SUSPEND, replayed, sent


@pytest.mark.parametrize(
    ("event", "messages", "said"),
    [
        ({**FAIL, "queue_manager": "QM1"}, [], "'QM1' is the local queue manager"),
        ({**FAIL, "queue_manager": "QM9"}, [], "queue_manager 'QM9' is not known"),
        ({**SUSPEND, "cluster": "PAY"}, [], "'QM2' is not in 'PAY'"),
        ({"do": "refresh", "cluster": "NONE"}, [], "'QM1' is not in 'NONE'"),
        ({**SUSPEND, "mode": "SHARED"}, [], "mode: 'SHARED' is not allowed; allowed: QUIESCE, FORCE"),
        ({"do": "open", "queue": "HERE", "mode": "FORCE"}, [], "mode: 'FORCE' is not allowed; allowed: INPUT_SHARED"),
        ({"do": "arrive", "queue": "HERE"}, [], "id is missing"),
        ({**ARRIVE, "queue": "ORDERS.IN"}, [], "queue 'ORDERS.IN' is hosted by QM2, QM3, not by 'QM1'"),
        ({**ARRIVE, "queue": "NONE"}, [], "queue 'NONE' is not known"),
        ({**ARRIVE, "id": "M1"}, [sent()], "'M1' is that of a message in flight"),
        (FAIL, [sent(), sent()], "in_flight 2 'M1': id: 'M1' is given twice"),
        (FAIL, [sent("TO.QM9")], "in_flight 1 'M1': channel 'TO.QM9' is not known"),
        (FAIL, [sent(queue_manager="QM3")], "channel 'TO.QM2' leads elsewhere"),
        (FAIL, [{**sent(), "queue": "X"}], "in_flight 1 'M1': queue 'X' is not known"),
    ],
)
def test_bad_input_is_told(event: dict[str, Any], messages: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(FactsError) as caught:
        replayed(event, in_flight=messages)
    assert said in str(caught.value)
