"""Everything that reports and sheets say, in simplified Chinese."""

LANGUAGE = "zh-CN"

# -- headings of tables, which ``headings`` reads

MARK_HEADER = ("学号", "姓名", "文件", "题号", "题目", "满分", "得分", "状态", "反馈")
TOTAL_HEADER = ("学号", "姓名", "班级", "文件", "自动评分", "人工评分", "总分", "满分", "备注")
HAND_HEADER = ("学号", "姓名", "文件", "题号", "题目", "满分", "得分", "评语", "答案版本")
WHOSE_HEADER = ("文件", "学号", "可能是", "原因")
XUEXITONG_HEADER = ("学号/工号", "姓名", "班级", "成绩")
ALL_SETS_HEADER = ("学号", "姓名", "班级")
ALL_SETS_SUM = ("合计", "满分", "备注")
AUTOMATIC, TOTAL = "自动评分", "总分"

# -- whose a paper is, and which one counts

NOT_HANDED_IN = "没有交"
NOT_YET = "还没有评到"
KNOWN_BY_NAME = "文件名里没有学号，按姓名认出"
ID_AGAINST_NAME = "文件名里的学号和姓名不是同一个人"
SEVERAL_IDS = "文件名里有不止一个学号"
SEVERAL_NAMES = "文件名里的姓名不止一人"
NO_ID = "文件名里没有名单上的学号"
TWO_PAPERS = {
    None: "同一学号交了不止一份，待老师选定",
    True: "同一学号交了不止一份，这一份算数",
    False: "同一学号交了不止一份，这一份不算",
}


def late(seconds):
    """Say by how much a paper is late."""
    minutes = round(seconds / 60)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [f"{n} {unit}" for n, unit in ((days, "天"), (hours, "小时"), (minutes, "分钟")) if n]
    return "迟交 " + " ".join(parts or ["不到 1 分钟"])


# -- what a paper is

AND = "、"
COLON = "："
SEMICOLON = "；"
BRACKETS = "（{}）"
NO_CELLS = "笔记本里没有单元"
ANOTHER_SET = "不是这一套作业"
TOO_MANY_PIECES = "内容太多太碎，不像是手写的笔记本"
TOO_DEEP = "不是笔记本：JSON 嵌套得太深"
CUT_OFF = "文件不完整，像是上传到一半断了"
NOT_JSON = "不是笔记本：内容不是 JSON"
NO_CELLS_IN_JSON = "不是笔记本：JSON 里没有单元"
NOT_TEXT = "不是笔记本：内容不是文本"
EMPTY_FILE = "文件是空的"
ARCHIVE = "是压缩包：请解压以后再评"
A_LINK = "是一个链接，不读它指向的文件"
EMPTY_FOLDER = "是空文件夹"
NO_FILE = "不是普通文件"
NEEDS_ROSTER = "这份笔记本是按学号发的，每人的数不同：请加上发放时用的 --roster 和 --secret"
UNKNOWN_RELEASE = "这份笔记本的发放标记不认识：请用发放时的名单和密钥"
NUMBERS_CHANGED = "发放以后题里的数改过：请用发放时的源笔记本、名单和密钥评分"
NO_MARKS_LEFT = "所有单元都丢了 nbgrader 的标记，按编号、内容和名字找答案"


def unreadable(why):
    """Say that a file cannot be read."""
    return f"读不了：{why}"


def too_large(megabytes):
    """Say that a file is too large."""
    return f"文件太大（超过 {megabytes} MiB）"


def too_many_cells(most):
    """Say that a notebook has too many cells."""
    return f"单元太多（超过 {most} 个）"


def too_much_code(most):
    """Say that a notebook has too much code."""
    return f"代码太多（超过 {most} 个字符）"


def read_as(encoding):
    """Say in which encoding a file was read."""
    return f"文件编码是 {encoding}，已按它读取"


def renamed_set(before, now):
    """Say that a set has another name than when it was handed out."""
    return f"发放时这套作业叫“{before}”，现在叫“{now}”：数由名字算出，请用原来的名字评分"


def given_to(student):
    """Say to whom a notebook was handed out."""
    return f"这份笔记本是发给 {student} 的"


