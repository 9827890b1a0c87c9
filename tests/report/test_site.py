"""The site of runs: what its pages say, that nothing of a document is on them, and who cannot be told apart."""

from __future__ import annotations

import csv
import io
import re
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from showthrough import Anonymization, Corpus, Document, Mask, PlanError, Run, evaluate
from showthrough.data.documents import Annotation, Mention
from showthrough.report.site import site_files
from showthrough.report.site.groups import different_pairs, group_letters
from showthrough.run.submission import Submission, with_submission

PLANTED = "Zebulon Quartz"


@given(st.integers(2, 7), st.data())
def test_two_share_a_letter_if_they_do_not_differ(size: int, data: st.DataObject) -> None:
    names = [str(at) for at in range(size)]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    different = set(data.draw(st.lists(st.sampled_from(pairs), unique=True)))
    letters = {name: set(re.findall(r"[a-z]\d*", text)) for name, text in group_letters(names, different).items()}
    assert all(letters.values())
    for pair in pairs:
        first, second = pair
        assert (letters[first] & letters[second] == set()) == (pair in different)


@pytest.fixture(scope="module")
def run() -> Run:
    """Thirty documents: one system hides every name, one none, and one hides all but the first."""
    texts = {f"d{at:02}": f"{PLANTED} came on day {at} to the ward." for at in range(30)}
    mention = Mention(0, len(PLANTED), "PERSON", identifier="DIRECT", entity_id="e")
    corpus = Corpus([Document(id, text, (Annotation("a", (mention,)),)) for id, text in texts.items()], "wards")
    masks = {id: [Mask(0, len(PLANTED))] for id in texts}
    systems = {
        "all": masks,
        "none": {id: [] for id in texts},
        "most <b>": {id: spans if id != "d00" else [] for id, spans in masks.items()},
    }
    metrics = ["er_di", "recall", "precision", "recall_per_type"]
    return evaluate(corpus, [Anonymization(spans, name) for name, spans in systems.items()], metrics, texts=True)


@pytest.fixture(scope="module")
def site(run: Run) -> dict[str, str]:
    about = Submission({"title": "Wards & more", "licence": "CC0", "language": "English"}, {"none": "nobody looked"})
    return {name: content.decode() for name, content in site_files({"wards": with_submission(run, about)})}


def test_the_files(site: dict[str, str]) -> None:
    pages = {"index.html", "corpus/wards.html", "system/all.html", "system/none.html", "system/most-b.html"}
    assert site.keys() == pages | {"data/wards.csv", "data/wards.json"}


def test_no_word_of_a_document_is_on_it(run: Run, site: dict[str, str]) -> None:
    assert PLANTED in str(run.texts)
    assert not [name for name, page in site.items() for word in PLANTED.split() if word in page]


def test_names_are_text_and_never_markup(site: dict[str, str]) -> None:
    assert not [name for name, page in site.items() if name.endswith(".html") and "most <b>" in page]
    assert "Wards &amp; more" in site["corpus/wards.html"]


def test_every_link_leads_to_a_file(site: dict[str, str]) -> None:
    for name, page in site.items():
        if name.endswith(".html"):
            for link in re.findall(r'href="([^"#:]+?)(?:#[^"]*)?"', page):
                folder = "" if link.startswith("../") or "/" not in name else f"{name.partition('/')[0]}/"
                assert folder + link.removeprefix("../") in site


def test_who_is_best_and_who_shares_a_letter(run: Run, site: dict[str, str]) -> None:
    """The first and the third differ in one document of thirty, which chance explains; the second differs from both."""
    assert different_pairs(run, "er_di") == {frozenset(("all", "none")), frozenset(("most <b>", "none"))}
    rows = re.findall(r"<tr data-name=.*?</tr>", site["corpus/wards.html"], re.DOTALL)
    cells = {re.search(r'data-name="([^"]*)"', row)[1]: re.findall(r"<td.*?</td>", row, re.DOTALL) for row in rows}  # type: ignore[index]
    assert [*cells] == ["all", "most &lt;b&gt;", "none"]
    shown = {name: (re.sub(r"<[^>]*>", " ", row[0]).split(), "best" in row[0]) for name, row in cells.items()}
    assert shown["all"][0][:2] == ["1.000", "a"]
    assert shown["most &lt;b&gt;"][0][:2] == ["0.967", "a"]
    assert shown["none"][0][:2] == ["0.000", "b"]
    assert [best for _, best in shown.values()] == [True, True, False]


def test_what_nobody_verified_is_marked(site: dict[str, str]) -> None:
    assert site["corpus/wards.html"].count('class="unverified"') == 1
    assert "Not verified: nobody looked." in site["system/none.html"]
    assert "Not verified" not in site["system/all.html"]


def test_the_numbers_to_download_are_those_of_the_run(run: Run, site: dict[str, str]) -> None:
    lines = list(csv.DictReader(io.StringIO(site["data/wards.csv"])))
    (recall,) = [line for line in lines if (line["anonymization"], line["metric"]) == ("most <b>", "recall")]
    assert float(recall["value"]) == run["most <b>", "recall"].value


def test_two_names_for_one_page_are_refused(run: Run) -> None:
    other = evaluate({"d": "Anna came."}, {"ALL": {"d": [(0, 4)]}}, ["residual"])
    with pytest.raises(PlanError, match=r"would share the page all\.html"):
        list(site_files({"one": run, "two": other}))


def test_there_is_no_site_of_nothing() -> None:
    with pytest.raises(PlanError, match="there is no run file"):
        list(site_files({}))
