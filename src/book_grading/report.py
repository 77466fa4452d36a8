"""What teacher and students get: marks, totals, feedback pages, class summary, the sheet for hand marks."""

import hashlib
import html
import os
import re
from collections import Counter
from pathlib import Path

from book_grading import sheets

STATES = {
    "full": "全对",
    "part": "部分得分",
    "wrong": "未得分",
    "blank": "未作答",
    "broken test": "测试出错，待老师处理",
}
UNMARKED = (None, "")
PICTURE = re.compile(r"!\[|<img", re.IGNORECASE)
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
body { font: 16px/1.7 "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif; max-width: 46rem;
       margin: 2rem auto; padding: 0 1rem; color: #1f2328; background: #fff; }
table { border-collapse: collapse; width: 100%; } th, td { border: 1px solid #d0d7de; padding: .3rem .6rem; }
th { text-align: left; }
pre { white-space: pre-wrap; background: #f6f8fa; padding: .8rem; }
li { margin: .2rem 0; } .note { color: #7a4b00; }
"""


def write_all(out, assignment, outcomes, hand_path=None):
    """Write every report below ``out``; ``outcomes`` lists (paper, result). Return the totals' rows.

    The hand marks come from ``hand-marks.csv`` in ``out``, as an earlier run left it and the teacher filled
    it in, and from ``hand_path``, which goes before; what was filled in is never lost. Raises BadSheet before
    anything is written.
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "hand-marks.csv"
    most = {cell.grade_id: cell.points for cell in assignment.by_role("derivation")}
    hand = sheets.read_hand_marks(kept, most) if kept.exists() else {}
    hand |= sheets.read_hand_marks(hand_path, most) if hand_path else {}
    outcomes = sorted(outcomes, key=lambda outcome: outcome[0].name)
    sheets.write_sheet(out / "marks.csv", MARK_HEADER, mark_rows(outcomes, hand))
    totals = total_rows(assignment, outcomes, hand)
    sheets.write_sheet(out / "totals.csv", TOTAL_HEADER, totals)
    if most:
        sheets.write_sheet(kept, sheets.HAND_HEADER, hand_rows(assignment, outcomes, hand))
        write_page(out / "by-hand.html", "人工评分的题", by_hand(outcomes))
    write_page(out / "summary.html", f"{assignment.title}：全班情况", summary(assignment, outcomes))
    (out / "feedback").mkdir(exist_ok=True)
    for (paper, result), row in zip(outcomes, totals, strict=True):
        path = out / "feedback" / feedback_name(paper)
        title = f"{assignment.title}：{paper.student or paper.name}"
        write_page(path, title, feedback(paper, result, row, hand))
    return totals


# -- tables
# ---------------------------------------------------------------------------------------------------

MARK_HEADER = ("文件", "学号", "题号", "题目", "满分", "得分", "状态", "反馈")
TOTAL_HEADER = ("文件", "学号", "自动评分", "人工评分", "总分", "满分", "备注")


def mark_rows(outcomes, hand):
    """Yield one row for each paper and exercise."""
    for paper, result in outcomes:
        who = (paper.name, paper.student or "")
        if result["problem"]:
            yield (*who, "", "", "", "", "没有评分", result["problem"])
        for item in result["items"]:
            row = (item["id"], item["title"], number(item["most"]), number(item["points"]))
            yield (*who, *row, STATES[item["state"]], " ".join(item["messages"]))
        for item in result["derivations"]:
            points, comment = hand.get((paper.name, item["id"]), ("", ""))
            state = "已评" if points != "" else ("待老师评" if item["text"] else "未作答，待老师确认")
            row = (
                item["id"],
                item["title"],
                number(item["most"]),
                points if points == "" else number(points),
            )
            yield (*who, *row, state, comment)


def total_rows(assignment, outcomes, hand):
    """Return one row for each paper; a total that is not certain yet stays empty, and the note says why."""
    rows = []
    for paper, result in outcomes:
        notes = [result["problem"], *result["notes"]] if result["problem"] else [*result["notes"]]
        automatic = total([item["points"] for item in result["items"]])
        if result["items"] and automatic is None:
            notes.append("有测试出错，待老师处理")
        marks = [hand.get((paper.name, item["id"]), UNMARKED)[0] for item in result["derivations"]]
        by_hand = total(marks) if marks else 0
        if automatic is None:
            by_hand = None
        elif by_hand is None:
            notes.append("人工评分还没有齐")
        both = total([automatic, by_hand])
        numbers = [number(value) for value in (automatic, by_hand, both, sum(assignment.most))]
        rows.append((paper.name, paper.student or "", *numbers, "；".join(notes)))
    return rows


def total(points):
    """Add points up; None where there are none, or where one is not certain."""
    return None if not points or None in points else sum(points)


def hand_rows(assignment, outcomes, hand):
    """Yield the sheet for hand marks, with what is filled in already, for papers of earlier runs too."""
    present = set()
    for paper, result in outcomes:
        for item in result["derivations"]:
            points, comment = hand.get((paper.name, item["id"]), UNMARKED)
            present.add((paper.name, item["id"]))
            row = (item["id"], item["title"], number(item["most"]), number(points), comment)
            yield paper.name, paper.student or "", *row
    cells = {cell.grade_id: cell for cell in assignment.by_role("derivation")}
    for (name, item), (points, comment) in hand.items():
        if (name, item) not in present:
            yield name, "", item, cells[item].title, number(cells[item].points), number(points), comment


def number(value):
    """Return a whole number as an int, so that tables show 3 and not 3.0; nothing for None."""
    if value is None:
        return ""
    return int(value) if float(value).is_integer() else round(float(value), 2)


# -- pages
# ----------------------------------------------------------------------------------------------------


def write_page(path, title, body):
    """Write a self-contained page that runs no script and loads nothing."""
    page = (
        '<!DOCTYPE html>\n<html lang="zh-CN"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head><body>\n<h1>{text(title)}</h1>\n{body}\n</body></html>\n"
    )
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(page.encode("utf-8", "backslashreplace"))
    os.replace(temporary, path)


def text(value):
    """Escape text for a page."""
    return html.escape(str(value))


def feedback_name(paper):
    """Return a file name for a paper's page: what is safe of its name, and a digest to keep names apart."""
    safe = re.sub(r"[^\w-]+", "-", paper.student or paper.name.removesuffix(".ipynb")).strip("-")[:60]
    digest = hashlib.sha256(paper.name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{safe or 'paper'}-{digest}.html"


def feedback(paper, result, total, hand):
    """Return the body of a student's page."""
    parts = [f"<p>文件：{text(paper.name)}</p>"]
    if result["problem"]:
        return "\n".join([*parts, f'<p class="note">没有评分：{text(result["problem"])}。请和老师联系。</p>'])
    automatic, by_hand, whole, most = total[2:6]
    parts.append(
        f"<p>自动评分{show(automatic)}，人工评分{show(by_hand)}，总分{show(whole)}（满分 {most}）。</p>"
    )
    parts += [f'<p class="note">{text(note)}</p>' for note in result["notes"]]
    for item in result["items"]:
        points = "待定" if item["points"] is None else number(item["points"])
        parts.append(f"<h2>{text(item['title'])}：{points} / {number(item['most'])}</h2>")
        told = item["messages"] if item["state"] != "broken test" else ["这道题要由老师看过再给分。"]
        parts.append("<p>全对。</p>" if item["state"] == "full" else bullets(told))
    for item in result["derivations"]:
        points, comment = hand.get((paper.name, item["id"]), UNMARKED)
        shown = "待评" if points is None else number(points)
        parts.append(f"<h2>{text(item['title'])}：{shown} / {number(item['most'])}</h2>")
        parts += [f"<p>{text(comment)}</p>"] if comment else []
        parts.append(f"<pre>{text(item['text'])}</pre>" if item["text"] else "<p>没有作答。</p>")
    return "\n".join(parts)


def show(value):
    """Show a number that may not be certain yet, spaced as Chinese text spaces numbers."""
    return "待定" if value == "" else f" {value}"


def bullets(lines):
    """Return a list of escaped lines."""
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def summary(assignment, outcomes):
    """Return the body of the class summary: success of each item, common mistakes, what needs the teacher."""
    marked = [result for _, result in outcomes if result["items"]]
    handed_in = sum(paper.path is not None for paper, _ in outcomes)
    parts = [f"<p>交来 {handed_in} 份，评了 {len(marked)} 份。</p>", "<h2>每道题</h2>"]
    rows = []
    for i, cell in enumerate(assignment.by_role("test")):
        items = [result["items"][i] for result in marked if result["items"][i]["points"] is not None]
        full = sum(item["state"] == "full" for item in items)
        blank = sum(item["state"] == "blank" for item in items)
        mean = sum(item["points"] for item in items) / len(items) if items else 0
        rate = f"{100 * full / len(items):.0f}%" if items else "—"
        rows.append((cell.title, number(cell.points), f"{mean:.2f}", rate, blank))
    parts.append(table(("题目", "满分", "平均分", "全对的比例", "未作答"), rows))
    parts.append("<h2>常见的错误</h2>")
    for i, cell in enumerate(assignment.by_role("test")):
        said = Counter(message for result in marked for message in result["items"][i]["messages"])
        common = [f"{count} 人：{message}" for message, count in said.most_common(5)]
        parts += [f"<h3>{text(cell.title)}</h3>", bullets(common)] if common else []
    attention = [f"{paper.name}：{note}" for paper, result in outcomes for note in needs_teacher(result)]
    return "\n".join([*parts, "<h2>需要老师处理</h2>", bullets(attention) if attention else "<p>没有。</p>"])


def needs_teacher(result):
    """List why a result needs the teacher's eye."""
    broken = [
        f"{item['title']}的{STATES['broken test']}" for item in result["items"] if item["points"] is None
    ]
    return [*([result["problem"]] if result["problem"] else []), *result["notes"], *broken]


def table(header, rows):
    """Return a table of escaped cells."""
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{text(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def by_hand(outcomes):
    """Return the body of the page on which the teacher reads all written answers."""
    parts = ["<p>分数填进 hand-marks.csv，再运行一次同样的命令。</p>"]
    for paper, result in outcomes:
        for item in result["derivations"]:
            parts.append(f"<h2>{text(paper.name)}　{text(item['title'])}（满分 {number(item['most'])}）</h2>")
            if PICTURE.search(item["text"]):
                parts.append('<p class="note">里面有图片，请打开原来的笔记本看。</p>')
            parts.append(f"<pre>{text(item['text'])}</pre>" if item["text"] else "<p>没有作答。</p>")
    return "\n".join(parts)
