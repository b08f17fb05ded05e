"""The two ways in which a run ends early."""


class RigError(Exception):
    """The rig itself cannot continue; the message is one sentence with the reason."""


class Failure(AssertionError):
    """Something expected did not happen; the message is one sentence."""
