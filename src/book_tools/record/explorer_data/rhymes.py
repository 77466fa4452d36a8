"""Rhymes of the quatrains' characters in today's Mandarin, by the fourteen groups of 《中华新韵》 (2005).

Readings come from pypinyin 0.55.0 (MIT), which nothing else here needs: `pip install pypinyin==0.55.0`.
"""

import re

from transformer_book.data import load_quatrains

# A group's name and the finals it holds, written as in pinyin with ü as v.
GROUPS = {
    "麻": "a ia ua",
    "波": "o e uo",
    "皆": "ie ve ue",
    "开": "ai uai",
    "微": "ei ui",
    "豪": "ao iao",
    "尤": "ou iu",
    "寒": "an ian uan van",
    "文": "en in un vn",
    "唐": "ang iang uang",
    "庚": "eng ing ong iong",
    "齐": "i er v",
    "支": "-i",
    "姑": "u",
}
_GROUP_OF = {final: name for name, finals in GROUPS.items() for final in finals.split()}
_SHORTENED = {"uei": "ui", "iou": "iu", "uen": "un", "ueng": "ong"}  # written out after y and w alone
_INITIAL = re.compile(r"(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])?(.*)")


def record_rhymes() -> dict[str, str]:
    """Return the file of rhymes: one line a group, its name and the characters that can be read so."""
    from pypinyin import Style, pinyin

    quatrains = load_quatrains()
    characters = sorted(set("".join(quatrains.train + quatrains.validation)) - set("，。"))
    rows = {name: [] for name in GROUPS}
    for character in characters:
        (readings,) = pinyin(character, style=Style.NORMAL, heteronym=True)
        for name in {group_of(reading) for reading in readings} & GROUPS.keys():
            rows[name].append(character)
    return {"rhymes.txt": "".join(f"{name} {''.join(found)}\n" for name, found in rows.items())}


def group_of(syllable: str) -> str | None:
    """Return the group of a syllable in pinyin without its tone, such as yuan: 寒; None for another text."""
    syllable = re.sub("^yu", "v", syllable.replace("ü", "v"))
    syllable = re.sub("^yi?", "i", syllable)
    syllable = re.sub("^wu?", "u", syllable)
    initial, final = _INITIAL.fullmatch(syllable).groups()
    if initial in ("j", "q", "x"):
        final = re.sub("^u", "v", final)
    if final == "i" and initial in ("zh", "ch", "sh", "r", "z", "c", "s"):
        final = "-i"
    return _GROUP_OF.get(_SHORTENED.get(final, final))
