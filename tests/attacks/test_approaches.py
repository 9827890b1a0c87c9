"""How attacks are asked for."""

from __future__ import annotations

import re

import pytest

from showthrough.core.errors import PlanError
from showthrough.families.reidentification.attacks import ATTACKS, DEFAULT, approaches


def texts(written: str) -> list[str]:
    return [str(one) for one in approaches(written)]


def test_the_default_needs_the_base_install_only() -> None:
    assert texts(DEFAULT) == ["lexical", "lexical+assignment"]
    assert {part.name for one in approaches(DEFAULT) for part in one.parts} == {"lexical"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("lexical", ["lexical"]),
        (" lexical , lexical ", ["lexical"]),
        ("assignment+lexical", ["lexical+assignment"]),
        ("lexical+lexical", ["lexical"]),
        ("lexical + dense + assignment", ["lexical+dense+assignment"]),
        ('dense(embedding="lsa", window=100)', ['dense(embedding="lsa")']),
        ("dense(embedding=lsa)", ['dense(embedding="lsa")']),  # shells eat quotes
        ("dense(window=20, step=10)+assignment", ["dense(window=20, step=10)+assignment"]),
        ("transformer(finetuning_epochs=1)", ["transformer(finetuning_epochs=1)"]),
        ('transformer(dev_set_column_name="presidio")', ['transformer(dev_set_column_name="presidio")']),
        ("prior+lexical", ["lexical+prior"]),
        ("assignment + lexical+prior, lexical", ["lexical+prior+assignment", "lexical"]),
        ("lexical+llm:gpt-4.1-mini", ["lexical+llm:gpt-4.1-mini"]),
        (
            "lexical + llm:org/m:free@http://127.0.0.1:80/v1 +prior",
            ["lexical+prior+llm:org/m:free@http://127.0.0.1:80/v1"],
        ),
        ('lexical+llm(model="m")+llm:m', ["lexical+llm:m"]),
        ('transformer(output_folder_path="llm:x, y+z")', ['transformer(output_folder_path="llm:x, y+z")']),
    ],
)
def test_written_forms(written: str, expected: list[str]) -> None:
    assert texts(written) == expected
    assert texts(", ".join(expected)) == expected  # what is printed can be read again


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "expected attacks such as"),
        ("lexical,,", "expected attacks such as"),
        ("lexical-dense", "expected attacks such as"),
        ("lexical(", "expected attacks such as"),
        ("lexical(1)", "expected attacks such as"),
        ("dense(window=[open])", "expected attacks such as"),
        ("dense(window=open)", "attack dense: window: found 'open'; expected a whole number, such as 100"),
        ("dense(window=1, window=2)", "expected attacks such as"),
        (
            "lexicall",
            "attack lexicall: unknown attack; expected lexical, dense, transformer, answers; behind one +prior",
        ),
        ("assignment", "assignment works on top of an attack; expected for instance lexical+assignment"),
        ("prior", "prior works on top of an attack; expected for instance lexical+prior"),
        ("prior(x=1)+lexical", "attack prior: unknown attack"),
        ("llm:m", "llm:m works on top of an attack; expected for instance lexical+llm:m"),
        ("lexical+llm", "attack llm: names no language model; expected llm:MODEL or llm:MODEL@URL"),
        ("lexical+llm:", "attack llm: names no language model"),
        ('lexical+llm(model="a,b")', "attack llm: names no language model"),  # could not be read back
        ("lexical+llm(model=3)", "attack llm: names no language model"),
        ("lexical+llm:a+llm:b", "found llm:a and llm:b; expected one model behind an attack"),
        ("dense(embedding=llm:x)", "expected attacks such as"),
        ("lexical(views=3)", "attack lexical: views: unknown parameter; expected none"),
        ("dense(size=3)", "attack dense: size: unknown parameter; expected one of embedding, window, step"),
        ("dense(window='x')", "attack dense: window: found 'x'; expected a whole number, such as 100"),
        ("dense(window=True)", "attack dense: window: found True; expected a whole number, such as 100"),
        ("dense(window=0)", "window=0"),
        ("dense(step=500)", "step=500"),
        ("dense(embedding='nothing')", "embedding='nothing' is not known"),
        ("transformer(finetuning_epochs=0)", "finetuning_epochs=0 is out of range"),
    ],
)
def test_what_cannot_be_asked_for(written: str, message: str) -> None:
    with pytest.raises(PlanError, match=re.escape(message)):
        approaches(written)


def test_a_setting_with_a_line_end_can_be_read_back() -> None:
    written = approaches('transformer(output_folder_path="a\\nb")')
    assert str(written[0]).isprintable()
    assert approaches(str(written[0])) == written


def test_what_a_signature_says_of_them() -> None:
    said = {name: approaches(name)[0].parts[0].pinned for name in ATTACKS}
    assert said["lexical"] == (("lexical", "v2"),)
    assert said["dense"] == (("dense", "v1"),)
    assert dict(said["transformer"])["selection"].startswith("background")


def test_models_that_they_ask_for() -> None:
    assert approaches("lexical")[0].parts[0].attack.models == {}
    assert approaches("dense")[0].parts[0].attack.models == {"embedding": "st:sentence-transformers/all-MiniLM-L6-v2"}
    assert approaches('dense(embedding="lsa")')[0].parts[0].attack.models == {}
