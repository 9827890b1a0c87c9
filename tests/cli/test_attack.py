"""The attack command, and the background of evaluate."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run
from showthrough.families.reidentification.attacks.transformer import Transformer
from talking import talking

TOPICS = {"ann": "surgeon", "bob": "bread", "cem": "judge", "dee": "boats"}
FILES = {
    "public.json": {name: f"{name} and the {topic}: {topic} all day" for name, topic in TOPICS.items()},
    "originals.json": {name: f"{name.title()} has a {topic}" for name, topic in TOPICS.items()},
    "names.json": {name: [[0, 3, "PERSON"]] for name in TOPICS},
    "texts.json": {name: f"PERSON has a {topic}" for name, topic in TOPICS.items()},
    "nothing.json": dict.fromkeys(TOPICS, ""),
    "records.json": [
        {"name": name, "public_knowledge": f"the {topic} {name}", "ner": f"PERSON, {topic}", "all": "***"}
        for name, topic in TOPICS.items()
    ],
}
ATTACK = ("attack", "--background", "public.json")
NOBODY_MARKED = (
    "note: no annotations were read, so these numbers cannot show whether an identifier was missed. They show whom "
    "these attacks find\n"
)


@pytest.fixture
def here(desk: Any) -> Any:
    desk.write(FILES)
    return desk


def values(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))["values"]
    return found


def test_masks_with_their_corpus(here: Any) -> None:
    outcome = here.cli(*ATTACK, "names=names.json", "--corpus", "originals.json")
    assert (outcome.status, outcome.err) == (0, "")
    assert "originals: 4 documents against 4 individuals; intervals at 95 %" in outcome.out
    lines = [line.split() for line in outcome.out.splitlines()]
    finding = "names: the strongest attack (lexical) finds the person in 100.0 % of the documents"
    assert f"{finding}; a blind guess finds 25.0 %\n" in outcome.out  # 4 of 4; 1 of 4
    assert outcome.out.index(finding) < outcome.out.index("worst ↓")
    assert "@5: among the first 5 guesses" in outcome.out
    assert ["worst", "↓", "chance", "ceiling"] in lines
    assert ["names", "1.000", "0.250", "1.000"] in lines
    assert ["found", "↓", "control", "risk", "↓", "@5", "mrr", "time"] in lines
    assert next(line[:6] for line in lines if line[:1] == ["lexical"]) == [
        "lexical", "1.000", "0.000", "1.000", "1.000", "1.000",
    ]  # fmt: skip
    assert "trir.v2|corpus:originals@" in outcome.out
    assert "|background:public@" in outcome.out


def test_texts_need_no_corpus(here: Any) -> None:
    outcome = here.cli(*ATTACK, "a=texts.json", "b=nothing.json", "--json", "out.json")
    assert outcome.status == 0
    found = values("out.json")
    assert found["a"]["worst"]["accuracy"] == 1
    assert found["b"]["worst"]["accuracy"] == found["b"]["chance"]["accuracy"] == 0.25
    assert set(found["a"]) == {"worst", "chance", "ceiling", "lexical", "lexical+assignment"}
    told = {"accuracy", "low", "high", "accuracy@5", "mrr", "control", "above control", "seconds"}
    assert set(found["a"]["lexical"]) == told
    assert found["a"]["lexical"]["control"] == 0
    assert found["a"]["lexical"]["above control"]["risk"] == 1
    assert 0 < found["a"]["lexical"]["above control"]["low"] < 1
    assert "b: lexical, lexical+assignment find no more than the control" in outcome.out
    assert found["a"]["lexical"]["seconds"] >= 0


def test_attacks_in_a_hundred_columns(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    outcome = here.cli(*ATTACK, "a=texts.json", "--attacks", "lexical, lexical+prior, lexical+assignment", "--abstain")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    rule = next(place for place, line in enumerate(lines) if "mrr" in line)
    assert lines[rule - 1].split() == ["recall", "recall"]
    assert lines[rule].split()[-3:] == ["@0.9", "@0.99", "time"]
    table = lines[rule - 1 : rule + 12]
    assert max(map(len, table)) <= 100
    assert "with knowledge of who is right" in outcome.out


@pytest.mark.parametrize(
    ("asked", "starts"),
    [
        ("prior", "attacks: prior works on top of an attack; expected for instance lexical+prior"),
        ("lexical+llm", "attack llm: names no language model; expected llm:MODEL"),
        ("lexical+llm:gpt-4.1-mini", "language model llm:gpt-4.1-mini: "),  # which has nowhere to keep its answers
    ],
)
def test_an_attack_that_cannot_be_made(here: Any, asked: str, starts: str) -> None:
    here.refuses(*ATTACK, "a=texts.json", "--attacks", asked, starts=starts, says=())


def test_nobody_hears_of_documents_and_background_unasked(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    command = (*ATTACK, "a=texts.json", "--attacks", "lexical+llm:gpt-4.1-mini", "-o", "run.json")
    sent = (
        "would send the text of 4 documents (1 anonymization) and what the background says of people to api.openai.com"
    )
    here.refuses(*command, starts=sent, says=())


def test_nothing_is_trained_before_somebody_consents(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(Transformer, "fit", None)
    for attacks in ("transformer, lexical+llm:m", "lexical, transformer+llm:m"):
        command = (*ATTACK, "a=texts.json", "--attacks", attacks, "-o", "run.json")
        here.refuses(*command, starts="would send the text of 4 documents (1 anonymization) and what", says=())
    assert here.cli(*ATTACK, "a=texts.json", "--attacks", "transformer, lexical+llm:m", "--estimate").status == 0


def test_a_language_model_puts_candidates_in_order(here: Any) -> None:
    """On this machine; the second time nobody is asked, and the model that prefers bread finds the baker alone."""
    pytest.importorskip("openai")

    def prefers_bread(asked: dict[str, Any]) -> str:
        people = re.findall(r"# Person (\d+)\n\n(.*)", asked["messages"][-1]["content"])
        return json.dumps(
            {"order": [int(number) for number, text in sorted(people, key=lambda one: "bread" not in one[1])]}
        )

    with talking(prefers_bread) as server:
        attacks = f"lexical+llm:m@{server.url}"
        command = (*ATTACK, "a=texts.json", "--attacks", attacks, "-o", "run.json", "--no-references")
        estimate = here.cli(*command, "--estimate")
        assert (estimate.status, server.sent) == (0, [])
        assert "4" in estimate.out
        outcome = here.cli(*command)
        assert (outcome.status, len(server.sent)) == (0, 4)
        run = Run.load("run.json")
        metric = run.metrics[0].text
        assert run.rows[metric]["a"][f"right:{attacks}"] == [0, 1, 0, 0]
        assert run.asked[0].calls == 4
        assert "rerank.v1." in run.scores[0].signature
        assert not any(
            name in one["messages"][-1]["content"].split("# Person")[0] for one in server.sent for name in TOPICS
        )
        assert here.cli(*command, "--force").status == 0
        assert len(server.sent) == 4


def test_records_bring_everything(here: Any) -> None:
    outcome = here.cli("attack", "--background", "records.json", "--json", "out.json")
    assert outcome.status == 0
    assert {name: one["worst"]["accuracy"] for name, one in values("out.json").items()} == {
        "ner": 1, "all": 0.25, "everything masked": 0.25,
    }  # fmt: skip
    assert here.cli("attack", "--background", "records.json", "--json", "two.json", "--no-references").status == 0
    assert list(values("two.json")) == ["ner", "all"]


def test_explanations_name_the_words_that_were_left(here: Any) -> None:
    outcome = here.cli(*ATTACK, "a=texts.json", "b=nothing.json", "--explain", "2")
    lines = outcome.out.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("a: at highest risk (lexical)"))
    listed = lines[start + 1 : start + 3]
    assert all(" found, margin " in line for line in listed)
    assert {line.split()[0]: line.split(": ")[1].split()[0] for line in listed}.items() <= TOPICS.items()
    assert lines[start + 3] == ""
    assert any(line.endswith("found by 0.25, tied with others") for line in lines)


def test_the_run_holds_the_evidence(here: Any) -> None:
    assert here.cli(*ATTACK, "a=texts.json", "-o", "run.json").status == 0
    run = Run.load("run.json")
    assert run.evidence["trir"]["a"]["ann"].words[0][0] == "surgeon"
    assert [one.name for one in run.inputs["background"]] == ["public"]
    assert here.cli("report", "run.json").status == 0
    assert here.cli(*ATTACK, "a=texts.json", "-o", "run.json", "--force", "--without-text").status == 0
    assert "surgeon" not in Path("run.json").read_text(encoding="utf-8")


def test_runs_of_attacks_can_be_compared(here: Any) -> None:
    here.cli(*ATTACK, "a=texts.json", "b=nothing.json", "-o", "run.json")
    outcome = here.cli("compare", "run.json")
    assert outcome.status == 0
    assert "trir: is the row better than the column?" in outcome.out


def test_attacks_are_a_choice(here: Any) -> None:
    chosen = 'dense(embedding="lsa"), lexical+dense(embedding="lsa")+assignment'
    outcome = here.cli(*ATTACK, "a=texts.json", "--attacks", chosen, "-k", "2", "--json", "out.json")
    assert outcome.status == 0
    names = set(values("out.json")["a"]) - {"worst", "chance", "ceiling"}
    assert names == {'dense(embedding="lsa")', 'lexical+dense(embedding="lsa")+assignment'}
    assert "accuracy@2" in values("out.json")["a"]['dense(embedding="lsa")']


def test_evaluate_takes_a_background(here: Any) -> None:
    command = ("evaluate", "originals.json", "a=names.json", "--background", "public.json", "--metric", "trir")
    outcome = here.cli(*command, "-o", "run.json")
    assert (outcome.status, outcome.err) == (0, NOBODY_MARKED)
    assert Run.load("run.json")["a", "trir"].value == 1


def test_a_plan_names_its_background(here: Any) -> None:
    plan = 'corpus = "originals.json"\nbackground = "public.json"\nmetrics = ["trir"]\n'
    plan += '[anonymizations]\na = "names.json"\n'
    here.write({"plan.toml": plan})
    assert here.cli("evaluate", "plan.toml", "-o", "run.json").status == 0
    assert Run.load("run.json")["a", "trir"].value == 1


def test_a_tae_configuration_names_one_too(here: Any) -> None:
    trir = {"background_knowledge_file_path": "public.json", "finetuning_epochs": 0}
    configuration = {
        "corpus": "originals.json",
        "anonymizations": {"a": "names.json"},
        "metrics": {"TRIR": trir},
        "results_file_path": "results.csv",
    }
    here.write({"tae.json": configuration})
    here.refuses(
        "evaluate", "tae.json", starts="tae.json: metrics.TRIR: ", says=("finetuning_epochs=0 is out of range",)
    )


def test_a_plan_may_have_several_backgrounds(here: Any) -> None:
    """A score says which one its attacker had: one who knows nothing of the topics finds nobody by them."""
    here.write({"private.json": {name: f"{name} likes tea" for name in TOPICS}})
    plan = """
        corpus = "originals.json"
        metrics = ['trir(background="public")', "trir(background=private)"]
        background = { public = "public.json", private = "private.json" }
        references = false
        output = "run.json"
        [anonymizations]
        a = "names.json"
    """
    Path("plan.toml").write_text(plan, encoding="utf-8")
    outcome = here.cli("evaluate", "plan.toml")
    assert outcome.status == 0
    assert outcome.err.startswith(f"{NOBODY_MARKED}note: trir, a: ")
    assert "no more people than with somebody else's document, the control" in outcome.err
    run = Run.load("run.json")
    known = {one.name: one for one in run.inputs["background"]}
    assert {name: one.documents for name, one in known.items()} == {"public": 4, "private": 4}
    for name, value in (("public", 1.0), ("private", 0.25)):
        score = run["a", f'trir(background="{name}")']
        assert score.value == value
        assert f"|background:{name}@{known[name].digest[:8]}|" in score.signature
        assert score.signature.count("background:") == 1
    assert run.references == []
    assert here.cli("report", "run.json", "--html", "page.html").status == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "public (background)" in page
    assert "private (background)" in page


def test_of_several_backgrounds_one_must_be_named(here: Any) -> None:
    plan = 'corpus = "originals.json"\nmetrics = ["METRIC"]\n[anonymizations]\na = "names.json"\n[background]\n'
    plan += 'one = "public.json"\ntwo = "records.json"\n'
    for metric, expected in (
        ("trir", "metric trir: names none; expected one of the backgrounds one, two, such as trir(background='one')"),
        (
            "trir(background=three)",
            "metric trir(background=\"three\"): asks for the background 'three'; expected one of",
        ),
        ("trir(background=one)", "background two: was given, but no metric asks for it"),
    ):
        Path("plan.toml").write_text(plan.replace("METRIC", metric), encoding="utf-8")
        here.refuses("evaluate", "plan.toml", starts=expected)
    here.refuses(
        *("evaluate", "originals.json", "a=names.json", "-m", "trir(background=x)", "--background", "public.json"),
        starts="metric trir(background=\"x\"): asks for the background 'x'; expected no name",
    )


# Bad input.


def test_no_background(here: Any) -> None:
    outcome = here.cli("attack", "a=texts.json")
    assert outcome.status == 2
    assert "--background" in outcome.err
    here.refuses(
        *("evaluate", "originals.json", "a=names.json", "--metric", "trir"),
        starts="background: none was given, which the metric trir needs; expected --background FILE",
    )


@pytest.mark.parametrize("chosen", [("--preset", "unannotated"), ("-m", "inconsistent")])
def test_a_background_brings_its_attack(here: Any, chosen: tuple[str, ...]) -> None:
    """Beside a preset and named metrics as where nobody names any."""
    outcome = here.cli(
        *("evaluate", "originals.json", "a=names.json", "--background", "public.json", *chosen, "-o", "run.json")
    )
    assert outcome.status == 0
    metrics = [record.text for record in Run.load("run.json").metrics]
    assert metrics[0] == "inconsistent"
    assert metrics.count("trir") == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"ann": "one"}, "found 1 individual with a text; expected at least 2"),
        ({"ann": "", "bob": " "}, "found 0 individuals with a text (2 more have a text without a word)"),
        ({"x": "one", "y": "two"}, "knows nobody of the documents"),
    ],
)
def test_a_background_that_cannot_be_attacked_with(here: Any, content: dict[str, str], says: str) -> None:
    here.write({"public.json": content})
    here.refuses(*ATTACK, "a=texts.json", starts="public.json: background: ", says=(says,))
    command = ("evaluate", "originals.json", "a=names.json", "--metric", "trir", "--background", "public.json")
    here.refuses(*command, starts="public.json: background: ", says=(says,))


def test_masks_without_their_corpus(here: Any) -> None:
    here.refuses(*ATTACK, "a=names.json", starts="names.json: holds masks with offsets; expected --corpus")


def test_a_background_without_documents(here: Any) -> None:
    here.refuses(*ATTACK, starts="public.json: has no documents in it; expected records with name, public_knowledge")


def test_everything_wrong_is_told_at_once(here: Any) -> None:
    here.write({"public.json": {"ann": 3}, "texts.json": {"ann": 3}})
    outcome = here.cli(*ATTACK, "a=texts.json", "b=none.json")
    assert outcome.status == 2
    assert [line.split(":")[0] for line in outcome.err.splitlines()] == ["texts.json", "none.json", "public.json"]


@pytest.mark.parametrize(
    ("more", "starts"),
    [
        (("--attacks", "magic"), "attack magic: unknown attack; expected lexical"),
        (("-k", "0"), "ReIdentification: k=0 is out of range"),
        (("--explain", "-1"), "explain: found -1; expected 0 or more"),
        (("a=nothing.json",), "anonymization a: this name is used twice"),
        (("--json", "texts.json"), "texts.json: is read by this command"),
        (("--resamples", "-1"), "resamples: found -1; expected 0 to 1000000"),
        (("--confidence", "1"), "confidence: found 1.0; expected a number between 0 and 1"),
        (("--device", "tpu"), "device: found 'tpu'; expected auto, cpu, cuda"),
    ],
)
def test_what_cannot_be_asked_for(here: Any, more: tuple[str, ...], starts: str) -> None:
    here.refuses(*ATTACK, "a=texts.json", *more, starts=starts)


def test_files_are_not_replaced_unasked(here: Any) -> None:
    here.write({"out.json": "{}"})
    here.refuses(*ATTACK, "a=texts.json", "--json", "out.json", starts="out.json: exists already")


UNMASKED = "after: every text equals its original, so nothing is masked"


@pytest.fixture
def both(here: Any) -> Any:
    rows = [f"{name},{name.title()} has a {topic},PERSON has a thing" for name, topic in TOPICS.items()]
    here.write({"both.csv": "\n".join(["doc_id,before,after", *rows])})
    return here


def test_released_texts_beside_the_originals(both: Any) -> None:
    columns = ("--corpus", "both.csv", "--original", "before", "--released", "after")
    outcome = both.cli(*ATTACK, *columns, "--json", "out.json")
    assert (outcome.status, outcome.err) == (0, "")
    assert values("out.json")["after"]["worst"]["accuracy"] == 0.25
    assert "PERSON" not in outcome.out
    assert UNMASKED not in outcome.out + outcome.err


def test_a_background_has_columns_of_its_own(both: Any) -> None:
    both.write({"public.csv": "\n".join(["id,text", *(f"{name},the {topic}" for name, topic in TOPICS.items())])})
    columns = ("--corpus", "both.csv", "--original", "before", "--released", "after")
    assert both.cli("attack", "--background", "public.csv", *columns).status == 0


def test_a_release_that_equals_the_originals_is_told(both: Any) -> None:
    outcome = both.cli(*ATTACK, "after=both.csv", "--corpus", "both.csv", "--text-column", "before", "-o", "run.json")
    assert outcome.status == 0
    assert UNMASKED in outcome.err
    assert "--released" in outcome.err
    assert any(note.startswith(UNMASKED) for note in Run.load("run.json").notes)


def test_released_columns_need_their_corpus(both: Any) -> None:
    both.refuses(*ATTACK, "--released", "after", starts="--released names columns beside the originals")
