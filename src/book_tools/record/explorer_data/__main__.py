"""`python -m book_tools.record.explorer_data NAME …`: record files again; without a name, all."""

import argparse
from pathlib import Path

import torch

import transformer_book.widgets
from book_tools.record.explorer_data.heads import record_heads
from book_tools.record.explorer_data.rhymes import record_rhymes
from transformer_book.storage.files import write_atomically

RECORDS = {"heads": record_heads, "rhymes": record_rhymes}  # each returns files by name


def main(arguments: list[str] | None = None) -> None:
    """Record files and say how large they are."""
    parser = argparse.ArgumentParser(prog="python -m book_tools.record.explorer_data", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=" or ".join(RECORDS))
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in RECORDS:
            parser.error(f"NAME must be one of {', '.join(RECORDS)}; got {name!r}")
    torch.set_num_threads(1)
    folder = Path(transformer_book.widgets.__file__).parent / "data"
    for name in options.names or RECORDS:
        for file, text in RECORDS[name]().items():
            write_atomically(folder / file, text.encode("utf-8"))
            print(f"{file}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
