"""PAN's folders of problems: texts as they stand, truths from wherever they are said, and what is wrong with them."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as some

from showthrough import Corpus, Document, InputError, OutputError, read_anonymization, read_corpus
from showthrough.data.documents import Authorship
from showthrough.formats.authorship.pan import write
from showthrough.formats.registry import recognise_format, same_format
from showthrough.formats.writing import write_checked, write_corpus
from showthrough.storage.file_heads import Head

Lay = Callable[..., Path]
SOUND = {
    "p1/known01.txt": "One text.\r\nOf hers.",
    "p1/known02.txt": "\ufeffAnother text.",
    "p1/unknown.txt": "\ufeffWhose is this?\r\n",
    "p2/known01.txt": "Of somebody else.",
    "p2/unknown.txt": "Nobody knows\ufeff whose.",
}
TRUTH = "\ufeffp1 Y\r\np2 N\r"


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """Lays out files below a folder of this test, some changed or taken away."""

    def laid(changed: dict[str, str | bytes | None] | None = None, home: str = "problems") -> Path:
        for name, content in {**SOUND, **(changed or {})}.items():
            if content is None:
                continue
            path = tmp_path / home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / home

    return laid


def problems(path: Path, format: str | None = None) -> list[str]:
    """What is said to be wrong, without the place of the files."""
    with pytest.raises(InputError) as caught:
        read_corpus(path, format=format)
    return [line.removeprefix(f"{path}: ").removeprefix(f"{path}/") for line in str(caught.value).splitlines()]


def test_texts_and_truth(lay: Lay) -> None:
    corpus = read_corpus(lay({"truth.txt": TRUTH}))
    one, two = corpus.documents
    assert (one.id, one.text) == ("p1", "Whose is this?\r\n")
    assert one.authorship == Authorship(("One text.\r\nOf hers.", "Another text."), True)
    assert (two.text, two.authorship) == ("Nobody knows\ufeff whose.", Authorship(("Of somebody else.",), False))
    assert corpus.survey.questions == 2
    assert corpus.notes == ()


@pytest.mark.parametrize(
    "said",
    [
        {"truth.jsonl": '{"id": "p1", "same": true, "authors": ["a", "a"]}\n{"id": "p2", "same": false}\n'},
        {"truth.json": '[{"id": "p1", "same": true}, {"id": "p2", "same": false}]'},
        {"truth.txt.gz": gzip.compress(TRUTH.encode())},
        {"p1/truth.txt": "Y\n", "p2/truth.txt": "p2 N"},
    ],
)
def test_truth_in_other_files(lay: Lay, said: dict[str, str | bytes]) -> None:
    corpus = read_corpus(lay(said))
    assert [one.authorship and one.authorship.same for one in corpus] == [True, False]
    assert corpus.notes == ()


def test_without_truth_nobody_said(lay: Lay) -> None:
    assert [one.authorship and one.authorship.same for one in read_corpus(lay())] == [None, None]


def test_folders_lie_deeper_or_are_given_themselves(lay: Lay, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_corpus(lay({"truth.txt": TRUTH}))
    assert read_corpus(lay({"truth.txt": TRUTH}, "around/inside/pan13").parents[1]).digest == whole.digest
    alone = read_corpus(lay() / "p2")
    assert alone.ids == ("p2",)
    monkeypatch.chdir(lay() / "p2")
    assert read_corpus(".").ids == ("p2",)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"p1/known01.txt": ""}, "p1/known01.txt: document p1: is empty; expected at least 2 words"),
        ({"p1/known02.txt": "\ufeff \n"}, "p1/known02.txt: document p1: is empty; expected at least 2 words"),
        ({"p1/unknown.txt": "Whose?\n"}, "p1/unknown.txt: document p1: is one word; expected at least 2 words"),
        ({"p2/known01.txt": None},
         "p2: document p2: has no known text; expected known01.txt and on beside unknown.txt"),
        ({"p2/unknown.txt": None}, "p2: document p2: unknown.txt is missing; expected it beside the known texts"),
        ({"p1/unknown.txt": b"caf\xe9 of mine"},
         "p1/unknown.txt: document p1: byte 3 is not UTF-8; expected UTF-8 throughout"),
        ({"p1/known01.txt": "A text.".encode("utf-16")},
         "p1/known01.txt: document p1: is encoded in UTF-16; expected UTF-8"),
        ({"more/p1/unknown.txt": "Whose is this?", "more/p1/known01.txt": "A text."},
         "document p1: two folders have this name; expected unique ids"),
        ({"p1/known01.txt.gz": b""}, "p1/known01.txt.gz: is there twice, as known01.txt too; expected one of them"),
        ({"truth.txt": "p1 Y\n"},
         "truth.txt: document p2: is a problem here, and no truth is said of it; expected Y or N, as of the others"),
        ({"p1/truth.txt": "Y"},
         "p1/truth.txt: document p2: is a problem here, and no truth is said of it; expected Y or N, as of the others"),
        ({"truth.txt": f"{TRUTH}p3 Y"},
         "truth.txt: document p3: is no problem here; expected the name of a folder with its texts"),
        ({"truth.txt": "p1 Y\np2 n"}, "truth.txt: line 2: document p2: found 'n'; expected Y (the same author) or N"),
        ({"p1/truth.txt": "yes"}, "p1/truth.txt: document p1: found 'yes'; expected Y (the same author) or N"),
        ({"truth.txt": f"{TRUTH}\np1 Y"}, "truth.txt: line 3: document p1: occurs twice; expected every problem once"),
    ],
)  # fmt: skip
def test_bad_problems_are_one_line_each(lay: Lay, changed: dict[str, str | bytes | None], said: str) -> None:
    assert problems(lay(changed), "pan") == [said]


def test_truths_that_disagree(lay: Lay) -> None:
    [line] = problems(lay({"truth.txt": TRUTH, "p1/truth.txt": "N"}))
    assert line.startswith("truth.txt: document p1: found Y, and ")
    assert line.endswith("says N; expected one truth")


def test_all_that_is_wrong_is_said_together(lay: Lay) -> None:
    path = lay(
        {"p1/known01.txt": "x", "p1/unknown.txt": None, "p2/unknown.txt": b"\xff\x00", "truth.txt": "p1 Y\np9 N"}
    )
    (path / "p3").mkdir()
    assert [line.split(": ")[0] for line in problems(path)] == [
        "p3", "truth.txt", "truth.txt", "p1/known01.txt", "p1", "p2/unknown.txt"
    ]  # fmt: skip


def test_an_empty_folder_is_a_problem_that_was_lost(lay: Lay) -> None:
    path = lay()
    (path / "p3").mkdir()
    (path / ".git").mkdir()
    assert problems(path) == ["p3: document p3: is an empty folder; expected known01.txt and on, and unknown.txt"]


def test_what_is_no_part_of_a_problem_is_told(lay: Lay) -> None:
    others = {
        "readme.txt": "Hello you.",
        "p1/._known01.txt": "\0\5",
        ".cache/p9/unknown.txt": "x y",
        "notes/a.pdf": "x",
    }
    corpus = read_corpus(lay({**others, "contents.json": "{}"}))
    assert corpus.ids == ("p1", "p2")
    assert corpus.notes == (
        "texts that are no part of a problem were not read: .cache/p9/unknown.txt, p1/._known01.txt, readme.txt",
        "other files in the folder were not read: 1 .pdf",
    )


def test_weird_names(lay: Lay) -> None:
    name = "[1] of  “Q”.txt é"
    path = lay(
        {f"{name}/known.txt": "A text.", f"{name}/unknown.txt": "A text too.", "truth.txt": f"{name} Y\n{TRUTH[1:]}"}
    )
    corpus = read_corpus(path)
    assert corpus.ids == (name, "p1", "p2")
    assert corpus.documents[0].authorship == Authorship(("A text.",), True)


def test_it_is_told_from_a_folder_of_texts(lay: Lay, tmp_path: Path) -> None:
    assert recognise_format(Head(lay()), "read") == "pan"
    only = lay({name: None for name in SOUND if "known0" in name} | {"truth.txt": TRUTH}, "lost")
    assert recognise_format(Head(only), "read") == "pan"  # to say what is missing
    assert (
        recognise_format(Head(lay({name: None for name in SOUND if "unknown" not in name}, "alone")), "read")
        == "folder"
    )
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "known01.txt").write_text("A text.")
    assert recognise_format(Head(plain), "read") == "folder"


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("A text.")
    with pytest.raises(InputError, match="is no folder; expected one with a folder for each problem"):
        read_corpus(tmp_path / "file.txt", format="pan")
    with pytest.raises(InputError, match=r"holds no problem; expected folders with known01\.txt and on, and unknown"):
        read_corpus(tmp_path, format="pan")


TEXTS = some.text(
    some.characters(exclude_categories=["Cs"], exclude_characters="\0") | some.sampled_from("\r\n\ufeff \t"), max_size=8
).map(lambda text: f"{text}a b")
NAMES = some.text(some.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1, max_size=6)


@settings(max_examples=40)  # each writes files
@given(
    some.lists(
        some.tuples(NAMES, TEXTS, some.lists(TEXTS, min_size=1, max_size=12)),
        min_size=1,
        max_size=3,
        unique_by=lambda one: one[0],
    ),
    some.sampled_from([True, False, None]),
)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, str, list[str]]], same: bool | None
) -> None:
    """Or the id is none that a folder or a line of truth can have."""
    documents = [Document(name, text, authorship=Authorship(tuple(known), same)) for name, text, known in made]
    folder = tmp_path_factory.mktemp("written") / "pan"
    try:
        write_corpus(Corpus(documents), folder, "pan")
    except OutputError as error:
        assert "id cannot be the name" in str(error)  # noqa: PT017
        assert not folder.exists()
        return
    again = read_corpus(folder, format="pan")
    assert sorted(again, key=lambda one: one.id) == sorted(documents, key=lambda one: one.id)


@pytest.mark.parametrize("name", ["a/b", " a", "a ", "a\nb", "\ufeffa", '{"a', "truth.txt", "[]"])
def test_ids_that_are_no_names(name: str) -> None:
    with pytest.raises(OutputError, match="this id cannot be the name of a problem's folder"):
        write([Document(name, "A text.", authorship=Authorship(("A text.",), True))])


def test_what_cannot_be_a_problem_is_not_written(tmp_path: Path) -> None:
    asked = Document("a", "A text.", authorship=Authorship(("A text.",), True))
    with pytest.raises(
        OutputError, match="document b: has no known texts of an author; PAN's problems have one at least"
    ):
        write_checked(Corpus([asked, Document("b", "A text.")]), tmp_path / "x", "pan")
    half = Document("b", "A text.", authorship=Authorship(("A text.",)))
    with pytest.raises(OutputError, match="1 of 2 problems have a truth; PAN's files say it of all, or of none"):
        write_checked(Corpus([asked, half]), tmp_path / "x", "pan")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["tab", "jsonl"])
def test_our_own_formats_keep_it(lay: Lay, tmp_path: Path, format: str) -> None:
    corpus = read_corpus(lay({"truth.txt": TRUTH}))
    path = tmp_path / f"out.{'json' if format == 'tab' else 'jsonl'}"
    assert write_checked(corpus, path, format, strict=True).lost == []
    again = read_corpus(path)
    assert again.digest == corpus.digest
    assert list(again) == list(corpus)
    assert write_checked(again, tmp_path / "again", "pan", strict=True).lost == []
    assert read_corpus(tmp_path / "again").digest == corpus.digest
    unsaid = read_corpus(lay(home="unsaid"))
    write_checked(unsaid, path, format, strict=True, force=True)
    assert read_corpus(path).digest == unsaid.digest


@pytest.mark.parametrize(
    ("authorship", "said"),
    [
        ('{"known": []}', "authorship.known: found no text; expected one at least"),
        ('{"known": ["a b", "a"]}', "authorship.known[1]: is one word; expected at least 2 words"),
        ('{"same": true}', "authorship: known is missing"),
        ('{"known": ["a b"], "same": "Y"}', "authorship.same: found text; expected true or false or null"),
        ('"her"', "authorship: found text; expected an object {…} or null"),
    ],
)
def test_bad_authorship_in_our_own_formats(tmp_path: Path, authorship: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(f'[{{"doc_id": "a", "text": "A text.", "authorship": {authorship}}}]')
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: document a: {said}"


@pytest.mark.parametrize(("format", "ending"), [("texts", ".json"), ("table", ".csv"), ("brat", ""), ("folder", "")])
def test_formats_without_a_place_for_it_say_so(lay: Lay, tmp_path: Path, format: str, ending: str) -> None:
    lost = write_checked(read_corpus(lay({"truth.txt": TRUTH})), tmp_path / f"out{ending}", format).lost
    assert lost == ["what is known of the author of 2 documents"]


def test_problems_as_what_was_handed_in(lay: Lay) -> None:
    """Nothing was rewritten: the texts are the originals."""
    corpus = read_corpus(lay())
    assert all(not masks for masks in read_anonymization(lay(), corpus).masks.values())


def test_released_texts_are_written_without_what_is_known(lay: Lay) -> None:
    """Nothing was masked in it."""
    assert same_format(lay(), None) == same_format(lay(), "pan") == "tab"


def test_pan_13_to_15(pan: Path) -> None:
    corpus = read_corpus(pan / "verification_train")
    assert Counter(one.authorship and one.authorship.same for one in corpus) == {True: 205, False: 205}
    assert sum(len(one.authorship.known) for one in corpus if one.authorship) == 761
    assert not any(
        text.startswith("\ufeff") for one in corpus for text in (one.text, *(one.authorship or Authorship(())).known)
    )
    masking = read_corpus(pan / "masking_problems")
    assert (len(masking), masking.survey.questions, masking.notes) == (205, 205, ())
    assert {one.authorship and one.authorship.same for one in masking} == {None}
    assert {one.text for one in masking} <= {one.text for one in corpus}
