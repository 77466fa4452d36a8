"""What tables and file names are read by, in whatever language a platform or an earlier run wrote them.

The likeliest heading of a column stands first.
"""

FILE_COLUMNS = ("文件", "文件名", "File")
ITEM_COLUMNS = ("题号", "Item")
POINTS_COLUMNS = ("得分", "分数", "成绩", "评分", "Points", "Score", "Grade")
COMMENT_COLUMNS = ("评语", "说明", "备注", "Comment", "Remarks")
VERSION_COLUMNS = ("答案版本", "Answer version")
AUTOMATIC_COLUMNS = ("自动评分", "Automatic")
TOTAL_COLUMNS = ("总分", "Total")
MOST_COLUMNS = ("满分", "Points possible")
TIME_COLUMNS = (
    "提交时间", "最后修改（提交）", "最后修改(提交)", "交卷时间", "完成时间",
    "Last modified (submission)", "Submitted at", "Time",
)  # fmt: skip


# Headings by field, the likeliest first. Canvas's "ID" and Moodle's "Participant 17" are the platform's own
# numbers: the first stands for the student's ID only where no better column is there, the second never.
ROSTER_COLUMNS = {
    "id": (
        "学号",
        "学生学号",
        "学号/工号",
        "学/工号",
        "学工号",
        "工号",
        "学生编号",
        "学籍号",
        "学生证号",
        "Student ID",
        "Student No",
        "Student Number",
        "SIS User ID",
        "ID number",
        "SIS Login ID",
        "用户名",
        "Username",
        "ID",
        "Student",
    ),
    "name": ("姓名", "学生姓名", "名字", "全名", "Full name", "Name", "Student name", "Student"),
    "group": ("班级", "行政班", "行政班级", "教学班", "专业班级", "Class", "Section", "Group"),
    "participant": ("Identifier", "编号"),
    "canvas": ("ID",),
    "first": ("名", "First name"),
    "last": ("姓", "Surname", "Last name"),
    "email": ("邮箱", "电子邮件", "电子邮件地址", "Email", "Email address"),
}
PARTICIPANT = "参与者"
COPIED = "副本"  # hand - 副本: what systems add to a copy's name
OCLOCK = "点"
# Words that stand right before or after a name without being part of it: 作业王五, 王五的作业.
BEFORE_NAME = (
    r"(?<![\u4e00-\u9fff])|(?<=作业)|(?<=实验)|(?<=练习)|(?<=报告)|(?<=班)|(?<=组)|(?<=号)|(?<=姓名)"
)
AFTER_NAME = (
    r"(?![\u4e00-\u9fff])|(?=的|作业|实验|第|提交|练习|报告|手算|代码|最终|终稿|修改|副本|大作业|学号)"
)
