"""Numbers in words: which of them have to be bound, and to what they may be bound."""

import pytest

from book_tools.audit.words import number_words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("十六个键，配十二个头", ["十六", "十二"]),
        ("读过七千多首，每句五字", ["七千多", "五"]),
        ("三个头，两层，第四句", []),
        ("慢四倍，占三分之二，多了一倍", ["四倍", "三分之二", "一倍"]),
        ("分数乘四，再除以二", ["四", "二"]),
        ("只对了一半，梯度减半；八成如此", ["一半", "半", "八成"]),
        ("约一点五倍", ["一点五倍"]),
        ("几十步，十几层，三四十页，七八页", ["几十", "十几", "三四十", "七八"]),
        ("万一出错，十分慢，五言诗，用十进制", []),
        ("十分之一", ["十分之一"]),
        ("五十分钟，十分钟，乘以一个差，除以零，占百分之几？", ["五十", "十"]),
        ("一千一个，数一数，两两配对，一个个", ["一千一"]),
        ("统一成一种，两半各一个", []),
        ("前半页，后半页", []),
        ("从三分之一一路降下来", ["三分之一"]),
    ],
)
def test_which_words_have_to_be_bound(text, found):
    assert [word for word, _ in number_words(text)] == found
    assert all(text.startswith(word, start) for word, start in number_words(text))


@pytest.mark.parametrize("kind", ["text", "table", "alt"])
def test_an_unbound_word_is_named_wherever_readers_see_it(says, page, findings, kind):
    if kind == "alt":
        page.cells[5].metadata["mystnb"]["image"]["alt"] = "十六个格子"
        assert "holds 1 numbers" in findings(page)[0]
    else:
        told = says("共十六层" if kind == "text" else "| 层 |\n|---|\n| 共十六层 |")
        assert len(told) == 1
        assert "“十六” is not bound" in told[0]


PRINTED = "poems = 7,012\nlayers = 16\nshare = 0.48\nsteps = 60\nratio = 3.9\n"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('<data value="layers">十六</data>', "十七"),
        ('<data value="poems">七千多</data>', "八千多"),
        ('<data value="poems">七千零一十二</data>', "七千"),
        ('<data value="steps">几十</data>', "几百"),
        ('<data value="steps">五六十</data>', "六七百"),
        ('<data value="layers">十几</data>', "二十几"),
        ('<data value="share">一半</data>', "三分之一"),
        ('<data value="share">减半</data>', "减三成"),
        ('<data value="ratio">四倍</data>', "三倍"),
    ],
)
def test_a_bound_word_is_compared_with_what_is_printed(says, right, wrong):
    assert says(right, PRINTED) == []
    start, end = right.index(">") + 1, right.index("</data>")
    assert says(right[:start] + wrong + right[end:], PRINTED)
