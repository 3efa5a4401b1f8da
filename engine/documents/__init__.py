"""The documents: for each a declaration of what its rules are about."""

from mqclause.documents.administration import ADMINISTRATION
from mqclause.documents.call import CALL
from mqclause.documents.check import CHECK
from mqclause.documents.delivery import DELIVERY
from mqclause.documents.exit import EXIT
from mqclause.documents.resolution import RESOLUTION
from mqclause.documents.retrieval import RETRIEVAL
from mqclause.documents.trigger import TRIGGER
from mqclause.documents.workload import OUTCOME, WORKLOAD

DOCUMENTS = {
    each.name: each
    for each in (RESOLUTION, WORKLOAD, OUTCOME, DELIVERY, CALL, TRIGGER, RETRIEVAL, EXIT, ADMINISTRATION, CHECK)
}
"""Every document whose rules come with the project, by the folder of its rules."""

__all__ = [
    "ADMINISTRATION", "CALL", "CHECK", "DELIVERY", "DOCUMENTS", "EXIT", "OUTCOME", "RESOLUTION", "RETRIEVAL", "TRIGGER",
    "WORKLOAD",
]  # fmt: skip
