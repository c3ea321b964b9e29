"""Starting a workflow: what there is to start, its form, presets and options."""
