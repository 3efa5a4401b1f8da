"""Rules as data: rule files, readings, and what is checked of them."""
