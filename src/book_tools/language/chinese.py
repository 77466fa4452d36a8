"""The book in simplified Chinese, in which it is written first."""

import re
from fractions import Fraction

from book_tools.language.language import Language, Marks, Numbers, Print, Site
from transformer_book.numerals import chinese

_N = "[零〇一二两三四五六七八九十百千万亿]"
_UNIT = (
    "(?:[个只层头维次种条步段行列位词元字首句张幅页章节年天时分秒倍成份块组对项类"
    "篇本台题轮遍样格处道名人]|小时|分钟)"
)
_CHARACTERS = 300  # a minute, as `rates` says

NUMBERS = Numbers(
    numerals=chinese,
    multipliers={
        "万亿": Fraction(10**12),
        "千万": Fraction(10**7),
        "百万": Fraction(10**6),
        "万": Fraction(10**4),
        "亿": Fraction(10**8),
        "千": Fraction(10**3),
    },
    units={"ms": "毫秒", "s": "秒", "µs": "微秒", "bytes": "字节", "B": "字节"},
    holds_unit=re.compile("[A-Za-zµ]|[秒节]"),
    copula=re.compile(r"\s*(?:(?:就|都|也)?(?:是|为|等于|约为|约等于)|=|＝|≈|:|：|，即)?\s*"),
    times=re.compile("倍"),
    factor=re.compile(r"(?:乘以?|除以)\s*$"),
    large=re.compile("[五六七八九十百千万亿]"),
    point="点",
    not_a_number=f"(?<![{chinese.CHARACTERS}]){{word}}(?![之钟])",
    digits=("一二三四五六七八九", "十百千", "万亿", "半倍"),
    alike={"两": "二"},
    words=(),
    bound=re.compile(rf"{_N}+分之{_N}+|几?{_N}*半|几?{_N}+"),
    # 三分之二, 四倍, 十六 or 七千多 before a unit. In plain sight two to four things may stand.
    plain=re.compile(
        rf"(?<!\d)(?<!\d )(?:{_N}+分之{_N}+|{_N}+(?=倍)|(?<!两){_N}*半"
        rf"|几?{_N}*[五六七八九十百千万亿]{_N}*(?=[多余几]?{_UNIT}))"
    ),
    # 三分之二, 一半, 十六 before a unit; not 一个, which is an article, nor the 万 of 3 万.
    on_page=re.compile(
        rf"(?<!\d)(?<!\d )(?<!{_N})(?:{_N}+分之(?:[一二三四五六七八九](?![十百千])|{_N}+)"
        rf"|(?<!两){_N}*半|(?!一(?!{_N}))几?{_N}+(?=[多余几]?{_UNIT}))"
    ),
    below_five=re.compile("[零〇一二两三四]+"),
    text=re.compile(r"[\u3400-\u9fff]"),
)

MARKS = Marks(
    numbered={
        "h1": [("section", re.compile(r"^(\d+)(?=\. )"))],
        "h3": [("ex", re.compile(r"^练习 ([\d.]+)(?= )"))],
        "strong": [("fig", re.compile(r"^图 ([\d.]+)$")), ("tab", re.compile(r"^表 ([\d.]+)$"))],
        "summary": [("answer", re.compile(r"^练习 ([\d.]+)(?= 的解答$)"))],
    },
    names={"eq": "(%s)", "fig": "图 %s", "tab": "表 %s", "ex": "练习 %s", "section": "第 %s 节"},
    next="下一节",
    previous="上一节",
    title_end="：",
    figure="图",
    table="表",
    beside=("上图", "下图"),
    caption_gap="\u3000",
    guess="**先猜一猜**",
    before_answer=re.compile("先(?:猜一猜|想一想|动笔)"),
    exercise=re.compile(r"练习 \d+\.\d+ "),
    mention=re.compile(r"(练习|式|图|表) ?(\d+\.\d+)"),
    mentioned={"练习": "ex", "式": "eq", "图": "fig", "表": "tab"},
    exercise_heading=r"^#+ 练习 {chapter}\.(\d+)　",
    equation_heading=r"^#+ .*（式 (\d+\.\d+)）",
    folded=re.compile("答案|解答|提示|评分标准"),
    answer="答案",
    references="# 参考文献",
)

