"""Rooms of the library that need no torch leave it alone: it takes longer than all else that they import."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("room", ["data", "figures", "tokenizers"])
def test_importing_a_room_without_modules_needs_no_torch(room):
    code = f"import transformer_book.{room}, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0, f"{room} imports torch"
