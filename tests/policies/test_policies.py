"""What policies ask, whether releases keep them, and which rule each leak breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    Run,
    evaluate,
    read_corpus,
)
from showthrough.data.documents import Identifier
from showthrough.data.types import HIPAA, ROOT, in_order, treated_as
from showthrough.families.policies.policy import Policy, Rule, read_policy, shipped
from showthrough.report.findings import findings
from showthrough.report.section import sections
from showthrough.run.gate.checking import Gate, check_run

Cell = tuple[str, str, str, str]
SAFE_HARBOR = read_policy("hipaa-safe-harbor")


def run_of(
    words: str, entity_type: str, shown: str | None, policy: Any = "hipaa-safe-harbor", **options: Any
) -> tuple[Run, str]:
    """A mention in a document, replaced as a whole, and the rule about it with what comes of it: kept or broken."""
    text = f"Seen: {words} was there"
    start, end = 6, 6 + len(words)
    mark = Mention(start, end, entity_type, options.pop("identifier", "QUASI"))
    corpus = Corpus([Document("case-3", options.pop("text", text), (Annotation("a", (mark,)),))])
    masks = [] if shown is None else [Mask(start, end, shown)]
    run = evaluate(corpus, {"x": Anonymization({"case-3": masks})}, metrics=["policy"], policy=policy, **options)
    rows = run.rows["policy"]["x"]
    came = [
        f"{'broken' if rows[column.replace('judged', 'broken')][0] else 'kept'} {column.removeprefix('judged:')}"
        for column in rows
        if column.startswith("judged:") and rows[column][0]
    ]
    return run, "; ".join(came)


# Each identifier of 45 CFR 164.514(b)(2)(i): a mention, a release that keeps the rule, and one that breaks it.
IDENTIFIERS: dict[str, tuple[str, str, str, str]] = {
    "A": ("Ann Kowalska", "PATIENT", "[PATIENT]", "Ms Kowalska"),
    "B": ("12 Mill Lane, Dover", "ADDRESS", "***", "*** Lane, Dover"),
    "C": ("12 March 2019", "DATE", "2019", "March 2019"),
    "D": ("555-0142-8731", "PHONE", "[PHONE]", "555-0142-8731"),
    "E": ("555-0142-9977", "FAX", "***", "555-0142-****"),
    "F": ("ann@mill.example", "EMAIL", "[EMAIL]", "ann@*****"),
    "G": ("078-05-1120", "SSN", "***", "*****1120"),
    "H": ("MR 4471902", "MEDICALRECORD", "[ID]", "MR 4471902"),
    "I": ("HP-771-9034", "HEALTHPLAN", "***", "HP-771-****"),
    "J": ("GB29 3199 2688", "ACCOUNT", "[ACCOUNT]", "**** 3199 ****"),
    "K": ("D812-3391", "LICENSE", "***", "D812-3391"),
    "L": ("1HGCM82633A00", "VIN", "[VEHICLE]", "1HGCM82633A00"),
    "M": ("SN-99120-K", "DEVICE", "***", "SN-99120-*"),
    "N": ("https://mill.example/ann", "URL", "[URL]", "https://***/ann"),
    "O": ("192.0.2.71", "IPADDRESS", "***", "192.0.2.*"),
    "P": ("voice print 88-1402", "BIOID", "***", "print 88-1402"),
    "Q": ("photo_kowalska.jpg", "FULL_FACE_PHOTO", "***", "photo_kowalska.jpg"),
    "R": ("trial code K-2231-9", "OTHER_ID", "[ID]", "code K-2231-9"),
}


@pytest.mark.parametrize("letter", HIPAA)
@pytest.mark.parametrize("outcome", ["kept", "broken", "unmarked"])
def test_the_eighteen_identifiers_of_safe_harbor(letter: str, outcome: str) -> None:
    words, entity_type, kept, broken = IDENTIFIERS[letter]
    [rule] = [rule for rule in SAFE_HARBOR.rules if rule.id == f"({letter})"]
    if outcome == "unmarked":  # what no text shows is said, and no mark is no evidence
        run, came = run_of("a nurse", "PROFESSION", None)
        assert came == ""
        assert run["x", "policy", f"kept:{rule.label}"].reason == "nothing is marked that this rule is about"
        beyond = next(note for note in run.notes if "cannot be judged from text" in note)
        assert (f"({letter}) " in beyond) == (letter in "PQR")
        return
    run, came = run_of(words, entity_type, kept if outcome == "kept" else broken)
    assert came == f"{outcome} {rule.label}"
    shown = run.evidence.get("policy", {}).get("x", {})
    if outcome == "broken":
        [place] = shown["case-3"].places
        assert (place.text, place.how, place.original) == (broken, f"{rule.label}: still shows", (6, 6 + len(words)))
    else:
        assert not shown


def test_safe_harbor_is_about_the_types_that_the_tree_says() -> None:
    for kind in in_order(ROOT):
        rule = SAFE_HARBOR.rule_of(kind, "QUASI")
        letter = treated_as(kind).hipaa
        assert (rule.id if rule else "") == (f"({letter})" if letter else ""), kind


C, B = "(C) dates finer than a year, ages over 89", "(B) places smaller than a state"


@pytest.mark.parametrize(
    ("words", "entity_type", "shown", "expected"),
    [
        ("2019", "DATE", None, ""),  # a year may stay: nothing to judge
        ("the 1990s", "DATE", None, ""),
        ("years", "DATE", None, f"broken {C}"),
        ("Monday", "DATE", None, f"broken {C}"),
        ("12/03/2019", "DATE", "March 2019", f"broken {C}"),  # no word is repeated, and the month shows
        ("12/03/2019", "DATE", "5 June 2021", f"kept {C}"),
        ("12 March 2019", "DATE", "19 March 2019", f"broken {C}"),  # the month is the true one
        ("12 March 2019", "DATE", "12 June 2021", f"kept {C}"),  # by chance the day, of a whole date
        ("12 March 2019", "DATE", "12 June", f"broken {C}"),
        ("12 March 2019 onwards", "DATE", "[DATE] onwards", f"kept {C}"),
        ("12 March 2019", "DATE", "[DATE_12]", f"kept {C}"),
        ("45", "AGE", None, ""),
        ("93", "AGE", None, f"broken {C}"),
        ("93", "AGE", "90+", f"kept {C}"),
        ("93", "AGE", "9*", f"broken {C}"),
        ("93 years", "AGE", "47 years", f"kept {C}"),
        ("Texas", "LOC", None, ""),
        ("Norway", "LOC", None, ""),
        ("New York", "LOC", None, f"broken {B}"),  # perhaps the city
        ("Boston, MA", "LOC", "***, MA", f"kept {B}"),
        ("Mossby, Poland", "LOC", "a small town in Poland", f"kept {B}"),
        ("Boston, MA", "LOC", "Boston", f"broken {B}"),
        ("02139", "ZIP", "021**", f"kept {B}"),
        ("02139", "ZIP", "0213*", f"broken {B}"),
        ("03601", "ZIP", "036**", f"broken {B}"),  # too few people live there
        ("03601", "ZIP", "036", f"broken {B}"),
        ("03601", "ZIP", "000", f"kept {B}"),
        ("036", "ZIP", None, f"broken {B}"),
        ("Dr Ola Moe", "DOCTOR", None, ""),
        ("12/03/19", "DATE", None, f"broken {C}"),  # numbers to 89 in a date are no ages
        ("3/12", "DATE", None, f"broken {C}"),
        ("the 12th", "DATE", None, f"broken {C}"),
        ("three weeks", "DATETIME", None, ""),  # no date
        ("12/03/19", "DATE", "2019", f"kept {C}"),
        ("12/03/19", "DATE", "March 2019", f"broken {C}"),
        ("3/12", "DATE", "March", f"broken {C}"),
        ("12 March 2019", "DATE", "spring 2019", f"broken {C}"),
        ("12 March 2019", "DATE", "early 2019", f"broken {C}"),
        ("12 March 2019", "DATE", "Q1 2019", f"broken {C}"),
        ("93", "AGE", "ninety-three", f"broken {C}"),
        ("ninety-three", "AGE", "93", f"broken {C}"),
        ("93", "AGE", "her nineties", f"broken {C}"),
        ("93-year-old", "AGE", "***-year-old", f"kept {C}"),
        ("noventa y tres", "AGE", "noventa y ***", f"broken {C}"),
        ("221", "STREET", None, f"broken {B}"),  # a number of a house, and no ZIP code
        ("104", "LOC", None, f"broken {B}"),
        ("Delaware", "CITY", None, f"broken {B}"),  # in Ohio
        ("Delaware", "STATE", None, ""),
        ("Kowalska", "PATIENT", "K*wal*ka", "broken (A) names"),
    ],
)
def test_what_safe_harbor_lets_be_read(words: str, entity_type: str, shown: str | None, expected: str) -> None:
    assert run_of(words, entity_type, shown)[1] == expected


@pytest.mark.parametrize("entity_type", ["DATE", "DATETIME", "DATE_TIME"])
def test_i2b2_is_about_dates_whatever_their_type_is_called(entity_type: str) -> None:
    assert run_of("12 March 2019", entity_type, None, "i2b2-2014")[1] == "broken DATE all of them, with years"


def test_a_leak_elsewhere_breaks_the_rule_too() -> None:
    text = "Seen: Ann Kowalska was there. Kowalska left."
    run, came = run_of("Ann Kowalska", "PATIENT", "[NAME]", text=text)
    assert came == "broken (A) names"
    [place] = run.evidence["policy"]["x"]["case-3"].places
    assert (place.text, place.how) == ("Kowalska", "(A) names: shows elsewhere")


def test_a_place_left_in_part_is_looked_for_elsewhere() -> None:
    text = "Seen: Mossville, MA was there, and from Mossville, MA she left."
    assert run_of("Mossville, MA", "LOC", "***, MA", text=text)[1] == f"broken {B}"


def policy(**rule: Any) -> Policy:
    whole = {"id": "one", "title": "a rule", "types": ("PERSON",), **rule}
    return Policy("mine", "Mine", "our house", (Rule(**whole),))


@pytest.mark.parametrize(
    ("rule", "shown", "expected"),
    [
        ({"ways": ("label",)}, "[PERSON]", "kept"),
        ({"ways": ("label",)}, "[PERSON_3]", "kept"),
        ({"ways": ("label",)}, "***", "broken"),
        ({"ways": ("suppress",)}, "", "kept"),
        ({"ways": ("suppress", "label")}, "Bo Dahl", "broken"),
        ({"ways": ("surrogate",)}, "Bo Dahl", "kept"),
        ({"tier": "keep"}, None, "kept"),
        ({"tier": "keep"}, "[PERSON]", "broken"),
        ({"tier": "may"}, "[PERSON]", ""),
        ({"identifiers": ("DIRECT",)}, None, ""),  # it is marked QUASI
        ({"identifiers": ("QUASI",)}, None, "broken"),
        ({"exclude": ("PATIENT",)}, None, ""),
    ],
)
def test_tiers_and_ways(rule: dict[str, Any], shown: str | None, expected: str) -> None:
    assert run_of("Ann Kowalska", "PATIENT", shown, policy(**rule))[1].partition(" ")[0] == expected


def test_a_way_that_is_not_allowed_is_named() -> None:
    run, _ = run_of("Ann Kowalska", "PATIENT", "Bo Dahl", policy(ways=("suppress", "label")))
    [place] = run.evidence["policy"]["x"]["case-3"].places
    assert place.how == "one a rule: is replaced in the way surrogate (allowed: suppress, label)"


@pytest.mark.parametrize(
    ("others", "identifier", "expected"),
    [("may", "DIRECT", "MAY_MASK"), ("keep", "DIRECT", "NO_MASK"), ("marked", "DIRECT", "DIRECT")],
)
def test_types_that_no_rule_is_about(others: str, identifier: Identifier, expected: Identifier) -> None:
    mine = Policy("mine", "Mine", "our house", policy().rules, others)  # type: ignore[arg-type]
    assert mine.identifier_of(Mention(0, 3, "ORG", identifier), "Foo") == expected


def test_a_policy_says_what_must_be_masked_for_every_metric() -> None:
    text = "Ann Kowalska, nurse, came on 12 March 2019 and in 2018."
    marks = tuple(
        Mention(text.index(words), text.index(words) + len(words), kind, level)  # type: ignore[arg-type]
        for words, kind, level in [
            ("Ann Kowalska", "PATIENT", "NO_MASK"), ("nurse", "PROFESSION", "QUASI"),
            ("12 March 2019", "DATE", "QUASI"),
            ("2018", "DATE", "QUASI"),
        ]
    )  # fmt: skip
    corpus = Corpus([Document("d", text, (Annotation("a", marks),))])
    masks = {"x": Anonymization({"d": [Mask(0, 12), Mask(14, 19)]})}  # the name and the profession
    before = evaluate(corpus, masks, metrics=["recall", "precision"])
    after = evaluate(corpus, masks, metrics=["recall", "precision"], policy="hipaa-safe-harbor")
    # nurse of nurse, 12, March, 2019, 2018; masked: Ann, Kowalska, nurse.
    assert [before["x", name].value for name in ("recall", "precision")] == [1 / 5, pytest.approx(1 / 3)]
    # Ann, Kowalska of these and 12, March, 2019; the profession and the year count neither way.
    assert [after["x", name].value for name in ("recall", "precision")] == [2 / 5, 1.0]
    assert f"types:policy=hipaa-safe-harbor@{SAFE_HARBOR.digest[:8]}" in after["x", "recall"].signature
    assert after.corpus.digest == before.corpus.digest
    assert [record.name for record in after.inputs["policy"]] == ["hipaa-safe-harbor"]


def test_direct_identifiers_that_a_policy_lets_stay_are_told_as_left_out() -> None:
    run, _ = run_of("Acme Ltd", "ORG", None, identifier="DIRECT")
    assert run.corpus.left_out == ("ORG",)


@pytest.mark.parametrize("name", shipped())
def test_policies_that_ship_are_sound_and_say_what_they_leave_out(name: str) -> None:
    shipped_policy = read_policy(name)
    assert (shipped_policy.name, [*shipped_policy.faults()]) == (name, [])
    assert shipped_policy.not_covered
    assert shipped_policy.source


def test_tab_goes_by_what_annotators_marked() -> None:
    asked: list[Identifier] = ["DIRECT", "QUASI", "NO_MASK"]
    tab = read_policy("tab")
    assert [tab.identifier_of(Mention(0, 3, "MISC", level), "Foo") for level in asked] == [*asked[:2], "MAY_MASK"]


SOUND = """
name = "mine"
title = "Mine"
source = "our house"
[[rules]]
id = "one"
title = "names"
types = ["PERSON"]
"""


@pytest.mark.parametrize(
    ("found", "written", "message"),
    [
        ('"mine"', '"my own"', "name: found my own; expected letters, digits, points and hyphens"),
        ('"our house"', '""', "source: is empty; expected text"),
        ('["PERSON"]', '["TATTOO"]', "rules[0]: type TATTOO: is not in the tree of types"),
        ('["PERSON"]', "[]", "rules[0].types: none was given; expected at least one"),
        ('["PERSON"]', '"PERSON"', "rules[0].types: found text; expected a list"),
        ('id = "one"', 'id = "a b"', "rules[0].id: found a b; expected text without spaces, colons and brackets"),
        ('title = "names"', 'title = "a:b"', "rules[0].title: found a:b; expected text without colons and brackets"),
        ('id = "one"', 'id = "one"\ntier = "never"', "rules[0].tier: found 'never'"),
        ('id = "one"', 'id = "one"\nleave = ["month"]', "rules[0].leave[0]: found 'month'"),
        ('id = "one"', 'id = "one"\nways = []', "rules[0].ways: none was given; expected some of suppress, label"),
        ('id = "one"', 'id = "one"\ncolour = 1', "colour"),
        ('id = "one"', 'id = "one"\ntier = "may"\nleave = ["year"]', "rules[0].leave: is for types that must be"),
        ("[[rules]]", SOUND[SOUND.index("[[") :] + "[[rules]]", "rules[1].id: one is another rule's; expected unique"),
        ('id = "one"', 'id = "b"\ntitle = "c"\ntypes = ["PER"]\n[[rules]]\nid = "one"', "is in the rule b too"),
        ("name =", "name", "is not valid TOML"),
        ("[[rules]]", "[rules]", "rules: found an object"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(found: str, written: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SOUND)
    assert read_policy(str(path)).name == "mine"
    path.write_text(SOUND.replace(found, written, 1))
    with pytest.raises(InputError) as caught:
        read_policy(str(path))
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_no_other_tiers_stand_beside_a_policy() -> None:
    for options in ({"may": "PATIENT"}, {"direct": "PATIENT"}, {"ignore": "PATIENT"}, {"map": "PATIENT="}):
        with pytest.raises(InputError, match="cannot stand beside --policy, which says what must be masked"):
            run_of("Ann Kowalska", "PATIENT", None, **options)


def test_the_metric_needs_a_policy_and_a_name_that_is_known() -> None:
    with pytest.raises(InputError, match="none was given, which the metric policy needs; expected --policy NAME or"):
        run_of("Ann", "PERSON", None, policy=None)
    with pytest.raises(InputError, match="policy gdpr: is not known; expected hipaa-safe-harbor, i2b2-2014, tab, or a"):
        run_of("Ann", "PERSON", None, policy="gdpr")
    with pytest.raises(PlanError, match="policy: found a value of type int; expected a name or a file"):
        run_of("Ann", "PERSON", None, policy=7)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('ways = ["labels"]', "ways[0]: found 'labels'; expected suppress, label, generalize or surrogate"),
        ('leave = ["years"]', "leave[0]: found 'years'; expected year, age-89, zip-3 or state"),
        ('tier = "drop"', "tier: found 'drop'; expected must, may or keep"),
        ('identifiers = ["DIRCT"]', "identifiers[0]: found 'DIRCT'; expected DIRECT or QUASI"),
    ],
)
def test_a_file_with_a_word_that_no_policy_has_says_which_there_are(tmp_path: Path, line: str, message: str) -> None:
    rule = f'[[rules]]\nid = "1"\ntitle = "names"\ntypes = ["PERSON"]\n{line}\n'
    (tmp_path / "ward.toml").write_text(f'name = "ward"\ntitle = "Ours"\nsource = "us"\n{rule}', encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_policy(str(tmp_path / "ward.toml"))
    assert str(raised.value).endswith(f"rules[0].{message}")


@pytest.mark.parametrize(("shown", "status"), [("[NAME]", 0), ("Kowalska", 1)])
def test_a_broken_rule_fails_the_gate(shown: str, status: int) -> None:
    run, _ = run_of("Ann Kowalska", "PATIENT", shown)
    [checked] = check_run(run, Gate(documents=1, identifiers=1)).anonymizations
    [rule] = [check for check in checked.checks if check.metric == "policy" and check.asked.startswith("hipaa")]
    assert rule.asked == "hipaa-safe-harbor (A) names"
    assert (rule.passed, rule.said) == (
        (True, "kept: 1 of 1") if not status else (False, "broken: 1 of 1, in case-3 (1)")
    )
    assert (checked.status == 1) == (status == 1)
    if status:
        assert checked.sentence == "In “x”, the rule hipaa-safe-harbor (A) names is broken by 1 of 1 marked place."


def test_leaks_are_quoted_under_their_rule_unless_text_is_left_out() -> None:
    run, _ = run_of("12 March 2019", "DATE", "March 2019")
    said = f"breaks hipaa-safe-harbor {C}: 1 marked place, in 1 of 1 document"
    [finding] = [finding for finding in findings(run) if finding.what == said]
    assert finding.words == ("March 2019 (case-3: still shows)",)
    [bare] = [finding for finding in findings(run.without_text()) if finding.what == said]
    assert bare.words == ()
    cases = [block for section in sections() for block in section.cases(run, "x")]
    assert [(block.caption, case.here, case.remark) for block in cases for case in block.cases] == [
        (f"Breaks hipaa-safe-harbor {C}", "March 2019", "DATE, still shows")
    ]
    assert not [block for section in sections() for block in section.cases(run.without_text(), "x")]


def test_workers_judge_alike() -> None:
    documents = [
        Document(f"d{n}", f"Ann Kowalska came {n}", (Annotation("a", (Mention(0, 12, "PATIENT"),)),)) for n in range(4)
    ]
    masks = {"x": Anonymization({f"d{n}": [Mask(0, 12)] if n % 2 else [] for n in range(4)})}
    runs = [
        evaluate(Corpus(documents), masks, metrics=["policy"], policy="hipaa-safe-harbor", jobs=jobs) for jobs in (1, 2)
    ]
    assert [run["x", "policy"].value for run in runs] == [1 / 2, 1 / 2]


def test_the_table_of_the_benchmark_is_what_no_mask_gives_as_may_mask(data: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/policies.md").read_text(encoding="utf-8")
    heads = ["recall", "precision", "f1", 'wp(ic="wordfreq")', "er_di", "er_qi"]
    corpus = read_corpus(data / "tab/train_100.json")
    names = ("manual_intact", "presidio", "presidio_gpt")
    files = {name: data / f"tab/train_anonymizations/{name}.json" for name in names}
    for marks, may in (("default", ()), ("`--may NO_MASK`", "NO_MASK")):
        run = evaluate(corpus, files, metrics=heads, may=may, references=False, resamples=0)
        for name in names:
            cells = " | ".join(f"{run[name, metric].value:.3f}" for metric in heads)
            assert f"| {name} | {marks} | {cells} |" in page
