"""Everything that reports and sheets say, in English."""

LANGUAGE = "en"

# -- headings of tables, which ``headings`` reads

MARK_HEADER = (
    "Student ID", "Name", "File", "Item", "Title", "Points possible", "Points", "State", "Feedback",
)  # fmt: skip
TOTAL_HEADER = (
    "Student ID", "Name", "Class", "File", "Automatic", "By hand", "Total", "Points possible", "Remarks",
)  # fmt: skip
HAND_HEADER = (
    "Student ID", "Name", "File", "Item", "Title", "Points possible", "Points", "Comment", "Answer version",
)  # fmt: skip
WHOSE_HEADER = ("File", "Student ID", "Perhaps", "Reason")
XUEXITONG_HEADER = ("学号/工号", "姓名", "班级", "成绩")  # the platform reads these and no others
ALL_SETS_HEADER = ("Student ID", "Name", "Class")
ALL_SETS_SUM = ("Total", "Points possible", "Remarks")
AUTOMATIC, TOTAL = "Automatic", "Total"

# -- whose a paper is, and which one counts

NOT_HANDED_IN = "not handed in"
NOT_YET = "not marked yet"
KNOWN_BY_NAME = "no ID in the file name; known by the name"
ID_AGAINST_NAME = "the ID and the name in the file name belong to two students"
SEVERAL_IDS = "more than one ID in the file name"
SEVERAL_NAMES = "more than one name in the file name"
NO_ID = "no ID of the roster in the file name"
TWO_PAPERS = {
    None: "more than one paper of this student; the teacher has to choose",
    True: "more than one paper of this student; this one counts",
    False: "more than one paper of this student; this one does not count",
}


def late(seconds):
    """Say by how much a paper is late."""
    minutes = round(seconds / 60)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [counted(n, unit) for n, unit in ((days, "day"), (hours, "hour"), (minutes, "minute")) if n]
    return "late by " + " ".join(parts or ["less than 1 minute"])


