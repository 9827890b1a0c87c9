"""Checks whether recorded answers about people can be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from showthrough.core.errors import InputError, Problem, join_names, shorten
from showthrough.data.references import NOTHING
from showthrough.families.inference._answer_files import ORIGINAL, AnswerFiles
from showthrough.families.inference._spec import ANSWERS

if TYPE_CHECKING:
    from showthrough.evaluation.plan import Plan

Key = tuple[str, str]  # an anonymization, empty where a line names none, and a document
_EACH = f"expected anonymization in its lines, or {ANSWERS}NAME=FILE,NAME=FILE"


def answer_problems(plan: Plan) -> list[Problem]:
    """What keeps recorded answers from being used: files, names, and texts that they say nothing about."""
    names = dict.fromkeys(name for metric in plan.metrics for name in metric.asks if name.startswith(ANSWERS))
    tested = [anonymization.name for anonymization in plan.anonymizations]
    problems: list[Problem] = []
    if names and ORIGINAL in tested:
        why = "this name is that of the originals among answers; expected another"
        problems.append(Problem("", f"anonymization {ORIGINAL}", why))
    for name in names:
        try:
            files = AnswerFiles(name)
        except InputError as error:
            problems += error.problems
            continue
        file_problems = [*_unknown(files, tested, plan.corpus.ids)]
        problems += file_problems or _untold(files, tested)
    return problems


def _unknown(files: AnswerFiles, tested: Sequence[str], documents: Sequence[str]) -> Iterator[Problem]:
    """Names of no anonymization and ids of no document: nothing in such a file is about what is evaluated."""
    names, ids = [ORIGINAL, *tested], frozenset(documents)
    for of, lines in files.by_name.items():
        path = files.paths[of]
        if of and of not in (*names, NOTHING):
            expected = f"expected some of {join_names(names)}"
            yield Problem(path, f"answers {shorten(of)}", f"is no anonymization; {expected}")
        elif not any(document in ids for _, document in lines):
            message = f"answers about {join_names((document for _, document in lines), 40)}, and no document"
            yield Problem(path, "", f"{message}; expected ids such as {shorten(documents[0])}")


def _untold(files: AnswerFiles, tested: Sequence[str]) -> Iterator[Problem]:
    """An answer about one text says nothing of another, and one that is missing must not look like protection."""
    if "" in files.by_name and len(tested) > 1 and any(not of for of, _ in files.by_name[""]):
        fault = f"does not say which of {len(tested)} anonymizations it is about"
        yield Problem(files.paths[""], "", f"{fault}; {_EACH}")
        return
    for name in tested:
        if not _speaks_of(files.by_name, name):
            message = f"has no answers about {shorten(name)}; {_EACH}"
            yield Problem(", ".join(dict.fromkeys(files.paths.values())), "", message)


def _speaks_of(by_name: Mapping[str, Mapping[Key, object]], name: str) -> bool:
    lines = by_name.get(name, by_name.get("", {}))
    return any(of in ("", name) for of, _ in lines)
