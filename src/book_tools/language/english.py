"""The book in English."""

import re
from fractions import Fraction

from book_tools.language.language import Language, Marks, Numbers, Print, Site
from transformer_book.numerals import english

_WORDS = 200  # a minute, as `rates` says
_NUMBER = rf"(?:{'|'.join(sorted([*english.ONES, *english.TENS, *english.UNITS], key=len, reverse=True))})"
_AND = r"(?:(?<=hundred)|(?<=thousand)|(?<=million)|(?<=billion))\s+and\s+"  # two and three are two numbers
_NUMERAL = rf"{_NUMBER}(?:(?:-|\s+|{_AND}){_NUMBER})*"
_PART = r"(?:half|halves|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth)s?)"
_FROM_FIVE = rf"(?!(?:zero|one|two|three|four)\b(?![\s-]+{_NUMBER})){_NUMERAL}"

NUMBERS = Numbers(
    numerals=english,
    multipliers={
        "thousand": Fraction(10**3),
        "million": Fraction(10**6),
        "billion": Fraction(10**9),
        "trillion": Fraction(10**12),
    },
    units={
        "ms": "milliseconds",
        "s": "seconds",
        "µs": "microseconds",
        "bytes": "bytes",
        "B": "bytes",
    },
    holds_unit=re.compile("[A-Za-zµ]"),
    copula=re.compile(r"\s*(?:is|are|was|equals|is about|is equal to|=|≈|:|, that is,?)?\s*"),
    times=re.compile(r"[\s-]+times\b|-?fold\b|(?<=twice)|(?<=thrice)", re.IGNORECASE),
    factor=re.compile(
        r"(?:multipl(?:y|ies|ied)|divid(?:e|es|ed))\s+by\s+$|(?<=by a factor of )$", re.IGNORECASE
    ),
    large=re.compile(
        "five|six|seven|eight|nine|ten|eleven|twelve|teen|ty|hundred|thousand|illion", re.IGNORECASE
    ),
    point=" point ",
    not_a_number=r"\b{word}\b",
    digits=(),
    alike={},
    words=(
        tuple(english.ONES[1:]),
        tuple(english.TENS),
        tuple(english.UNITS),
        ("half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
        ("halves", "thirds", "quarters", "fifths", "sixths", "sevenths", "eighths", "ninths", "tenths"),
        ("twice", "thrice"),
    ),
    bound=re.compile(rf"\b(?:{_NUMBER}[\s-]+{_PART}|{_NUMERAL}|half|twice|thrice)\b", re.IGNORECASE),
    plain=re.compile(
        rf"\b(?:{_NUMBER}[\s-]+{_PART}|{_NUMERAL}(?=[\s-]+times\b|-?fold\b)|half|twice|thrice|{_FROM_FIVE})\b",
        re.IGNORECASE,
    ),
    on_page=re.compile(
        rf"\b(?:{_NUMBER}[\s-]+{_PART}|half|twice|thrice|(?!one\b){_NUMERAL})\b", re.IGNORECASE
    ),
    below_five=re.compile("zero|one|two|three|four", re.IGNORECASE),
    text=re.compile(r"[A-Za-z]{2,}"),
)

MARKS = Marks(
    numbered={
        "h1": [("section", re.compile(r"^(\d+)(?=\. )"))],
        "h3": [("ex", re.compile(r"^Exercise ([\d.]+)(?= )"))],
        "strong": [("fig", re.compile(r"^Figure ([\d.]+)$")), ("tab", re.compile(r"^Table ([\d.]+)$"))],
        "summary": [("answer", re.compile(r"^Answer to exercise ([\d.]+)$"))],
    },
    names={"eq": "(%s)", "fig": "Figure %s", "tab": "Table %s", "ex": "Exercise %s", "section": "Section %s"},
    next="the next section",
    previous="the previous section",
    title_end=":",
    figure="Figure",
    table="Table",
    beside=("the figure above", "the figure below"),
    caption_gap=": ",
    guess="**Make a guess**",
    before_answer=re.compile(r"\*\*(?:Make a guess|Think first|Take a pencil)\*\*"),
    exercise=re.compile(r"Exercise \d+\.\d+ "),
    mention=re.compile(r"\b([Ee]xercise|[Ee]quation|[Ff]igure|[Tt]able) \(?(\d+\.\d+)"),
    mentioned={
        **{"exercise": "ex", "equation": "eq", "figure": "fig", "table": "tab"},
        **{"Exercise": "ex", "Equation": "eq", "Figure": "fig", "Table": "tab"},
    },
    exercise_heading=r"^#+ Exercise {chapter}\.(\d+): ",
    equation_heading=r"^#+ .*\(equation (\d+\.\d+)\)",
    folded=re.compile("^(?:Answer|Hint|Marking)"),
    answer="Answer",
    references="# References",
)

SITE = Site(
    interface={
        "Main": "The whole book",
        "Page": "On this page",
        "Show source": "Show the source file",
        "download-source-button": "Download this page's notebook",
        "Show code cell source": "Show the code",
        "Hide code cell source": "Hide the code",
        "Show code cell output": "Show the output",
        "Hide code cell output": "Hide the output",
        "Show code cell outputs": "Show the output",
        "Hide code cell outputs": "Hide the output",
        "Show code cell content": "Show code and output",
        "Hide code cell content": "Hide code and output",
    },
    about={"author": "The authors of the Transformer chapter"},
    settings={
        "nb_code_prompt_show": "Show code cell {type}",
        "nb_code_prompt_hide": "Hide code cell {type}",
        "html_theme_options": {"search_bar_text": "Search this book", "toc_title": "On this page"},
    },
    parts=("The book", "Appendix", "For teachers"),
    other="This page in English",
    licences="text CC BY 4.0, code MIT",
    not_found=(
        "There is no such page",
        "The address may have changed, or been mistyped. "
        '<a href="{root}index.html">Go to the cover</a>, or use the search above.',
    ),
    sentence_end=". ",
    cover=(
        "Point at a word, or go to it with the Tab key: the thicker the line, the larger the share taken "
        "from that word. One head of a real model computed these shares; the section on "
        '<a href="06_multi_head.html">multi-head attention</a> tells how to find it.'
    ),
    again="Go on reading: ",
    minutes="about {} minutes",
    rates="Times are estimates: two hundred words or twenty lines of code a minute, a minute for each guess.",
    read_a_minute=lambda text: len(re.findall(r"[A-Za-z]+", text)) / _WORDS,
    left_sidebar="Contents of the book",
    right_sidebar="Contents of this page",
    neighbours="Previous and next section",
    link_to_equation="Link to this equation",
    links={"Figure": "Link to this figure", "Table": "Link to this table"},
    equation="Equation {}",
    found="Found in {} places.",
    nothing_found="Nothing found.",
    printed_by="Printed by code cell {}: {} = {}",
    from_course="From this course: {}",
    from_address="From {}, {}",
    from_work="From {} ({}), {}",
    ask_number="What number do you guess?",
    ask_choice="Which one do you choose?",
    my_guess="My guess",
    commit="That is my guess",
    skip="Show the answer",
    guess_again="Guess again",
    told={
        "units": {"thousand": 1e3, "million": 1e6, "billion": 1e9},
        "exact": "exactly right.",
        "more": "too much by {}{}.",
        "less": "too little by {}{}.",
        "ratio": ", {} times the answer",
        "choose": "Choose one first.",
        "write": "Please write a number.",
        "answer": "The answer is {}.",
        "guessed": " You guessed {}: {}",
        "right": "Right.",
        "wrong": "No. ",
        "option": "The answer is number {}.",
    },
    whole_book="The book as .{}",
    download="Download the whole book as {}",
    archive="Download all notebooks and the library",
    with_size="{} ({})",
    code="Code: ",
    code_parts="; ",
    code_names=", ",
    code_does={
        "define": ("defines", " … ({all} names)"),
        "print": ("prints", " … ({all} values)"),
        "explorer": ("opens the explorer", ""),
        "draw": ("draws the figure", ""),
        "list": ("sets a table", ""),
        "compute": ("computes", " … ({all} values)"),
        "import": ("imports", " … ({all} modules)"),
    },
    raw="As printed",
    axes={
        "accuracy": "accuracy",
        "distance": "distance",
        "entry": "entry",
        "examples": "examples",
        "gradient": "gradient norm",
        "head": "head",
        "key": "key",
        "layer": "layer",
        "length": "length",
        "loss": "loss",
        "position": "position",
        "query": "query",
        "query-size": "size of a query",
        "sorted-key": "key, sorted",
        "step": "step",
        "weight": "weight",
    },
)

PRINT = Print(
    contents="Contents",
    answers="Hints and answers",
    number_end=re.compile("[.:]$"),
    numbered_answer="{}: {}",
    accessibility=(
        "Formulas are MathML, pictures have alternative texts, and tables stand in the place of explorers."
    ),
)

ENGLISH = Language(
    code="en",
    html="en",
    sphinx="en",
    name="English",
    no_library=(
        "The library transformer_book is missing: take the .zip (all notebooks and the library) from the ",
        "download menu of any page, unpack it, and run pip install -r requirements.txt there.",
    ),
    numbers=NUMBERS,
    marks=MARKS,
    site=SITE,
    print=PRINT,
)
