"""The window while nobody looks at it: the tray, coming to the front, and what is done when all is done."""
