"""Open the book in JupyterLab on copies (`my-book/`), say what was changed in them, or make pages anew.

The originals in `book/` stay as they are. Teachers add `--teaching` for nbgrader's toolbars.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from jupyter_core.paths import jupyter_config_dir

from book_tools.editions.places import editions
from book_tools.lab.copies import FOLDER, Copies, start_of
from book_tools.language import CHINESE, LANGUAGES

SETTINGS = Path(__file__).with_name("settings")


def command(folder=FOLDER, browser=True, language=CHINESE):
    """Return the command that opens the book at the start page of an edition."""
    root = ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []  # in a container
    quiet = [] if browser else ["--no-browser"]
    return [
        *(sys.executable, "-m", "jupyterlab", *root, *quiet),
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{start_of(language)}",
        f"--LabApp.workspaces_dir={folder / '.workspaces'}",
        "--LabApp.custom_css=True",
    ]


def environment(folder=FOLDER, teaching=False):
    """Return the environment in which JupyterLab asks for nothing and shows what readers need.

    The reader's own settings, such as a dark theme, stay in force.
    """
    if teaching:
        return dict(os.environ)
    shutil.copytree(SETTINGS, folder / ".jupyter", dirs_exist_ok=True)
    own = os.environ.get("JUPYTERLAB_SETTINGS_DIR", str(Path(jupyter_config_dir(), "lab", "user-settings")))
    return os.environ | {"JUPYTER_CONFIG_DIR": str(folder / ".jupyter"), "JUPYTERLAB_SETTINGS_DIR": own}


def main(arguments=None):
    """Open the book, or look after its copies."""
    parser = argparse.ArgumentParser(prog="python -m book_tools.lab", description=__doc__)
    parser.add_argument("--changes", action="store_true", help="show what was changed in the copies, and end")
    parser.add_argument(
        "--reset",
        metavar="PAGE",
        help="make the copies whose names begin so anew, 03 or en/03 for one; then end",
    )
    known = [language.code for language in editions()]
    parser.add_argument("--edition", choices=known, default=CHINESE.code, help="open at its start page")
    parser.add_argument("--teaching", action="store_true", help="with the toolbars of nbgrader, if installed")
    options = parser.parse_args(arguments)
    copies = Copies()
    if options.reset is not None:
        names = [name for name in copies.originals if options.reset and name.startswith(options.reset)]
        if not names:
            parser.error(f"argument --reset: no page of the book begins with {options.reset!r}")
        for name in names:
            copies.reset(name)
            print(f"as in the book again: {FOLDER / name}")
        return 0
    if options.changes:
        lines = [line for name in copies.originals for line in copies.changes(name)]
        print("\n".join(lines) if lines else f"nothing is changed in {FOLDER}")
        return 0
    for name in copies.prepare():
        print(f"{name} is newer in the book; your changed copy stays. To take the new one: --reset {name}")
    opened = command(language=LANGUAGES[options.edition])
    return subprocess.run(opened, env=environment(teaching=options.teaching), check=False).returncode


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # GBK, for one, has no ²
    sys.exit(main())
