"""MQ objects: the facts that rules look at, and the readers that make them from files."""
