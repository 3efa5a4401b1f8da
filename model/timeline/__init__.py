"""The local queue manager over time: events, messages, handles, units of work, and what the trigger rules see."""
