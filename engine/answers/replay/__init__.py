"""What happens event by event: puts, gets, triggers, what is administered, and the fate of messages in flight."""
