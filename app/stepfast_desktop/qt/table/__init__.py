"""The table on the screen, with its sidebar, its search and its menus."""
