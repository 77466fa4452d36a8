"""Run the grading commands: ``python -m book_grading``."""

import sys

from book_grading.cli import main

if __name__ == "__main__":
    sys.exit(main())
