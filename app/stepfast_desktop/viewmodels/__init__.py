"""The state of each screen, in plain Python: what is shown, what is enabled, what a click does.

No module here imports Qt. `qt/` shows what these say and tells them what was clicked, so that every decision
can be tested without a display.
"""
