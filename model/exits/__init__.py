"""The cluster workload exit: the structures that it is called with, made from facts, and what the exit rules see."""
