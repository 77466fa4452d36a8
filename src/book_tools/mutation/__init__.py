"""Tests of the checks: change a number or break the library, and see a check fail."""
