"""The rhyme groups of the quatrains' characters, as the GenerationExplorer ships them."""

import pytest

from book_tools.record.explorer_data.rhymes import GROUPS, group_of
from transformer_book.data import quatrain_vocabulary
from transformer_book.widgets.poem_form import rhyme_groups

SYLLABLES = {
    "麻": "a jia hua",
    "波": "e bo wo",
    "皆": "ye xue nve",
    "微": "wei gui",
    "尤": "you liu",
    "寒": "yuan juan wan yan",
    "文": "wen yin jun yun lun",
    "唐": "wang jiang",
    "庚": "weng ying qiong yong",
    "齐": "yi yu lv ju er",
    "支": "shi zi ri",
    "姑": "wu lu zhu",
}


@pytest.mark.parametrize("group", SYLLABLES)
def test_a_syllable_rhymes_by_its_final_however_it_is_written(group):
    assert {group_of(syllable) for syllable in SYLLABLES[group].split()} == {group}


def test_no_syllable_no_group():
    assert group_of("，") is None
    assert group_of("ng") is None


def test_every_character_of_the_poems_has_a_rhyme():
    groups = rhyme_groups()
    assert groups.keys() == GROUPS.keys()
    missing = set(quatrain_vocabulary().characters) - set("".join(groups.values()))
    assert missing == set("，。")
    assert set("光霜乡") <= set(groups["唐"])


def test_the_file_is_what_the_readings_say():
    pytest.importorskip("pypinyin", reason="the readings come from pypinyin, which nothing else needs")
    from book_tools.record.explorer_data.rhymes import record_rhymes

    lines = record_rhymes()["rhymes.txt"].splitlines()
    assert dict(line.split() for line in lines) == rhyme_groups()
