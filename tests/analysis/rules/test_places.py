"""Where rules mask: against a plain search, and by hand."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.run.run import Run
from showthrough.studies.rules import Rule, with_rules
from showthrough.studies.rules._workspace import MaskState, RuleCorpus
from showthrough.studies.rules.greedy import locate_rules, propose_rules
from showthrough.studies.rules.patterns import LIBRARY

WORDS = ("Oslo", "oslo", "Osl", "Ole", "Øst", "東", "京", "1998", "a" * 70 + "b", "a" * 70 + "c")


def laid(*texts: str, marks: tuple[tuple[int, int], ...] = ()) -> RuleCorpus:
    mentions = tuple(Mention(low, high, "T") for low, high in marks)
    documents = [Document(str(place), text, (Annotation("a", mentions),)) for place, text in enumerate(texts)]
    masks = {document.id: [] for document in documents}
    run = evaluate(Corpus(documents), {"one": Anonymization(masks)}, ["er_qi"], resamples=0)
    assert run.texts is not None
    return RuleCorpus(run, run.texts)


def masked(ground: RuleCorpus, *rules: Rule) -> list[list[str]]:
    """What each of some rules masks."""
    found = locate_rules(ground, rules).places
    return [
        [ground.axis.text[low:high] for low, high in zip(one.start, one.end, strict=True)]
        for one in map(found.of_rule, range(len(rules)))
    ]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", "  ", "\n", ", ", "-"])), max_size=8)),
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4),
)
def test_strings_are_found_as_a_plain_search_finds_them(words: list[list[tuple[str, str]]], strings: list[str]) -> None:
    texts = ["".join(word + gap for word, gap in one) or "." for one in words] or ["."]
    strings = list(dict.fromkeys(strings))
    found = locate_rules(laid(*texts), [Rule("string", text=string) for string in strings]).places
    base = [sum(len(text) + 1 for text in texts[:place]) for place in range(len(texts))]
    for number, string in enumerate(strings):
        own = found.of_rule(number)
        pattern = re.compile(_bounded(string))
        expected: list[tuple[int, int]] = []
        for text, shift in zip(texts, base, strict=True):
            for match in pattern.finditer(text):
                low, high = shift + match.start(1), shift + match.end(1)
                if expected and expected[-1][1] > low:
                    expected[-1] = expected[-1][0], high  # it overlaps itself
                else:
                    expected.append((low, high))
        assert list(zip(own.start.tolist(), own.end.tolist(), strict=True)) == expected


def _bounded(string: str) -> str:
    """The string between edges of tokens, with any space, also where it overlaps itself; ideographs stand alone."""
    before = "" if string[0] in "東京" else r"(?<![^\W東京])"
    after = "" if string[-1] in "東京" else r"(?![^\W東京])"
    words = r"\s+".join(map(re.escape, string.split()))
    return rf"(?=({before}{words}{after}))"


def test_a_string_is_as_written_and_whole_words() -> None:
    ground = laid("Oslo, OSLO and Oslofjord; New  York or New\nYork, New-York", "York New", "York")
    assert masked(ground, Rule("string", text="Oslo"), Rule("string", text="New York")) == [
        ["Oslo"],
        ["New  York", "New\nYork"],
    ]


def strings(*texts: str, marks: tuple[tuple[int, int], ...], masks: tuple[tuple[int, int], ...] = ()) -> set[str]:
    """The strings that are tried where this is marked and masked in each text."""
    ground = laid(*texts, marks=marks)
    standing = MaskState(ground, [[Mask(low, high) for low, high in masks]] * len(texts))
    rules = propose_rules(ground, standing, (standing.readable_counts > 0).nonzero()[0]).rules
    return {rule.text for rule in rules if rule.kind == "string"}


def test_a_sign_that_has_to_be_masked_goes_with_its_word() -> None:
    """A point need not be masked, and the sign of a currency must."""
    assert strings("He paid £500. Twice", marks=((8, 13),)) == {"£500"}
    assert masked(laid("£500, €500 or 500 and £500.5, £5"), Rule("string", text="£500")) == [["£500", "£500"]]


def test_what_a_mask_leaves_of_a_mention_is_tried_too() -> None:
    """Of "the Bank of Oslo" the town is masked; articles at the ends are no part of what is left."""
    assert strings("the Bank of Oslo", marks=((0, 16),), masks=((12, 16),)) == {"the Bank of Oslo", "Bank"}


def test_names_are_found_where_words_are_not_told_apart() -> None:
    assert strings("彼はオスロに住む。", marks=((2, 5),)) == {"オスロ"}
    ground = laid("彼はオスロに住む。オスロ", "서울에서", "ที่กรุงเทพฯ")
    rules = [Rule("string", text=text) for text in ("オスロ", "서울", "กรุงเทพ")]
    assert masked(ground, *rules) == [["オスロ", "オスロ"], ["서울"], ["กรุงเทพ"]]


def test_a_string_does_not_run_over_the_end_of_a_document() -> None:
    assert masked(laid("New", "York New York"), Rule("string", text="New York")) == [["New York"]]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("years", "In 1998, 0998, 2099, 2100, 12345, 1998/99, 1.998, 1,998 and 1990-1991", "1998; 2099; 1990; 1991"),
        ("years", "平成10年は1998年です", "1998"),
        ("years", "x1998 1998s 1998th", ""),
        ("dates in digits", "3.5.2011, 03/05/11, 3.5/2011, 1.2.3.4", "3.5.2011; 03/05/11"),
        ("dates in digits", "2011-05-03, 2011年5月3日", "2011-05-03; 2011年5月3日"),
        ("dates with a named month", "3 May 2011, 3. maj 2011, 3 4 2011", "3 May 2011; 3. maj 2011"),
        ("dates with a named month", "3 de mayo de 2011, (3rd May 2011)", "3 de mayo de 2011; 3rd May 2011"),
        ("dates with a named month", "on May 3, 2011.", "May 3, 2011"),
        ("numbers with a stroke", "no. 36110/97 and 12/3456, 3/5/2011, 1/2", "36110/97; 12/3456"),
        ("numbers of five digits or more", "12345 1234 123456789", "12345; 123456789"),
        ("numbers in groups", "12 34 56 78, 555-123-4567", "12 34 56 78; 555-123-4567"),
        ("numbers with thousands", "1,000 and 2.500.000,50", "1,000; 2.500.000,50"),
        ("numbers of up to three digits", "7 men, 120 women, 1998, 3.5, 12/98", "7; 120"),
        ("codes of letters and digits", "C-131/12, AB12345, 1998", "C-131/12; AB12345"),
        ("e-mail addresses", "ole@example.org!", "ole@example.org"),
        ("web addresses", "see https://example.org/a.", "https://example.org/a"),
    ],
)
def test_the_library_by_hand(name: str, text: str, found: str) -> None:
    assert masked(laid(text), Rule("pattern", name)) == [found.split("; ") if found else []]


def test_no_pattern_is_slow_on_long_runs() -> None:
    """A quadratic pattern would not come to an end here."""
    for text in ("1" * 200_000, "1." * 100_000, "a" * 200_000, "1 a " * 50_000):
        ground = laid(text)
        assert all(map(isinstance, masked(ground, *(Rule("pattern", name) for name in LIBRARY)), [list] * len(LIBRARY)))


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("ending with", "The Oslo City Court ruled. Court of no name; the Court", ["The Oslo City Court"]),
        ("before", "Oslo-Bergen Court, in A. Court of 12 Court", ["Oslo-Bergen", "A", "12"]),
        ("beginning with", "Court Ole Berg met Court no one. Court 7", ["Court Ole Berg", "Court 7"]),
        ("after", "Court Ole\nBerg and Court. Ann", ["Ole"]),
        ("ending with", "A B C D E F G Court", ["C D E F G Court"]),
        ("before", "In Oslo. Court, in 37. Court, of J. R. Court", ["J. R"]),
    ],
)
def test_learned_patterns_by_hand(name: str, text: str, found: list[str]) -> None:
    assert masked(laid(text), Rule("pattern", name, "Court")) == [found]


def test_numbers_count_in_scripts_without_capitals() -> None:
    assert masked(laid("平成12月と月"), Rule("pattern", "ending with", "月")) == [["12月"]]


def test_patterns_are_learned_from_what_leaks() -> None:
    text = "Oslo Court, Bergen Court and Molde Court; Moss Court"
    marks = ((0, 10), (12, 24), (29, 40))
    ground = laid(text, marks=marks)
    standing = MaskState(ground, [[]])
    rules, places = propose_rules(ground, standing, standing.readable_counts.nonzero()[0])
    assert Rule("pattern", "ending with", "Court") in rules
    own = places.of_rule(list(rules).index(Rule("pattern", "ending with", "Court")))
    assert len(own) == 4  # also what nobody marked
    assert not [rule for rule in rules if rule.kind == "string" and rule.text == "Moss Court"]


def kept() -> Run:
    text = "Ole Berg of Oslo. Oslo again"
    document = Document("d", text, (Annotation("a", (Mention(12, 16, "LOC"), Mention(0, 8, "PERSON"))),))
    return evaluate(Corpus([document]), {"one": Anonymization({"d": [Mask(12, 16, "X")]})}, ["er_qi"], resamples=0)


def test_what_is_masked_already_is_not_masked_again() -> None:
    added = with_rules(kept(), "one", [Rule("string", text="Oslo"), Rule("string", text="Oslo")])
    assert [(mask.start, mask.end) for mask in added.of("d")] == [(12, 16), (18, 22)]