def other_numbers(names):
    """Say which numbers of a question differ from those handed out."""
    return f"题里的数（{AND.join(names)}）和发放的不同：请用这份笔记本发放时的源笔记本、名单和密钥"


def missing_answers(names):
    """Say which answers a notebook has lost."""
    return f"缺少答案单元：{AND.join(names)}"


def repeated_answers(names):
    """Say which answers stand in a notebook more than once."""
    return f"答案单元重复，依次运行：{AND.join(names)}"


def edited_cells(names):
    """Say which cells were edited that were not to be."""
    return f"改动了不该改的单元，按原样评分：{AND.join(names)}"


def magics(names):
    """Say which commands of the notebook do not run while it is marked."""
    return f"评分时不运行魔法命令和 ! 命令：{AND.join(names)}"


# -- what code did

UNANSWERED = "还没有作答。"  # as Checks says
RAN_INTO = "运行出错："  # in what Checks and `answer_failed` say
UNSEEN = "（说明略去：代码已经见过评分时才用的输入）"
OUT_OF_TIME = "运行太久，超过了 CPU 时间的上限（有没有停不下来的循环？）"
OUT_OF_MEMORY = "用了太多内存"
SILENT = "很久没有结果（代码在等待什么？）"
DIED = "代码让整个进程结束了"
GARBLED = "返回的内容读不懂"
NO_SUCH_NAME = "没有找到这个名字"
NOT_FILLED_IN = "还没有填"
NOTHING_RETURNED = "函数没有返回值（是不是漏了 return？）"
NOT_DATA = "结果应当是数、列表、元组、字典、数组或张量，不能是别的"
TOO_LARGE = "结果太大"
TOO_MANY_DIGITS = "结果里有位数太多的整数"


def at_line(text, line):
    """Say in which line of an answer an error arose."""
    return f"{text}（答案单元第 {line} 行）"


def answer_failed(error):
    """Say that an answer failed as it ran."""
    return f"答案单元{RAN_INTO}{error}"


def value_failed(name, error):
    """Say what is wrong with a value."""
    return f"{name}：{error}"


def test_failed(error):
    """Say that a test itself failed."""
    return f"测试本身出错：{error}"


def marker_failed(error):
    """Say that the marker itself failed."""
    return f"评分程序出错（{error}）"


def with_solutions(names):
    """Say in place of which earlier answers a question was judged."""
    return f"前面的 {AND.join(names)} 没有全对，这道题用标准的代替它们来评。"


# -- what is handed out

CODE_STUB = '# 在这里写你的代码\nraise NotImplementedError("还没有作答")'
TEXT_STUB = "（在这里写你的推导）"

# -- marks

STATES = {
    "full": "全对",
    "part": "部分得分",
    "wrong": "未得分",
    "blank": "未作答",
    "broken test": "测试出错，待老师处理",
    "adjusted": "老师改分",
    "marked": "已评",
    "unmarked": "待老师评",
    "nothing written": "未作答，待老师确认",
    "no mark": "没有评分",
}
TEST_BROKEN = "有测试出错，待老师处理"
HAND_MARKS_MISSING = "人工评分还没有齐"


def changed(title):
    """Say that an answer, or its automatic mark, is another one than the teacher marked."""
    return f"{title}：老师评过以后答案变了，请重看"


def automatic_points(points):
    """Name the automatic mark that an adjusted one replaces."""
    return "自动 —" if points is None else f"自动 {points:g}"


def penalty(points):
    """Say what a late paper lost."""
    return f"因迟交扣 {points:.3g} 分"


def no_such_paper(keys):
    """Say which rows of the sheet of hand marks belong to no paper of this run."""
    return f"hand-marks.csv 里这些行没有对应的作业：{'、'.join(keys)}"


def gone(students):
    """Say whose papers an earlier run marked and this one does not find."""
    return f"上次评过、这次没有的作业：{'、'.join(students)}。迟交的请放进同一个文件夹，一起评。"


# -- the student's page

