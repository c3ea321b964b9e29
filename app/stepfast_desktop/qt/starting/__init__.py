"""Starting a workflow, on the screen: the dialog, its form, an editor for each kind of value."""
