"""What `benchmarks/engine.py` measures: a module for each part of the table, and what they share."""
