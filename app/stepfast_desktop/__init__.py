"""Stepfast, the program: its workflows, its command line, its window."""