FILE = "文件"
ASK_TEACHER = "没有评分：{}。请和老师联系。"
SUMS = "自动评分{}，人工评分{}，总分{}（满分 {}）。"
NOT_COUNTED = "这一份不计入成绩。"
UNCERTAIN = "待定"
ALL_RIGHT = "全对。"
BROKEN_TEST = "这道题要由老师看过再给分。"
TO_BE_MARKED = "待评"
NO_ANSWER = "没有作答。"
ADJUSTED = "老师改分：{}"
NUMBER = " {}"  # spaced as Chinese text spaces numbers

# -- the class

CLASS = "{}：全班情况"
COUNTS = "交来 {} 份，评了 {} 份。"
FIGURES = "{}齐的 {} 人：中位数 {}，平均 {}，最高 {}，最低 {}（满分 {}）。"
NO_FIGURES = "还没有分数。"
DISTRIBUTION = "分数分布"
DISTRIBUTION_HEADER = ("分数", "人数")
EACH_ITEM = "每道题"
ITEM_HEADER = ("题目", "满分", "平均分", "平均得分率", "全对的比例", "未作答")
COMMON_MISTAKES = "常见的错误"
COMMON = "{} 人：{}"
NEEDS_TEACHER = "需要老师处理"
NOTHING = "没有。"
EVERYBODY = "每个人"
EVERYBODY_HEADER = ("学生", "自动评分", "人工评分", "总分", "备注")

# -- derivations

BY_HAND = "{}：人工评分"
BY_HAND_HELP = (
    "按题看完所有人的回答，在框里写分数和评语。"
    "回车：到下一份；Shift + 回车：回上一份；Ctrl + S：存成 by-hand.csv。"
    "再运行一次同样的命令，加上 --hand-marks 和存下的文件。"
    "写过的内容也暂存在浏览器里，关掉再开还在。"
)
MODEL_ANSWER = "参考答案和评分标准"
POINTS_BOX = "得分（满分 {}）"
COMMENT_BOX = "评语"
SAVE = "存成 by-hand.csv"
PROGRESS = "已评 {} / {}"
SOURCE_TEXT = "原文"
PICTURE = "里面有图片，请打开原来的笔记本看。"


def marked_before(points, comment):
    """Say that an answer was rewritten after its mark, and what the mark was."""
    return f"你评过以后，学生改过这一份，请重看、重填。上次是 {points} 分。{comment}"


# -- answers that are alike

SIMILAR = "{}：相近的回答"
SIMILAR_HELP = (
    "这里只列事实，由你判断：短题的正确写法本来就差不多，已经不列；很多人都一样的写法也不列。"
    "“逐字相同”连注释和空格都一样；“改名后相同”只差变量名、注释和空格；“大部分相同”是词的片段有八成以上相同。"
)
SIMILAR_KINDS = {"same": "逐字相同", "renamed": "改名后相同", "near": "大部分相同"}
SIMILAR_PAIR = "{} 和 {}：{} 处"
NO_SIMILAR = "没有找到。"
SIMILAR_MORE = "还有 {} 对没有列出。"

# -- the command

STOPPED = "已停下。评完的都保留着；再运行一次同样的命令，就从这里继续。"
WITHOUT_SANDBOX = (
    "警告：--no-sandbox。学生的代码以你的身份运行：能读你的文件、能上网、能改成绩。"
    "只在一次性的虚拟机或容器里这样做。"
)
REFERENCES = "标准答案"
PAPERS = "份"
MARKED_BEFORE = "上次已评"


def released(name, count, path):
    """Say what was written for a set."""
    return f"{name}: {count} 份 → {path}"


def finished(all_papers, new, stored):
    """Say how many papers a run was about."""
    return f"{all_papers} 份：新评 {new}，已有 {stored}"


def running(papers, now):
    """Say which papers run and for how long; ``papers`` gives when each started."""
    return "，".join(f"{name} {now - start:.0f} 秒" for name, start in list(papers.items()))


def no_mark(name, problem):
    """Say why a paper has no mark."""
    return f"{name}: 没有评分：{problem}"


def broken(item):
    """Say that an item's test failed."""
    return f"{item} 的测试出错"


def marked(name, points, most, notes):
    """Say how many points a paper got."""
    return f"{name}: {points}/{most}" + (f"（{'；'.join(notes)}）" if notes else "")
