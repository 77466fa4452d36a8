"""Run the mutation tests: `python -m book_tools.mutation`."""

import sys

from book_tools.mutation.trials import main

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # GBK, for one, has no ²
    sys.exit(main())
