"""One window and one background worker a data folder, and what other launches of the program do."""
