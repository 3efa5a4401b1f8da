"""Whether a message makes a trigger message, condition by condition, and why not."""
