"""Own numbers: from the roster's ID and the secret alone, full marks for the reference with all of them."""

import json
from dataclasses import replace

import pytest

from book_grading import marking, release, variants
from book_grading.handed_out import check_handed_out
from book_grading.roster import Roster, Student, read_roster
from book_grading.sheets import BadSheet
from book_grading.source_notebooks import BadSet, Unreadable, read_submission

SECRET = b"a secret of the teacher's"
STUDENTS = [f"2026{n:04d}" for n in range(60)]


def givens(assignment):
    """All givens of a set as text."""
    return "\n".join(cell.source for cell in assignment.cells if cell.variant)


def test_the_same_student_gets_the_same_numbers_and_others_get_others(sets):
    made = [givens(variants.vary_set(sets["hand"], SECRET, student)) for student in STUDENTS]
    again = [givens(variants.vary_set(sets["hand"], SECRET, student)) for student in STUDENTS]
    assert made == again
    assert len(set(made)) == len(STUDENTS), "two of sixty students share all their numbers"


def test_every_exercise_varies(sets):
    cells = [cell for cell in sets["hand"].cells if cell.role == "given" and cell.grade_id != "setup"]
    for cell in cells:
        seen = {variants.vary(cell, SECRET, "hand", student).source for student in STUDENTS}
        assert len(seen) > 5, f"{cell.grade_id} hardly varies"


def test_another_secret_gives_other_numbers(sets):
    one, other = (
        givens(variants.vary_set(sets["hand"], key, "1")) for key in (SECRET, b"another secret, as long")
    )
    assert one != other, "the numbers must not follow from the ID alone"


@pytest.mark.parametrize("student", STUDENTS[:25])
def test_the_reference_gets_full_marks_with_own_numbers(sets, in_process, student):
    assignment = variants.vary_set(sets["hand"], SECRET, student)
    result = marking.mark(assignment, marking.reference(assignment), in_process)
    assert [row for row in result["items"] if row["points"] != row["most"]] == []


def test_another_students_answers_are_wrong_here(sets, makers, in_process):
    """Numbers worked out for one student do not pass as another's."""
    mine, other = (variants.vary_set(sets["hand"], SECRET, student) for student in STUDENTS[:2])
    box = in_process()
    for cell in other.cells:
        if cell.role in ("given", "answer"):
            box.request("run", source=cell.source)
    names = [name for cell in other.by_role("answer") for name, _ in cell.answers]
    values = {name: box.request("get", name=name)["value"] for name in names}
    from book_grading.channel import decode

    copied = []
    for cell in mine.by_role("answer"):
        lines = [f"{name} = {plain(decode(values[name]))!r}" for name, _ in cell.answers]
        copied.append(type(cell)("code", "\n".join(lines), cell.grade_id))
    result = marking.mark(mine, type(marking.reference(mine))(tuple(copied)), in_process)
    assert sum(row["points"] for row in result["items"]) < sum(row["most"] for row in result["items"]) / 2


def plain(value):
    """An array as nested lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def test_the_release_shows_no_secret_and_carries_a_tag(sets, tmp_path):
    roster = Roster(tuple(Student(student, "王五") for student in STUDENTS[:3]))
    release.release(sets["hand"], tmp_path, roster, SECRET)
    paths = [tmp_path / "hand" / f"{student}_王五" / f"{student}.ipynb" for student in STUDENTS[:3]]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    tags = [json.loads(text)["metadata"]["book_tools"]["tag"] for text in texts]
    assert len(set(tags)) == 3
    for text, student in zip(texts, STUDENTS, strict=False):
        assert SECRET.decode() not in text
        assert "choices" not in text, "the choices of the variants are the teacher's"
        assert variants.vary_set(sets["hand"], SECRET, student).cells[4].source.split("\n")[0] in "".join(
            json.loads(text)["cells"][4]["source"]
        )


def test_a_choice_without_its_assignment_is_refused(sets):
    cell = next(cell for cell in sets["hand"].cells if cell.variant)
    broken = type(cell)("code", "x = 1", cell.grade_id, variant=cell.variant)
    with pytest.raises(BadSet, match="does not assign"):
        variants.vary(broken, SECRET, "hand", "1")


def paper(makers, assignment, release, given=None):
    """A submission of ``hand`` whose release said this, with the givens of a set where one is passed."""
    raw = makers["hand"].raw(
        {cell.grade_id: cell.source for cell in (given or assignment).cells if cell.variant}
    )
    raw["metadata"]["book_tools"] = release
    return read_submission(json.dumps(raw).encode())


def own(sets, student):
    """The set with a student's numbers, and what the release with them says of itself."""
    assignment = variants.vary_set(sets["hand"], SECRET, student)
    return assignment, variants.release_mark(assignment, variants.tag_for(SECRET, "hand", student))