def counted(count, thing):
    """Say how many there are of a thing."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


# -- what a paper is

AND = ", "
COLON = ": "
SEMICOLON = "; "
BRACKETS = " ({})"
NO_CELLS = "the notebook has no cells"
ANOTHER_SET = "this is not a paper of this set"
TOO_MANY_PIECES = "too much in too many pieces for a notebook that somebody wrote"
TOO_DEEP = "not a notebook: its JSON is nested too deep"
CUT_OFF = "the file is not complete, as if the upload had stopped half-way"
NOT_JSON = "not a notebook: the file is not JSON"
NO_CELLS_IN_JSON = "not a notebook: its JSON has no cells"
NOT_TEXT = "not a notebook: the file is not text"
EMPTY_FILE = "the file is empty"
ARCHIVE = "this is an archive: unpack it, then mark"
A_LINK = "this is a link; the file that it points to is not read"
EMPTY_FOLDER = "this is an empty folder"
NO_FILE = "this is not an ordinary file"
NEEDS_ROSTER = (
    "this notebook was handed out by ID, with own numbers for each student: "
    "give the --roster and --secret of the release"
)
UNKNOWN_RELEASE = "this notebook's release mark is not known: use the roster and the secret of the release"
NUMBERS_CHANGED = (
    "the numbers in the questions have changed since the release: "
    "mark with the source notebook, the roster and the secret of the release"
)
NO_MARKS_LEFT = "no cell has kept nbgrader's mark; the answers were found by number, text and name"


def unreadable(why):
    """Say that a file cannot be read."""
    return f"cannot be read: {why}"


def too_large(megabytes):
    """Say that a file is too large."""
    return f"the file is too large (over {megabytes} MiB)"


def too_many_cells(most):
    """Say that a notebook has too many cells."""
    return f"too many cells (over {most})"


def too_much_code(most):
    """Say that a notebook has too much code."""
    return f"too much code (over {most} characters)"


def read_as(encoding):
    """Say in which encoding a file was read."""
    return f"the file was read in its encoding, {encoding}"


def renamed_set(before, now):
    """Say that a set has another name than when it was handed out."""
    return (
        f"this set was called “{before}” when it was handed out and is called “{now}” now: "
        "the numbers are drawn by the name, so mark under the old one"
    )


def given_to(student):
    """Say to whom a notebook was handed out."""
    return f"this notebook was handed out to {student}"


def other_numbers(names):
    """Say which numbers of a question differ from those handed out."""
    return (
        f"the numbers in the questions ({AND.join(names)}) are not those handed out: "
        "use the source notebook, the roster and the secret of this notebook's release"
    )


def missing_answers(names):
    """Say which answers a notebook has lost."""
    return f"missing answer cells: {AND.join(names)}"


def repeated_answers(names):
    """Say which answers stand in a notebook more than once."""
    return f"repeated answer cells, run one after another: {AND.join(names)}"


def edited_cells(names):
    """Say which cells were edited that were not to be."""
    return f"edited cells that were to stay as they were, marked in their first form: {AND.join(names)}"


def magics(names):
    """Say which commands of the notebook do not run while it is marked."""
    return f"magics and ! commands do not run while a paper is marked: {AND.join(names)}"


# -- what code did

UNANSWERED = "You have not answered this yet."  # as Checks says
RAN_INTO = "Your code stopped with an error: "  # in what Checks and `answer_failed` say
UNSEEN = "(details left out: by then the code had seen inputs that only marking uses)"
OUT_OF_TIME = "it ran too long and used up its CPU time (is there a loop that never ends?)"
OUT_OF_MEMORY = "it used too much memory"
SILENT = "no result for a long time (what is the code waiting for?)"
DIED = "the code ended the whole process"
GARBLED = "what came back cannot be read"
NO_SUCH_NAME = "this name was not found"
NOT_FILLED_IN = "not filled in yet"
NOTHING_RETURNED = "the function returned nothing (is a return missing?)"
NOT_DATA = "the result must be a number, list, tuple, dictionary, array or tensor, and nothing else"
TOO_LARGE = "the result is too large"
TOO_MANY_DIGITS = "the result holds an integer with too many digits"


def at_line(text, line):
    """Say in which line of an answer an error arose."""
    return f"{text} (line {line} of the answer cell)"


def answer_failed(error):
    """Say that an answer failed as it ran."""
    return f"Answer cell. {RAN_INTO}{error}"


def value_failed(name, error):
    """Say what is wrong with a value."""
    return f"{name}: {error}"


def test_failed(error):
    """Say that a test itself failed."""
    return f"The test itself failed: {error}"


def marker_failed(error):
    """Say that the marker itself failed."""
    return f"the marker failed ({error})"


def with_solutions(names):
    """Say in place of which earlier answers a question was judged."""
    return f"Your {AND.join(names)} above is not all right yet; this was marked with the model answer for it."


# -- what is handed out

CODE_STUB = '# Write your code here\nraise NotImplementedError("not answered yet")'
TEXT_STUB = "(Write your derivation here.)"

# -- marks

STATES = {
    "full": "all right",
    "part": "some points",
    "wrong": "no points",
    "blank": "not answered",
    "broken test": "test failed; the teacher has to look",
    "adjusted": "changed by the teacher",
    "marked": "marked",
    "unmarked": "to be marked by the teacher",
    "nothing written": "not answered; the teacher has to confirm",
    "no mark": "no mark",
}
TEST_BROKEN = "a test failed; the teacher has to look"
HAND_MARKS_MISSING = "marks by hand are still missing"


def changed(title):
    """Say that an answer, or its automatic mark, is another one than the teacher marked."""
    return f"{title}: the answer has changed since the teacher marked it; please look again"


def automatic_points(points):
    """Name the automatic mark that an adjusted one replaces."""
    return "automatic —" if points is None else f"automatic {points:g}"


def penalty(points):
    """Say what a late paper lost."""
    return f"{points:.3g} points lost for being late"


def no_such_paper(keys):
    """Say which rows of the sheet of hand marks belong to no paper of this run."""
    return f"rows of hand-marks.csv without a paper: {AND.join(keys)}"


def gone(students):
    """Say whose papers an earlier run marked and this one does not find."""
    return (
        f"marked last time and missing now: {AND.join(students)}. "
        "Put late papers into the same folder and mark all of them together."
    )


# -- the student's page

FILE = "File"
ASK_TEACHER = "This paper has no mark: {}. Please ask your teacher."
SUMS = "Tests: {}. Marked by hand: {}. Total: {} of {} points."
NOT_COUNTED = "This paper does not count."
UNCERTAIN = "open"
ALL_RIGHT = "All right."
BROKEN_TEST = "Your teacher will look at this exercise before it gets points."
TO_BE_MARKED = "to be marked"
NO_ANSWER = "Not answered."
ADJUSTED = "Changed by the teacher: {}"
NUMBER = "{}"

# -- the class

CLASS = "{}: the class"
COUNTS = "Papers handed in: {}; marked: {}."
FIGURES = "{} known for {} students: median {}, mean {}, highest {}, lowest {} (of {} points)."
NO_FIGURES = "No points yet."
DISTRIBUTION = "Distribution"
DISTRIBUTION_HEADER = ("Points", "Students")
EACH_ITEM = "Each exercise"
ITEM_HEADER = ("Title", "Points possible", "Mean", "Mean share", "All right", "Not answered")
COMMON_MISTAKES = "Common mistakes"
COMMON = "{} ×: {}"
NEEDS_TEACHER = "For the teacher to look at"
NOTHING = "Nothing."
EVERYBODY = "Everybody"
EVERYBODY_HEADER = ("Student", "Automatic", "By hand", "Total", "Remarks")

# -- derivations

BY_HAND = "{}: marking by hand"
BY_HAND_HELP = (
    "Read all answers to one exercise, and write points and a comment into the boxes. "
    "Enter: the next answer; Shift + Enter: the one before; Ctrl + S: save as by-hand.csv. "
    "Then run the same command again with --hand-marks and the saved file. "
    "What you type is kept in this browser too, if you close the page and open it again."
)
MODEL_ANSWER = "Model answer and marking scheme"
POINTS_BOX = "Points (of {})"
COMMENT_BOX = "Comment"
SAVE = "Save as by-hand.csv"
PROGRESS = "{} of {} marked"
SOURCE_TEXT = "As written"
PICTURE = "There is a picture in it: open the notebook itself to see it."


def marked_before(points, comment):
    """Say that an answer was rewritten after its mark, and what the mark was."""
    said = f" {comment}" if comment else ""
    return (
        "The student has changed this answer since you marked it: please read it and fill in again. "
        f"Points last time: {points}.{said}"
    )


# -- answers that are alike

SIMILAR = "{}: similar answers"
SIMILAR_HELP = (
    "These are facts for you to judge. Right answers to short exercises are alike by nature and left out, "
    "and so is what many have written. “The same” means the same to the letter, comments and blanks too; "
    "“the same but for names” differs in names, comments and blanks alone; in “mostly the same” four fifths "
    "or more of the runs of words agree."
)
SIMILAR_KINDS = {"same": "the same", "renamed": "the same but for names", "near": "mostly the same"}
SIMILAR_PAIR = "{} and {}: {} ×"
NO_SIMILAR = "None found."
SIMILAR_MORE = "Further pairs, not listed: {}."

# -- the command

STOPPED = "Stopped. What was marked is kept; run the same command again to go on from here."
WITHOUT_SANDBOX = (
    "Warning: --no-sandbox. Students' code runs with your rights: it can read your files, reach the network "
    "and change marks. Do this only in a virtual machine or container that you can throw away."
)
REFERENCES = "model answers"
PAPERS = " papers"
MARKED_BEFORE = "marked last time"


def released(name, count, path):
    """Say what was written for a set."""
    return f"{name}: {counted(count, 'notebook')} → {path}"


def finished(all_papers, new, stored):
    """Say how many papers a run was about."""
    return f"{counted(all_papers, 'paper')}: {new} marked now, {stored} before"


def running(papers, now):
    """Say which papers run and for how long; ``papers`` gives when each started."""
    return ", ".join(f"{name} {now - start:.0f} s" for name, start in list(papers.items()))


def no_mark(name, problem):
    """Say why a paper has no mark."""
    return f"{name}: no mark: {problem}"


def broken(item):
    """Say that an item's test failed."""
    return f"the test of {item} failed"


def marked(name, points, most, notes):
    """Say how many points a paper got."""
    return f"{name}: {points}/{most}" + (f" ({'; '.join(notes)})" if notes else "")
