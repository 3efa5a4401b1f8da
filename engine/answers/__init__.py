"""Answers to questions: the destination of a put, a trigger message, what a scenario leads to."""
