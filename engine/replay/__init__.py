"""A scenario event by event: puts, gets, triggers, administration, and the fate of messages in flight."""
