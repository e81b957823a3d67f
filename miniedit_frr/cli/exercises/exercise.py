"""`miniedit-frr exercise`: graded exercises for students, teachers and authors, without a window."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from frrlib.exercises.checking import ChapterResults, current_chapter
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import LabStarter, Outcome, lab_starter
from frrlib.exercises.exercise import FILE, START, Chapter, Exercise, StudentExercise, exercises_below, load
from frrlib.exercises.experiments import use_virtual_time
from frrlib.exercises.gradebooks import write_workbook
from frrlib.exercises.grading import Grade, points_so_far, submissions_in, with_notes
from frrlib.exercises.packed import SUFFIX
from frrlib.exercises.packed import pack as write_packed
from frrlib.exercises.pages import rows, write_grades
from frrlib.exercises.running import check_now, lab_of, with_typed_lines
from frrlib.exercises.separate_process import LabSettings
from frrlib.exercises.skeleton import write_skeleton
from frrlib.exercises.stored_grades import StoredGrades
from frrlib.exercises.submissions import hand_in as write_submission
from frrlib.exercises.trial import Trial, students, try_exercise
from frrlib.exercises.work import Work, begin, read_work
from frrlib.places import PlaceName
from frrlib.safe_text.plain import plain
from miniedit_frr.cli.exercises import make
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, Kernel, Scheduler, Trust, VirtualTime, print_json
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.user.package_files import examples_folder

exercise_app = typer.Typer(no_args_is_help=True, help="Graded exercises: work on them, grade them, write them.")

ExerciseName = Annotated[
    str, typer.Argument(metavar="EXERCISE", help="Folder of an exercise, or the name of one that `list` shows.")
]
WorkFolder = Annotated[Path, typer.Option("--work", metavar="DIR", help="Folder of your work.")]
PlaceOption = Annotated[PlaceName, typer.Option(help="Place of the lab.")]
_MARKS = {"holds": "[x]", "fails": "[ ]", "not made": "[-]"}


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    make.add_to(exercise_app)
    app.add_typer(exercise_app, name="exercise")


# --- students -----------------------------------------------------------------------------------------------------


@exercise_app.command("list")
def list_all(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Folder of exercises (default: those that ship).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List exercises, with their points and the time that they take."""
    with report_errors():
        exercises = exercises_below(folder or _shipped_folder())
    if as_json:
        print_json([_exercise_json(exercise) for exercise in exercises])
        return
    for exercise in exercises:
        content = exercise.content
        chapters = len(content.chapters)
        _write(
            f"{exercise.name:<20} {content.title}: {chapters} {'chapter' if chapters == 1 else 'chapters'}, "
            f"{exercise.points} points, {content.minutes} minutes"
        )


