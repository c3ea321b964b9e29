"""While nobody looks: notifications, keeping the computer awake, its sleep, and what happened meanwhile.

Plain Python, without Qt: what is to be done is decided here from what the view models know, and told to the
system through small classes of its own (the message bus on Linux), each of which may be missing: then the log
says so once, at INFO, and nothing else suffers.
"""
