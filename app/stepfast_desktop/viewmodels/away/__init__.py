"""What is shown of what goes on while nobody looks: the tray, sleep, and what is done when all is done."""