@exercise_app.command()
def start(
    exercise: ExerciseName,
    student: Annotated[str, typer.Option(help="Your id, from which your own addresses and numbers are drawn.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="New folder for your work (default: the exercise's name).")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name.")] = "",
) -> None:
    """Start an exercise: make a folder with your own topology, and print the first chapter."""
    with report_errors():
        found = _find(exercise)
        work = begin(found, folder or Path(found.name), student, name)
        _write(f"Your work is in {work.folder}. Run all further commands there.\n")
        _print_status(work)


@exercise_app.command()
def status(work: WorkFolder = Path(), as_json: AsJson = False) -> None:
    """Print the text of the current chapter, its tasks, and your points."""
    with report_errors():
        opened = _open(work)
        if as_json:
            print_json(_status_json(opened))
        else:
            _print_status(opened)


@exercise_app.command()
def check(
    work: WorkFolder = Path(),
    answer: Annotated[
        list[str] | None, typer.Option("--answer", metavar="TASK=TEXT", help="Your answer. Repeat for several.")
    ] = None,
    place: PlaceOption = PlaceName.AUTO,
    kernel: Kernel = None,
    virtual_time: VirtualTime = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Make the checks of the current chapter. The exit status is 1 if one does not hold.

    The checks are made in the running lab of your topology, if there is one; typed configurations are copied into your
    topology then. Otherwise a new lab is started and ended.
    """
    show = _nothing if as_json else _print_outcome
    with report_errors():
        opened = _open(work).answered(_answers(answer))
        if lab_of(opened) is None:
            _ask(opened.exercise, trust, place)
            if current_chapter(opened).needs_lab:
                stderr().print("starting a lab for the checks", highlight=False)
        checked = check_now(opened, _starter(opened.exercise.exercise, place, kernel, virtual_time), show)
    if as_json:
        print_json({"passed": checked.is_passed, "checks": [_outcome_json(each) for each in checked.outcomes]})
    else:
        _print_results(checked)
    if not checked.is_passed:
        raise typer.Exit(FAILED)


@exercise_app.command()
def hint(work: WorkFolder = Path()) -> None:
    """Print the next hint of the current chapter. It costs points, which `status` names."""
    with report_errors():
        _, text = _open(work).next_hint()
    _write(text)


@exercise_app.command()
def restore(
    work: WorkFolder = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Put the reference state of the current chapter in place and go on. The chapter's points are lost."""
    with report_errors():
        opened = _open(work)
        question = "The points of this chapter will be lost. Restore it?"
        if not yes and not (sys.stdin.isatty() and typer.confirm(question, default=False)):
            exit_with("nothing was restored; --yes restores the chapter without a question", WRONG_INPUT)
        opened, chapter, kept = opened.restore()
        card = lab_of(opened)
    _write(f"{chapter.title} is restored. Your own topology is kept in {kept}.")
    if card is not None:
        _write(
            f"The running lab still has your own: end it with `miniedit-frr labs stop {card.name}`, and start again."
        )


@exercise_app.command("hand-in")
def hand_in(
    work: WorkFolder = Path(),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write (default: EXERCISE-STUDENT.zip in your work).")
    ] = None,
) -> None:
    """Write your work into one file for your teacher."""
    with report_errors():
        opened = _open(work)
        opened = with_typed_lines(opened)
        state = opened.state
        path = out or opened.folder / f"{state.exercise}-{state.student}.zip"
        write_submission(opened, path)
    _write(f"{path} was written. Give this file to your teacher.")


# --- teachers and authors -----------------------------------------------------------------------------------------


@exercise_app.command()
def grade(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the submissions (*.zip).")],
    exercise: Annotated[str, typer.Option("--exercise", help="Folder or name of the exercise.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the grades.")] = Path("grades"),
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Submissions that are graded at the same time.")] = 1,
    again: Annotated[bool, typer.Option("--again", help="Grade submissions again that have a grade in DIR.")] = False,
    scheduler: Scheduler = "",
    xlsx: Annotated[bool, typer.Option("--xlsx", help="Write grades.xlsx, too (needs XlsxWriter).")] = False,
    place: PlaceOption = PlaceName.AUTO,
    kernel: Kernel = None,
    virtual_time: VirtualTime = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Grade submissions: each is built anew in a lab. Writes grades.csv, index.html and a page for each student.

    A submission that is broken or breaks the rules gets no points, with the reason, and does not affect the others.
    """
    from frrlib.exercises.workers import grade_all  # it imports Dask

    with report_errors():
        found = _find(exercise)
        _ask(found.of_student("teacher"), trust, place)
        is_virtual = use_virtual_time(found, virtual_time, place.value, kernel)
        settings = LabSettings(place.value, kernel, is_virtual)
        files = submissions_in(folder)
        stored = StoredGrades(out / "kept", found, f"{settings}")
        graded = {} if again else {path: kept for path in files if (kept := stored.find(path)) is not None}
        if graded:
            stderr().print(f"{len(graded)} are graded already; --again grades them again", highlight=False)
        try:
            left = [path for path in files if path not in graded]
            for path, new_grade in grade_all(found, left, settings, jobs, scheduler=scheduler):
                graded[path] = new_grade
                stored.keep(path, new_grade)
                _show_grade(new_grade, len(graded), len(files))
        finally:
            grades = with_notes([graded[path] for path in files if path in graded], found)
            if grades:  # after Ctrl-C, those until then
                write_grades(found, grades, out)
        if xlsx:
            write_workbook(rows(found, grades), out / "grades.xlsx")
    if as_json:
        print_json([_grade_json(each) for each in grades])
    else:
        _write(f"{len(grades)} graded; the grades are in {out / 'grades.csv'} and {out / 'index.html'}")


@exercise_app.command()
def new(folder: Annotated[Path, typer.Argument(metavar="NAME", help="New folder.")]) -> None:
    """Write a small complete exercise with comments, from which you start your own."""
    with report_errors():
        write_skeleton(folder)
    _write(f"{folder} was written. Try it: miniedit-frr exercise test {folder}")


@exercise_app.command()
def pack(
    exercise: ExerciseName,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write (default: NAME.mnx in this folder).")
    ] = None,
) -> None:
    """Write an exercise into one file, which all commands read like its folder. The solution is included."""
    with report_errors():
        found = _find(exercise)
        path = out or Path(f"{found.name}{SUFFIX}")
        write_packed(found.folder, path)
    _write(f"{path} was written.")


@exercise_app.command("test")
def try_out(
    exercise: ExerciseName,
    count: Annotated[int, typer.Option("--students", min=1, max=1000, help="Number of students to try.")] = 1,
    place: PlaceOption = PlaceName.AUTO,
    kernel: Kernel = None,
    virtual_time: VirtualTime = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Test an exercise: solutions get all points, a start gets none, wrong answers lose what they should."""
    with report_errors():
        found = _find(exercise)
        _ask(found.of_student("teacher"), trust, place)
        starter = _starter(found, place, kernel, virtual_time)
        trials = try_exercise(found, students(count), starter, _nothing if as_json else _print_trial)
    problems = sum(len(trial.problems) for trial in trials)
    if as_json:
        print_json([_trial_json(trial) for trial in trials])
    else:
        _write(f"{len(trials)} topologies tried, {problems} {'problem' if problems == 1 else 'problems'}")
    if problems:
        raise typer.Exit(FAILED)


# --- shared parts -------------------------------------------------------------------------------------------------


def _shipped_folder() -> Path:
    return examples_folder() / "exercises"


def _find(name: str) -> Exercise:
    """The exercise in a folder, or the one of that name among those that ship. Raises ExerciseError."""
    path = Path(name)
    shipped = exercises_below(_shipped_folder())
    if path.name == FILE or path.suffix == SUFFIX or (path / FILE).is_file() or len(path.parts) > 1:
        if any(exercise.name == name for exercise in shipped):
            stderr().print(f"{name}: uses the copy in this folder, not the exercise of the program", markup=False)
        return load(path)
    for exercise in shipped:
        if exercise.name == name:
            return exercise
    raise ExerciseError(
        name, "is no exercise", f"choose one of {', '.join(each.name for each in shipped)}, or a folder"
    )


def _open(folder: Path) -> Work:
    return read_work(folder, {exercise.name: exercise for exercise in exercises_below(_shipped_folder())})


def _answers(words: list[str] | None) -> dict[str, str]:
    pairs = [word.partition("=") for word in words or ()]
    for task, equals, _ in pairs:
        if not equals:
            exit_with(f"{task}: an answer has the form TASK=TEXT", WRONG_INPUT)
    return {task.strip(): text.strip() for task, _, text in pairs}


def _ask(exercise: StudentExercise, trusted: bool, place: PlaceName) -> None:
    """Ask for the permissions that the exercise's own topology requests. Those of students do not count."""
    ask_permission(exercise.start(), exercise.exercise.folder / START, trusted, place.value)


def _starter(exercise: Exercise, place: PlaceName, kernel: Path | None, virtual_time: bool) -> LabStarter:
    is_virtual = use_virtual_time(exercise, virtual_time, place.value, kernel)
    return lab_starter(place.value, kernel, virtual_time=is_virtual)


def _nothing(_: object) -> None:
    pass


def _write(text: str) -> None:
    sys.stdout.write(f"{plain(text)}\n")
    sys.stdout.flush()


def _print_outcome(outcome: Outcome) -> None:
    check = outcome.check
    _write(f"{_MARKS[outcome.state]} {check.title} ({check.id}): {outcome.points} of {_points(check.points)}")
    if outcome.state == "fails" and check.message:
        _write(f"    {check.message}")
    if outcome.state != "holds":
        _write(f"    {'Seen: ' if outcome.state == 'fails' else ''}{outcome.seen}.")


def _print_results(checked: ChapterResults) -> None:
    work = checked.work
    _write(f"\n{checked.chapter.title}: {_progress(work, checked.chapter)}")
    if checked.is_passed:
        following = work.current
        _write(f"All checks hold. The next chapter is {following.title}: miniedit-frr exercise status" if following
               else "All chapters are done: miniedit-frr exercise hand-in")  # fmt: skip


def _print_status(work: Work) -> None:
    chapter = work.current
    for each in work.chapters:
        state = work.state.chapter(each.id)
        word = "restored" if state.restored else "done" if state.passed else "now" if each == chapter else "later"
        _write(f"{each.title}: {word}, {_progress(work, each)}")
    if chapter is None:
        _write("All chapters are done: miniedit-frr exercise hand-in")
        return
    state = work.state.chapter(chapter.id)
    _write(f"\n{work.exercise.page(chapter)}\nTasks:")
    for check in work.exercise.checks(chapter, hidden=False):
        _write(f"{_MARKS['holds' if check.id in state.held else 'fails']} {check.title} ({check.id})")
    left = chapter.hints[state.hints :]
    if left:
        _write(f"Hints left: {len(left)}; the next one costs {_points(left[0].price)}.")


def _progress(work: Work, chapter: Chapter) -> str:
    """The points of a chapter so far, and those that the student's own checks cannot show."""
    hidden = sum(check.points for check in chapter.checks if check.hidden)
    text = f"{points_so_far(work, chapter)} of {_points(chapter.points - hidden)}"
    return f"{text}, and {hidden} more by checks that only your teacher makes" if hidden else text


def _points(count: int) -> str:
    return f"{count} {'point' if count == 1 else 'points'}"


def _show_grade(grade: Grade, number: int, count: int) -> None:
    result = grade.error or f"{grade.points} of {_points(grade.points_possible)}"
    text = f"{number} of {count}: {grade.file}: {result}"
    stderr().print(plain(text), highlight=False, markup=False, soft_wrap=True)


def _print_trial(trial: Trial) -> None:
    _write(f"{trial.student}, {trial.subject}: {_points(trial.points)}{'' if trial.problems else ', as expected'}")
    for problem in trial.problems:
        _write(f"    {problem}")


def _exercise_json(exercise: Exercise) -> dict[str, Any]:
    content = exercise.content
    return {
        "name": exercise.name, "title": content.title, "minutes": content.minutes, "points": exercise.points,
        "aims": list(content.aims), "chapters": [chapter.id for chapter in content.chapters],
        "folder": str(exercise.folder),
    }  # fmt: skip


def _status_json(work: Work) -> dict[str, Any]:
    chapter = work.current
    chapters = [
        {
            "id": each.id,
            "title": each.title,
            "points": points_so_far(work, each),
            "possible": each.points,
            **work.state.chapter(each.id).model_dump(mode="json"),
        }
        for each in work.chapters
    ]
    return {
        "exercise": work.state.exercise, "student": work.state.student, "name": work.state.name,
        "chapter": chapter.id if chapter else None, "text": work.exercise.page(chapter) if chapter else "",
        "chapters": chapters, "answers": work.state.answers,
    }  # fmt: skip


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    check = outcome.check
    return {
        "id": check.id, "title": check.title, "state": outcome.state, "points": outcome.points,
        "possible": check.points, "message": check.message, "seen": outcome.seen,
    }  # fmt: skip


def _grade_json(grade: Grade) -> dict[str, Any]:
    return {
        "file": grade.file, "student": grade.student, "name": grade.name, "points": grade.points,
        "possible": grade.points_possible, "error": grade.error, "notes": list(grade.notes),
        "unused": list(grade.unused),
        "chapters": [
            {
                "id": each.chapter.id, "points": each.points, "possible": each.chapter.points, "reason": each.reason,
                "checks": [_outcome_json(outcome) for outcome in each.outcomes],
            }
            for each in grade.chapters
        ],
    }  # fmt: skip


def _trial_json(trial: Trial) -> dict[str, Any]:
    return {
        "student": trial.student, "subject": trial.subject, "points": trial.points, "problems": list(trial.problems),
    }  # fmt: skip
