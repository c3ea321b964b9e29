"""The dialogs of the menus Tools and Help; each is made when it is wanted."""
