"""The reader of runmqsc's output: text to blocks, a message with the attributes below it, and blocks to records."""