def test_a_paper_that_changed_hands_is_noticed(sets, makers):
    (mine, _), (_, theirs) = own(sets, STUDENTS[0]), own(sets, STUDENTS[7])
    (note,) = check_handed_out(mine, paper(makers, mine, theirs), STUDENTS[0], STUDENTS, SECRET)
    assert STUDENTS[7] in note


def test_a_paper_with_the_numbers_handed_out_is_marked_without_a_word(sets, makers):
    mine, release = own(sets, STUDENTS[0])
    assert check_handed_out(mine, paper(makers, mine, release), STUDENTS[0], STUDENTS, SECRET) == []


def test_a_students_own_numbers_in_a_given_are_an_edit(sets, makers):
    """Where the release says which numbers it had, the cells may say what they like."""
    mine, release = own(sets, STUDENTS[0])
    edited = paper(makers, mine, release, given=sets["hand"])
    assert check_handed_out(mine, edited, STUDENTS[0], STUDENTS, SECRET) == []


def with_another_choice(assignment):
    """The set after a choice was appended to each of its variants."""
    cells = [
        replace(cell, variant=tuple({**g, "choices": [*g["choices"], g["choices"][0]]} for g in cell.variant))
        for cell in assignment.cells
    ]
    return replace(assignment, cells=tuple(cells))


def test_other_numbers_than_those_handed_out_are_refused(sets, makers):
    """A forgotten roster, another secret, a changed or renamed source: the release needed is named."""
    student = STUDENTS[0]
    mine, release = own(sets, student)
    handed = paper(makers, mine, release)
    renamed = replace(sets["hand"], name="hand-2")
    longer = with_another_choice(sets["hand"])
    bare = paper(makers, mine, {})
    cases = [
        (sets["hand"], handed, (None, (), None), "--roster"),
        (mine, handed, (student, STUDENTS, b"another secret, as long"), "密钥"),
        (variants.vary_set(longer, SECRET, student), handed, None, "改过"),
        (variants.vary_set(renamed, SECRET, student), handed, None, "hand"),
        (sets["hand"], bare, (None, (), None), "和发放的不同"),
    ]
    for assignment, submission, who, said in cases:
        with pytest.raises(Unreadable, match=said):
            check_handed_out(assignment, submission, *(who or (student, STUDENTS, SECRET)))


def test_a_short_secret_is_refused(tmp_path):
    path = tmp_path / "secret"
    path.write_text("abc")
    with pytest.raises(ValueError, match="at least 16"):
        variants.read_secret(path)


def test_a_new_secret_is_for_its_owners_eyes(tmp_path):
    secret = variants.read_secret(tmp_path / "secret", create=True)
    assert len(secret) >= 32
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0
    assert variants.read_secret(tmp_path / "secret", create=True) == secret, "an existing secret must stay"


def test_a_missing_secret_or_roster_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"secret\.txt must be the file .*; got no such file"):
        variants.read_secret(tmp_path / "secret.txt")
    with pytest.raises(BadSheet, match=r"roster\.csv must be a table; got no such file"):
        read_roster(tmp_path / "roster.csv")
