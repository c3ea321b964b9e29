"""The settings and the schedules, as a person sees them."""
