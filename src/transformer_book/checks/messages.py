"""The one sentence that every refusal says: what was asked for, and what came."""


def must_be(name: str, wanted: str, got) -> str:
    """Return "NAME must be WANTED; got GOT.", the message of a refused argument."""
    return f"{name} must be {wanted}; got {got}."
