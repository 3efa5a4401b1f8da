"""Facts: MQ's objects, their domains, and the destinations that a put can reach."""
