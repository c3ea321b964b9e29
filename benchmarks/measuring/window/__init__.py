"""What `benchmarks/window.py` measures: a module for each part of the table, and what they share."""
