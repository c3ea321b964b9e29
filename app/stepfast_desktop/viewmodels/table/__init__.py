"""The table of workflows: which rows are shown, which are selected, and what is done with those."""
