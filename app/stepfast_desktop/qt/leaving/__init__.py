"""Closing the window, and what other launches find of it."""