SITE = Site(
    interface={
        "Main": "全书目录",
        "Page": "本节目录",
        "Color mode": "明暗模式",
        "System Settings": "跟随系统",
        "Toggle primary sidebar": "显示或收起目录",
        "Toggle secondary sidebar": "显示或收起本节目录",
        "Toggle hidden content": "展开或收起",
        "Link to this heading": "本标题的链接",
        "Link to this equation": "本式的链接",
        "Link to this image": "本图的链接",
        "Link to this table": "本表的链接",
        "Link to this code": "这段代码的链接",
        "Link to this term": "本词条的链接",
        "Link to this definition": "本定义的链接",
        "列印成 PDF": "打印或存成 PDF",
        "展开source": "展开代码",
        "收起source": "收起代码",
        "展开output": "展开输出",
        "收起output": "收起输出",
        "展开outputs": "展开输出",
        "收起outputs": "收起输出",
        "展开content": "展开代码和输出",
        "收起content": "收起代码和输出",
        "Launch on Binder": "在 Binder 上运行",
        "Launch on Colab": "在 Colab 上运行",
        "Launch interactive content": "在线运行",
        "Source repositories": "源码库",
        "Repository": "源码库",
        "Show source": "查看源文件",
        "Suggest edit": "建议修改",
        "Open issue": "报告问题",
        "Open an issue": "报告问题",
        "download-source-button": "下载本节的笔记本",
    },
    about={},
    settings={},
    parts=(),
    other="本页的中文版",
    licences="文字 CC BY 4.0，代码 MIT",
    not_found=(
        "没有这一页",
        '地址可能改过，也可能打错了。<a href="{root}index.html">回到封面</a>，或者用上方的搜索。',
    ),
    sentence_end="。",
    cover=(
        "指着一个词，或者用 Tab 键走到它：线越粗，从那个词取来的份额越大。"
        '份额由一个真实模型的一个头算出，<a href="06_multi_head.html">多头注意力</a>一节讲怎样找到它。'
    ),
    again="接着读：",
    minutes="大约 {} 分钟",
    rates="时间是估计：每分钟读三百字或二十行代码，每个猜想一分钟。",
    read_a_minute=lambda text: len(re.findall(r"[\u4e00-\u9fff]", text)) / _CHARACTERS,
    left_sidebar="目录栏",
    right_sidebar="本节目录栏",
    neighbours="上一节和下一节",
    link_to_equation="此公式的链接",
    links={"图": "本图的链接", "表": "本表的链接"},
    equation="公式 {}",
    found="找到 {} 处。",
    nothing_found="没有找到。",
    printed_by="由第 {} 个代码单元打印：{} = {}",
    from_course="出自本课程：{}",
    from_address="出自 {}，{}",
    from_work="出自 {} ({})，{}",
    ask_number="你猜是多少？",
    ask_choice="你选哪一项？",
    my_guess="我猜",
    commit="就猜这个",
    skip="直接看",
    guess_again="重新猜",
    told={
        "units": {"万": 1e4, "亿": 1e8},
        "exact": "正好。",
        "more": "多了 {}{}。",
        "less": "少了 {}{}。",
        "ratio": "，是答案的 {} 倍",
        "choose": "先选一项。",
        "write": "请写一个数。",
        "answer": "答案是 {}。",
        "guessed": "你猜的是 {}，{}",
        "right": "对了。",
        "wrong": "不对，",
        "option": "答案是第 {} 项。",
    },
    whole_book="全书 .{}",
    download="下载全书 {}",
    archive="下载全书笔记本与库",
    with_size="{}（{}）",
    code="代码：",
    code_parts="，",
    code_names="、",
    code_does={
        "define": ("定义", " 等 {all} 个"),
        "print": ("打印", " 等 {all} 个值"),
        "explorer": ("打开探索器", ""),
        "draw": ("画图", ""),
        "list": ("列表", ""),
        "compute": ("计算", " 等 {all} 个量"),
        "import": ("导入", " 等 {all} 个模块"),
    },
    raw="原样输出",
    axes={
        "accuracy": "准确率",
        "distance": "距离",
        "entry": "分量",
        "examples": "样本数",
        "gradient": "梯度长度",
        "head": "头",
        "key": "键",
        "layer": "层",
        "length": "长度",
        "loss": "损失",
        "position": "位置",
        "query": "查询",
        "query-size": "查询的维数",
        "sorted-key": "排序后的键",
        "step": "步",
        "weight": "权重",
    },
)

PRINT = Print(
    contents="目录",
    answers="提示与答案",
    number_end=re.compile("[。：]$"),
    numbered_answer="{}　{}",
    accessibility="公式是 MathML，图有替代文字，可交互的图换成了表格。",
)

CHINESE = Language(
    code="zh",
    html="zh-CN",
    sphinx="zh_CN",
    name="中文",
    no_library=(
        "没有找到库 transformer_book：请在本书任一页的下载菜单里取 .zip（全书笔记本与库），",
        "解压后在那个文件夹里运行 pip install -r requirements.txt。",
    ),
    numbers=NUMBERS,
    marks=MARKS,
    site=SITE,
    print=PRINT,
)
