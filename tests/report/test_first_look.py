"""What the first screen is made of: the checklist, the three numbers, and the worst sentence."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.report.evidence import evaluation, evidence
from showthrough.report.tiles import Tile, tiles
from showthrough.report.worst import Example, Released, describe_absence, worst_example
from showthrough.run.gate.accepted import Accepted, AcceptedIdentifier
from showthrough.run.gate.checking import Gate
from showthrough.run.gate.state import Decision, decide, decisions
from showthrough.run.pairing import RunPair
from showthrough.run.thresholds import Threshold
from showthrough.studies.failures import Inspection
from situations import METRICS, letters, release, run_of

TITLES = [
    "Annotations", "Search of the release", "Attack with background", "Linkage between documents", "Distinguishing",
    "Inference", "Reconstruction", "Authorship", "Number of documents", "Independence of documents",
]  # fmt: skip


NOTIONS = {  # the six of docs/notions.md, of which one line has two
    "identifier removal", "membership and linkage", "theoretical bounds", "attribute and semantic inference",
    "reconstruction",
}  # fmt: skip


@pytest.fixture(scope="module")
def four_left() -> Run:
    """Forty letters; of four the names can be read."""
    made = letters(40)
    return run_of(made, release(made, lambda at, one: one.masks[1:] if at < 4 else one.masks))


def states(run: Run) -> dict[str, str]:
    return {item.title: item.state for item in evidence(run, decide(run))}


def test_the_checklist_says_what_was_tested_and_what_was_not(four_left: Run) -> None:
    found = evidence(four_left, decide(four_left))
    assert [item.title for item in found] == TITLES
    assert states(four_left) == dict(zip(TITLES, [*["tested"] * 3, *["absent"] * 5, "weak", "tested"], strict=True))
    assert {item.notion for item in found} - {""} == NOTIONS
    by_title = {item.title: item for item in found}
    assert by_title["Annotations"].note == "80 direct identifiers marked"
    assert by_title["Inference"].command.startswith("showthrough evaluate CORPUS tool=FILE --metric ")
    assert by_title["Attack with background"].note == "an attacker who knows “the register” looked for people"


def test_what_is_lacking_is_absent_or_doubtful(four_left: Run) -> None:
    def fewer(*kept: str) -> Run:
        return replace(
            four_left,
            metrics=[record for record in four_left.metrics if record.text in kept],
            rows={text: rows for text, rows in four_left.rows.items() if text in kept},
            scores=[score for score in four_left.scores if score.metric in kept],
        )

    marked = states(fewer("er_di"))
    assert (marked["Search of the release"], marked["Attack with background"]) == ("weak", "absent")
    attacked = states(fewer("trir"))
    assert (attacked["Annotations"], attacked["Search of the release"]) == ("absent", "absent")
    silver = replace(four_left, corpus=replace(four_left.corpus, silver="silver(a.v1)"))
    assert states(silver)["Annotations"] == "weak"
    doubtful = replace(four_left, corpus=replace(four_left.corpus, doubtful=3))
    assert states(doubtful)["Independence of documents"] == "weak"
    copies = run_of([letters(5)[at % 5] for at in range(40)], metrics=METRICS[:3])
    assert states(copies)["Independence of documents"] == "weak"
    weak = run_of(letters(40), weak=True)
    assert states(weak)["Attack with background"] == "weak"


def test_a_command_names_files_without_their_folders(four_left: Run) -> None:
    run = replace(
        four_left,
        corpus=replace(four_left.corpus, source="/home/ann/cases of 2025.json"),
        anonymizations=[replace(one, source="/home/ann/masks.json") for one in four_left.anonymizations],
    )
    assert evaluation(run, "--more") == "showthrough evaluate 'cases of 2025.json' tool=masks.json --more"


def test_three_numbers_with_all_that_they_are_read_beside(four_left: Run) -> None:
    """4 of 80 identifiers are 5 %."""
    readable, found, kept = tiles(four_left, decide(four_left))
    assert (readable.figure, readable.detail) == ("4 of 80", "in 4 of 40 documents")
    assert readable.share == pytest.approx(0.05)
    assert (readable.limit, readable.limit_words) == (None, "")  # none may be readable: 5 % would contradict that
    assert (readable.most, readable.grade) == (True, "missed")
    assert readable.rule == "no direct identifier may be readable unless somebody accepted it"
    assert readable.rule in readable.words
    assert (found.rule, kept.rule) == ("", "")
    score = four_left["tool", "removed_di"]
    assert score.low is not None
    assert score.high is not None
    assert readable.low == pytest.approx(1 - score.high)
    assert readable.high == pytest.approx(1 - score.low)
    attack = four_left["tool", "trir"].value
    assert attack is not None
    assert (found.share, found.figure, found.limit) == (attack, f"{round(40 * attack)} of 40", 0.09)
    assert (kept.title, kept.figure, kept.share, kept.most) == ("Needless masking", "0.0 %", 0.0, True)
    precision = four_left["tool", "precision"]
    assert (kept.low, kept.high) == (1 - precision.high, 1 - precision.low)  # type: ignore[operator]


def test_the_tile_says_why_one_of_400_is_too_many() -> None:
    """0.25 % is within the limit of 5 %; who accepted it needs no such rule."""
    made = letters()
    run = run_of(made, release(made, lambda at, one: one.masks[1:] if at == 7 else one.masks), metrics=METRICS[:3])
    tile = tiles(run, decide(run))[0]
    assert (tile.figure, tile.grade, bool(tile.rule)) == ("1 of 400", "missed", True)
    entry = AcceptedIdentifier("letter-007", "N.", "2025-11-18", "public", made[7].name)
    tile = tiles(run, decide(run, accepted=Accepted((entry,), "a.json")))[0]
    assert (tile.figure, tile.grade, tile.rule) == ("1 of 400", "met", "")


def test_a_limit_says_what_it_is_and_whose() -> None:
    """9 % is usual, 30 % is not; of precision at least 50 %, needless masking may be as much."""
    run = run_of(letters(40))
    found = tiles(run, decide(run))[1]
    assert found.limit_words == "limit: at most 9.0 % (usual)"
    assert found.high is not None
    assert found.doubt_words == f"up to {100 * found.high:.1f} % cannot be ruled out"
    assert found.limit_words in found.words
    chosen = tiles(run, decide(run, thresholds=[Threshold("trir", "max", 0.3), Threshold("precision", "min", 0.5)]))
    assert chosen[1].limit_words == "limit: at most 30.0 % (set for this report)"
    assert chosen[2].limit_words == "limit: at most 50.0 % (set for this report)"
    kept = Tile("Text kept", "90.0 %", "", 0.9, 0.85, 0.95, 0.8, most=False)
    assert (kept.limit_words, kept.doubt_words) == (
        "limit: at least 80.0 % (usual)",
        "as little as 85.0 % cannot be ruled out",
    )
    assert (Tile("Text kept", "–", "").limit_words, Tile("Text kept", "–", "").doubt_words) == ("", "")


def test_what_was_not_measured_has_no_number() -> None:
    made = letters(20)
    run = run_of(made, annotator="", metrics=["residual"])
    assert [(one.figure, one.share) for one in tiles(run, decide(run))] == [("–", None)] * 3


def test_what_moved_since_an_earlier_run(four_left: Run) -> None:
    made = letters(40)
    earlier = RunPair(four_left, run_of(made), "last")
    readable, found, kept = (one.moved for one in tiles(four_left, decide(four_left), earlier))
    assert readable == "worse: was 0.0 % in the earlier release"
    assert found.startswith("worse: was ")
    assert kept == "unchanged: was 0.0 % in the earlier release"
    back = tiles(run := run_of(made), decide(run), RunPair(run, four_left, "last"))
    assert back[0].moved == "better: was 5.0 % in the earlier release"


def test_a_weak_attacker_and_silver_marks_make_no_number_sure() -> None:
    run = run_of(letters(), weak=True)
    assert [one.grade for one in tiles(run, decide(run))[:2]] == ["met", "unsure"]
    silver = replace(run, corpus=replace(run.corpus, silver="silver(a.v1)"))
    assert [one.grade for one in tiles(silver, decide(silver))[:2]] == ["unsure", "unsure"]


def example(run: Run, name: str = "tool", **options: bool) -> Example | None:
    assert run.texts is not None
    return worst_example(run, name, Inspection(run.texts).of(name), **options)


def marked(found: Example | None) -> tuple[str, list[str]]:
    assert found is not None
    return "".join(text for text, _ in found.pieces), [text for text, telling in found.pieces if telling]


def test_the_worst_sentence_is_of_the_release(four_left: Run) -> None:
    made = letters(40)
    found = example(four_left)
    text, telling = marked(found)
    assert found is not None
    name = next(one for at, one in enumerate(made) if f"letter-{at:03}" == found.document)
    assert telling == [name.name]
    assert text == f"Ms {name.name}, file [CODE], of [LOC], wrote to us."
    assert found.what == "direct identifier: names (PERSON)"


def test_where_names_are_hidden_words_are_shown_by_which_somebody_was_found() -> None:
    made = letters(40)
    run = run_of(made, release(made, lambda at, one: one.masks[:2] if at < 30 else one.masks))
    _, telling = marked(example(run))
    assert telling[0] in [one.town for one in made]
    quasi = example(run, attacked=False)
    assert quasi is not None
    assert quasi.what == "indirect identifier: LOC" or "places" in quasi.what


def test_of_a_run_without_text_there_is_no_sentence(four_left: Run) -> None:
    assert worst_example(four_left.without_text(), "tool", None) is None
    safe = run_of(letters(20), metrics=METRICS[:3])
    assert example(safe) is None


def absence(run: Run, **settings: object) -> tuple[str, str]:
    assert run.texts is not None
    return describe_absence(run, decide(run), Inspection(run.texts).of("tool"), **settings)  # type: ignore[arg-type]


def test_that_nothing_can_be_read_is_only_said_of_what_was_looked_for(four_left: Run) -> None:
    """Nobody reads a claim of safety where a name is left, where nobody marked, or where a run was stopped."""
    nothing = "No marked identifier can be read in this release"
    safe = run_of(made := letters(20), metrics=METRICS[:3])
    assert absence(safe) == (nothing, "Nobody looked for what annotators did not mark.")
    assert absence(safe, people="1 of 20")[1].endswith(
        " An attack found 1 of 20 people, perhaps by guessing, so nobody is shown."
    )
    towns = run_of(made, release(made, lambda at, one: one.masks[:2] if at < 3 else one.masks), metrics=METRICS[:3])
    unmarked = run_of(made, annotator="", metrics=["residual"])
    for run in (four_left, towns, unmarked, replace(safe, complete=False)):
        assert absence(run)[0] != nothing
    assert describe_absence(safe, decide(safe), None)[0] != nothing
    assert absence(unmarked)[0] == "No identifier was marked and counted"


def test_what_was_taken_out_can_be_seen() -> None:
    """Ann was replaced by nothing: a gap of three signs stands there."""
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"), Mention(8, 11, "PERSON", "DIRECT", "f"))),)
    corpus = Corpus([Document("d", "Ann met Bob. They left.", marks)])
    run = evaluate(corpus, {"tool": Anonymization({"d": [Mask(0, 3)]})}, ["er_di"], resamples=0)
    assert marked(example(run)) == ("▁▁▁ met Bob.", ["Bob"])
    released = Released("Ann met Bob. They left.", [Mask(0, 3), Mask(8, 11, "NAME")])
    assert [released.offset_of(at) for at in (0, 3, 4, 8, 11, 12)] == [0, 0, 1, 5, 9, 10]
    assert (released.text, released.cut(0, 5)) == (" met NAME. They left.", "▁▁▁ met ")


def test_decisions_name_everybody_once(four_left: Run) -> None:
    found: list[Decision] = decisions(four_left, Gate())
    assert [one.candidate for one in found] == ["tool"]
