"""The engines on one file: which are alive, and how they hear of one another."""
