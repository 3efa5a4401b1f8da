"""Assembly: records of several sources to the facts that one queue manager sees."""
