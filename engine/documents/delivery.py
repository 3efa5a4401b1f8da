"""Delivery: what stands in the way of a message between the choice and its queue, whatever the choice says of it."""

from __future__ import annotations

from mqclause.model.facts.delivery import Delivery
from mqclause.rulebook.declaration import Declaration, RowNames

DELIVERY = Declaration("delivery", Delivery, row=RowNames("delivery", answer="told"))
"""One destination that was chosen. The rules change nothing of the choice; what they derive has a remark."""
