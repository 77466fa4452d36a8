"""What one edition is built from: its pages, and `_config.yml` and `_toc.yml` in its language."""

from pathlib import Path

import yaml

from book_tools.language import CHINESE, Language
from book_tools.notebooks.files import page_path


def settings_of(language: Language, settings: dict, built: list[Language]) -> dict:
    """Return the settings of an edition's site, made from those of `_config.yml`; ``built``: all editions."""
    own = _merged(settings, {"sphinx": {"config": {"book_editions": [one.code for one in built]}}})
    if language is CHINESE:
        return own
    own = _merged(own, language.site.about)
    own = _merged(own, {"sphinx": {"config": {"language": language.sphinx, **language.site.settings}}})
    html, options = own.setdefault("html", {}), own["sphinx"]["config"].setdefault("html_theme_options", {})
    if html.get("baseurl"):
        html["baseurl"] = f"{html['baseurl'].rstrip('/')}/{language.code}"
    if options.get("path_to_docs"):
        options["path_to_docs"] += f"/{language.code}"
    return own


def _merged(settings: dict, changes: dict) -> dict:
    """Return the settings with changes, also within inner ones."""
    merged = dict(settings)
    for name, value in changes.items():
        inner = merged.get(name)
        both = isinstance(inner, dict) and isinstance(value, dict)
        merged[name] = _merged(inner, value) if both else value
    return merged


def contents_of(language: Language, contents: dict, folder: Path) -> dict:
    """Return the table of contents of an edition: its captions, and the pages that its folder has."""
    if language is CHINESE:
        return contents
    parts = []
    for number, part in enumerate(contents["parts"]):
        chapters = [one for one in part["chapters"] if page_path(folder, one["file"]) is not None]
        caption = {"caption": language.site.parts[number]} if "caption" in part else {}
        parts += [{**part, **caption, "chapters": chapters}] if chapters else []
    return {**contents, "parts": parts}


def write_sources(
    language: Language, folder: Path, config: Path, toc: Path, target: Path, built: list[Language]
) -> tuple[Path, Path]:
    """Write an edition's settings and contents into ``target``; return their paths."""
    target.mkdir(parents=True, exist_ok=True)
    made = (
        ("_config.yml", settings_of(language, _read(config), built)),
        ("_toc.yml", contents_of(language, _read(toc), folder)),
    )
    for name, content in made:
        text = yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
        path = target / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return target / "_config.yml", target / "_toc.yml"


def _read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
