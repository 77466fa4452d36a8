"""The teacher's list of students: IDs and names from whatever a registry or a teaching platform exports."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from book_grading import headings, sheets
from book_grading.sheets import BadSheet
from transformer_book.checks.messages import must_be

COLUMNS = headings.ROSTER_COLUMNS


@dataclass(frozen=True)
class Student:
    """One row: the ID that marks go by, the name shown beside it, the class, the platform's own number."""

    id: str
    name: str = ""
    group: str = ""
    platform: str = ""
    email: str = ""

    @property
    def label(self):
        """The ID, with the name where it is known: what tables, pages and folders call the student."""
        return f"{self.id} {self.name}".strip()


@dataclass(frozen=True)
class Roster:
    """The students in the teacher's order."""

    students: tuple[Student, ...] = ()

    def __bool__(self):
        return bool(self.students)

    @cached_property
    def by_id(self):
        """The students by ID."""
        return {student.id: student for student in self.students}

    @property
    def ids(self):
        """The IDs in order."""
        return [student.id for student in self.students]

    def get(self, student):
        """Return the row of an ID; for one that is not on the roster, a row of the ID alone."""
        return self.by_id.get(student) or Student(student or "")


NOBODY = Roster()


def read_roster(path):
    """Read a roster; raise BadSheet if an ID is missing, repeated or unfit for a file name."""
    students = []
    for number, row in sheets.read_sheet(path, COLUMNS, ("id",)):
        if row.get("name", "").strip().casefold() == "points possible":  # Canvas puts them under its headings
            continue
        students.append(read_student(row, f"{path}, row {number}"))
    ids = [student.id for student in students]
    for student in ids:
        if ids.count(student) > 1:
            raise BadSheet(must_be(f"an ID in {path}", "there once", f"{student} twice"))
    if not students:
        raise BadSheet(must_be(str(path), "a roster with a student", "headings alone"))
    return Roster(tuple(students))


def read_student(row, where):
    """Read one student; raise BadSheet with the row's place if the ID cannot be used."""
    values = {field: unicodedata.normalize("NFKC", text).strip() for field, text in row.items()}
    student = values["id"]
    fit = all(char.isalnum() or char in "-_." for char in student) and not student.startswith(".")
    if not student or not fit:
        raise BadSheet(must_be(f"the ID in {where}", "letters, digits, - and _", repr(student)))
    name = values.get("name") or values.get("last", "") + values.get("first", "")
    number = rf"(?:Participant|{headings.PARTICIPANT})\s*(\d+)"
    participant = re.fullmatch(number, values.get("participant", ""))
    platform = participant[1] if participant else values.get("canvas", "")
    return Student(
        student, " ".join(name.split()), values.get("group", ""), platform, values.get("email", "")
    )
