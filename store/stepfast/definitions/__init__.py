"""What a workflow is: its body, the signature of that, and the inputs that fit."""
