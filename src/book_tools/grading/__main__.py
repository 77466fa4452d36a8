"""Run the grading commands: ``python -m book_tools.grading``."""

import sys

from book_tools.grading.cli import main

if __name__ == "__main__":
    sys.exit(main())
