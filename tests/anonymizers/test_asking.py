"""How anonymizers are asked for: every form, what is told of others, and that no text ends in a traceback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, ResourceError
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.systems import ANONYMIZERS, Anonymizer, anonymizer, named_anonymizer, named_anonymizers
from showthrough.systems.base import format_spec
from showthrough.systems.combined import Everywhere, Union
from showthrough.systems.detector_systems import PresidioAnonymizer, SpacyAnonymizer
from showthrough.systems.outside.program import Program
from showthrough.systems.outside.service import Service
from showthrough.systems.rules import Rules
from showthrough.systems.trained_models import Trained


@dataclass(frozen=True)
class Marked:
    """Hides what stands before a mark."""

    mark: str = parameter("#", "the mark")
    most: int = parameter(1, "how many")

    @property
    def name(self) -> str:
        return "our-marks"

    @property
    def version(self) -> int:
        return 1

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        return [[] for _ in documents]


@pytest.fixture
def plugin() -> Iterator[None]:
    ANONYMIZERS.register("our-marks", Marked())
    yield
    del ANONYMIZERS["our-marks"]


ASKED: dict[str, Anonymizer] = {
    "rules": Rules(),
    "  rules ": Rules(),
    'spacy(model="en_core_web_md")': SpacyAnonymizer("en_core_web_md"),
    "spacy(model=en_core_web_md)": SpacyAnonymizer("en_core_web_md"),
    "spacy:en_core_web_md": SpacyAnonymizer("en_core_web_md"),
    "spacy:./my pipeline": SpacyAnonymizer("./my pipeline"),
    r"spacy:C:\models\md": SpacyAnonymizer(r"C:\models\md"),
    'presidio:en_core_web_md(language="es", threshold=1)': PresidioAnonymizer("en_core_web_md", "es", 1),
    'presidio(model="a+b)c")': PresidioAnonymizer("a+b)c"),
    "crf/": Trained("crf/"),
    "d'Arc/+rules": Union((Trained("d'Arc/"), Rules())),
    "http://localhost:5002": Service("http://localhost:5002"),
    "https://127.0.0.1/api": Service("https://127.0.0.1/api"),
    'http://pii.example:80(allow="pii.example", at_once=2)': Service(
        "http://pii.example:80", allow="pii.example", at_once=2
    ),
    "cmd:python mine.py --fast": Program("python mine.py --fast"),
    'cmd:python mine.py "a (b" + c': Program('python mine.py "a (b" + c'),
    'cmd(command="python mine.py", timeout=5)': Program("python mine.py", 5),
    "rules+cmd:a+b": Union((Rules(), Program("a+b"))),
    'cmd(command="a+b")+rules': Union((Program("a+b"), Rules())),
    "rules + presidio": Union((Rules(), PresidioAnonymizer())),
    "everywhere(rules)": Everywhere(Rules()),
    "everywhere(rules+crf/)+presidio": Union((Everywhere(Union((Rules(), Trained("crf/")))), PresidioAnonymizer())),
    "everywhere(cmd:a b+c)+rules": Union((Everywhere(Program("a b+c")), Rules())),
    'everywhere(cmd:sed "s/)//")+rules': Union((Everywhere(Program('sed "s/)//"')), Rules())),
    'everywhere(rules, dictionary="wordfreq:es")': Everywhere(Rules(), "wordfreq:es"),
    "everywhere(everywhere(rules))": Everywhere(Everywhere(Rules())),
}


@pytest.mark.parametrize(("text", "expected"), ASKED.items())
def test_every_form_is_read_and_what_it_is_written_as_again(text: str, expected: Anonymizer) -> None:
    made = anonymizer(text)
    assert made == expected
    assert anonymizer(format_spec(made)) == expected


@pytest.mark.usefixtures("plugin")
def test_a_plugin_has_parameters_and_a_place_too() -> None:
    assert anonymizer("our-marks") == Marked()
    assert anonymizer("our-marks(most=3)") == Marked(most=3)
    assert anonymizer("our-marks:%(most=3)+rules") == Union((Marked("%", 3), Rules()))


def test_a_folder_that_is_there_is_one_whatever_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("c++", "crf (1)", "plain"):
        Path(name).mkdir()
        assert anonymizer(name) == Trained(name)
    assert anonymizer("C:\\models\\crf\\") == Trained("C:\\models\\crf\\")


def test_a_name_before_the_sign_is_that_of_tables_and_files() -> None:
    assert named_anonymizer("mine=rules") == ("mine", Rules())
    assert named_anonymizer("My model 2 = rules") == ("My model 2", Rules())
    assert named_anonymizer("mine=cmd:x --a=b") == ("mine", Program("x --a=b"))
    assert named_anonymizer("cmd:x --a=b") == ("cmd:x --a=b", Program("x --a=b"))
    assert list(named_anonymizers(["rules", "a=rules", "b=rules"])) == ["rules", "a", "b"]
    with pytest.raises(PlanError, match="anonymizer rules: is there twice"):
        named_anonymizers(["rules", "rules"])


@pytest.mark.parametrize(
    ("text", "fault"),
    {
        "": "found nothing; expected a name",
        "mine=": "found nothing; expected a name",
        "rules+": "found 'rules+', with nothing beside a +",
        "+rules": "with nothing beside a +",
        "rules++presidio": "with nothing beside a +",
        "everywhere()": "found nothing; expected a name",
        "everywhere": "everywhere: found nothing to repeat",
        "everywhere(rules": "unknown anonymizer 'everywhere(rules'",
        "presido": "unknown anonymizer 'presido'; did you mean presidio? there are: rules",
        "spacy:": "anonymizer spacy: found nothing after spacy:; expected the model",
        "cmd:": "anonymizer cmd: found nothing after cmd:; expected the command",
        "cmd: ": "found nothing after cmd:",
        'cmd:python "mine.py': "anonymizer cmd: command: found 'python \"mine.py': no closing quotation",
        "rules(a=1)": "anonymizer rules: takes no parameters",
        "spacy(modle=x)": "anonymizer spacy: modle: unknown parameter; expected one of model",
        "spacy(model=3)": "anonymizer spacy: model: found 3; expected text",
        "spacy(3)": "found 'spacy(3)'; expected a name, or a call",
        "spacy:x(model=y)": "anonymizer spacy: model: is there twice, after spacy: and in brackets",
        "rules)": "found 'rules)'; expected a name, or a call",
        "cmd(command=x, timeout=0)": "anonymizer cmd: timeout: found 0; expected seconds",
        "http://": "anonymizer http: url: found 'http://'",
        "http://localhost:x": "url: found 'http://localhost:x'",
        "http://me:secret@localhost": "has a user",
        "http://[::1": "url: found",
        "http://pii.example": "pii.example is not this machine, and every document's text would be sent there",
        'http://pii.example(allow="other")': 'expected localhost, or allow="pii.example"',
        'everywhere(rules, dictionary="wordfreq:es", x=1)': "unknown anonymizer",
        "everywhere(" * 5000: "more than 20 brackets in brackets",
    }.items(),
)
def test_what_cannot_be_is_told_in_one_line(text: str, fault: str) -> None:
    with pytest.raises(PlanError) as caught:
        named_anonymizer(text)
    assert fault in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


WORDS = [
    "rules", "spacy", "everywhere(", ")", "(", "+", "=", ":", "cmd:", "http://", "localhost", "/", "'", '"', "\\", ",",
    "model=", "dictionary=", "1", " ", "\0", "\ud800", "é", "\n", "~", "[", "hf", "@",
]  # fmt: skip


@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=12).map("".join)))
@example("~\0/")
@example("~nobody/")
@example("http://\ud800")
@example("spacy(model='\\ud800')")
def test_any_text_is_an_anonymizer_or_one_plain_error(text: str) -> None:
    made: object
    try:
        made = named_anonymizer(text)[1]
    except (PlanError, ResourceError) as error:
        made = str(error)
    assert made.isprintable() if isinstance(made, str) else hasattr(type(made), "masks")
