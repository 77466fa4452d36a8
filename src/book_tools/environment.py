"""Say whether this Python can run the book, before anything is installed.

Written for any Python since 2.7, so that an old one gets a sentence and not a syntax error.
"""

import sys

OLDEST = (3, 11)


def problem(version, has_module):
    """Return one sentence that says what is wrong with a Python, or None.

    ``version`` is its version as a tuple, ``has_module(name)`` tells whether it can import a module.
    """
    if tuple(version[:2]) < OLDEST:
        found = ".".join(str(part) for part in version[:3])
        message = (
            "The book needs Python 3.11 or newer, and this is Python {}. "
            "Install a newer one and name it: make book PYTHON=python3.12"
        )
        return message.format(found)
    if not (has_module("venv") and has_module("ensurepip")):
        return (
            "This Python cannot make a virtual environment: venv or ensurepip is missing. "
            "On Debian or Ubuntu: apt install python3-venv"
        )
    return None


def _can_import(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    sentence = problem(sys.version_info, _can_import)
    if sentence:
        sys.exit(sentence)
