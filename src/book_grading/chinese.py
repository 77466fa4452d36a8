"""Everything that reports and sheets say, in simplified Chinese; an English edition stands beside it."""

LANGUAGE = "zh-CN"

# -- headings of tables: the first is written, all are read

FILE_COLUMNS = ("文件", "文件名", "File")
ITEM_COLUMNS = ("题号", "Item")
POINTS_COLUMNS = ("得分", "分数", "成绩", "评分", "Points", "Score", "Grade")
COMMENT_COLUMNS = ("评语", "说明", "备注", "Comment")
VERSION_COLUMNS = ("答案版本",)
TIME_COLUMNS = (
    "提交时间", "最后修改（提交）", "最后修改(提交)", "交卷时间", "完成时间",
    "Last modified (submission)", "Submitted at", "Time",
)  # fmt: skip

MARK_HEADER = ("学号", "姓名", "文件", "题号", "题目", "满分", "得分", "状态", "反馈")
TOTAL_HEADER = ("学号", "姓名", "班级", "文件", "自动评分", "人工评分", "总分", "满分", "备注")
HAND_HEADER = ("学号", "姓名", "文件", "题号", "题目", "满分", "得分", "评语", "答案版本")
WHOSE_HEADER = ("文件", "学号", "可能是", "原因")
XUEXITONG_HEADER = ("学号/工号", "姓名", "班级", "成绩")
ALL_SETS_HEADER = ("学号", "姓名", "班级")
ALL_SETS_SUM = ("合计", "满分", "备注")
AUTOMATIC, TOTAL, MOST = "自动评分", "总分", "满分"

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
MARKED_BEFORE = "上次已评"


def released(name, count, path):
    """Say what was written for a set."""
    return f"{name}: {count} 份 → {path}"


def finished(all_papers, new, stored):
    """Say how many papers a run was about."""
    return f"{all_papers} 份：新评 {new}，已有 {stored}"


def where(folder):
    """Say where the results are; some sets have no page to mark by hand, and most runs no whose.csv."""
    names = ("summary.html", "by-hand.html", "whose.csv", "similar.html", "totals.csv", "marks.csv")
    return f"→ {folder}: {', '.join(name for name in names if (folder / name).exists())}, feedback/"


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
