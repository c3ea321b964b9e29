"""Closing the window, and what goes on without it."""
