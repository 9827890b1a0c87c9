"""One language for all metrics, and what is said where the documents are in another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, Metric, PlanError, evaluate, read_corpus
from showthrough.data.documents import Annotation, Mention
from showthrough.metrics import METRICS, metric_text, metrics_of, parse_metric
from showthrough.metrics.language import in_language, unlike_its_language, words_of
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.languages import another_language, sample_of

TEXTS = {
    "en": """The applicant was seen in the clinic by her own doctor, who had known her for ten years. She said that the
        pain was worse when she stood, and that it had been there since the summer. He told her that they would have
        to look at the knee again, and that she should not walk more than was needed until then.""",
    "es": """La paciente fue vista en la consulta por su médico, que la conocía desde hacía diez años. Dijo que el dolor
        era más fuerte cuando estaba de pie, y que lo tenía desde el verano. Él le dijo que había que ver otra vez la
        rodilla, y que no debía andar más de lo necesario hasta entonces, ni subir la escalera con peso.""",
    "de": """Die Patientin kam in die Praxis zu ihrem Arzt, der sie seit zehn Jahren kannte. Sie sagte, dass der Schmerz
        stärker sei, wenn sie stehe, und dass er seit dem Sommer da sei. Er sagte ihr, dass man das Knie noch einmal
        ansehen müsse und dass sie bis dahin nicht mehr als nötig gehen und keine schwere Tasche tragen solle.""",
    "fr": """La patiente a été vue à la consultation par son médecin, qui la connaissait depuis dix ans. Elle a dit que
        la douleur était plus forte quand elle restait debout, et qu'elle l'avait depuis l'été. Il lui a dit qu'il
        fallait revoir le genou, et qu'elle ne devait pas marcher plus que nécessaire jusqu'à la prochaine visite.""",
    "da": """Patienten blev set i klinikken af sin læge, som havde kendt hende i ti år. Hun sagde, at smerten var værre,
        når hun stod op, og at den havde været der siden sommeren. Han sagde til hende, at de måtte se på knæet igen,
        og at hun ikke skulle gå mere end nødvendigt indtil da, og at hun kunne komme om en uge.""",
    "nb": """Pasienten ble sett på klinikken av legen sin, som hadde kjent henne i ti år. Hun sa at smerten var verre
        når hun sto oppreist, og at den hadde vært der siden sommeren. Han sa til henne at de måtte se på kneet
        igjen, og at hun ikke skulle gå mer enn nødvendig inntil da, og at hun kunne komme om en uke.""",
    "sv": """Patienten undersöktes på kliniken av sin läkare, som hade känt henne i tio år. Hon sade att smärtan var
        värre när hon stod upp, och att den hade funnits där sedan sommaren. Han sade till henne att de måste se på
        knäet igen, och att hon inte skulle gå mer än nödvändigt till dess, och att hon kunde komma om en vecka.""",
    "nl": """De patiënte werd op het spreekuur gezien door haar arts, die haar al tien jaar kende. Ze zei dat de pijn
        erger was als ze stond, en dat die er sinds de zomer was. Hij zei dat ze nog een keer naar de knie moesten
        kijken, en dat ze tot die tijd niet meer moest lopen dan nodig was, en over een week terug kon komen.""",
    "it": """La paziente è stata vista in ambulatorio dal suo medico, che la conosceva da dieci anni. Ha detto che il
        dolore era più forte quando stava in piedi, e che lo aveva dall'estate. Lui le ha detto che si doveva vedere
        ancora il ginocchio, e che non doveva camminare più del necessario fino alla prossima visita.""",
    "pt": """A doente foi vista na consulta pelo seu médico, que a conhecia há dez anos. Disse que a dor era mais forte
        quando estava de pé, e que a tinha desde o verão. Ele disse-lhe que era preciso ver outra vez o joelho, e que
        não devia andar mais do que o necessário até à próxima consulta, nem subir a escada com um saco.""",
}
FINNISH = """Potilas kävi vastaanotolla oman lääkärinsä luona, joka oli tuntenut hänet kymmenen vuotta. Hän kertoi, että
    kipu oli pahempi seistessä ja että se oli alkanut kesällä. Lääkäri sanoi, että polvi pitäisi tutkia uudelleen ja
    ettei potilaan pitäisi kävellä enempää kuin on tarpeen ennen sitä. Potilas asuu yksin pienessä kaupungissa ja käy
    töissä kirjastossa. Hänen sisarensa auttaa kaupassa käynnissä ja siivouksessa joka viikko, ja naapuri lainaa autoa
    silloin kun matka sairaalaan on edessä. Seuraava aika varattiin kahden viikon päähän, ja kotiin annettiin
    lääkkeitä sekä ohjeet harjoituksista, joita tehdään aamulla ja illalla."""
CATALAN = """La pacient va ser visitada a la consulta pel seu metge, que la coneixia des de feia deu anys. Va dir que el
    dolor era més fort quan estava dreta, i que el tenia des de l'estiu. Ell li va dir que calia tornar a mirar el
    genoll, i que no havia de caminar més del necessari fins aleshores. La pacient viu sola en un poble petit i treballa
    a la biblioteca. La seva germana l'ajuda amb les compres i la neteja cada setmana, i els veïns li deixen el cotxe
    quan ha d'anar a l'hospital. La propera visita serà d'aquí a dues setmanes, amb uns exercicis per fer cada matí."""
GREEK = "Η ασθενής εξετάστηκε στο ιατρείο από τον γιατρό της, ο οποίος την ήξερε δέκα χρόνια."
CHINESE = "患者在诊所接受了医生的检查，医生认识她已经十年了。她说站立时疼痛更严重，从夏天开始就一直疼。"
SHORTHAND = """67F s/p fall, L hip pain, unable to wt bear. PMH: afib on coumadin, CHF, CKD3. INR 2.8. XR L hip:
    intertroch fx. ortho c/s, hold coumadin, vit K 5mg po x1. NPO p MN. dispo: admit med-surg, tele. pt A&Ox3, lungs
    CTAB, abd soft NT ND. LE 2+ edema b/l. UOP adeq. will d/w family re goals. cont metoprolol 25 bid, asa 81 qd, lasix
    40 iv bid, hold lisinopril 2/2 aki. labs: wbc 11.2, hgb 9.8 (bl 10), plt 210, na 134, k 4.9, cr 2.1 (bl 1.6). ekg:
    afib rate 88, no st-t changes. cxr: mild pulm edema, no pna. plan: or tmrw am if inr less than 1.5, pain ctrl w/
    tylenol, oxy prn."""
NAMES = """Anna Lind, Per Hansen, María de la Cruz, Juan de Dios del Río, Karl von Berg, Jan van der Velde, Ana da
    Silva, Luca Di Marco, Pierre de la Tour, Jonas Berg, Eva Nowak, Miguel de los Santos, Rosa de la Fuente, Pedro
    del Valle, Inés de la Vega, Marie de la Roche, Hans Meyer, Sven Larsson, Joana dos Santos, Luís da Costa,
    Ole Olsen"""


def of(*texts: str) -> Corpus:
    return Corpus([Document(str(number), text) for number, text in enumerate(texts)])


def notices(corpus: Corpus, *metrics: str) -> list[str]:
    return unlike_its_language(corpus, [], metrics_of(metrics or ["er_di"]))


# --- metrics in a language --------------------------------------------------------------------------------------------


def in_spanish(*metrics: str | Metric) -> list[str]:
    return [metric_text(in_language(metric, "es")) for metric in metrics_of(metrics)]


def test_english_changes_nothing() -> None:
    given = metrics_of([*METRICS, "preset:light"])
    assert [in_language(metric, "en") for metric in given] == given


def test_default_lists_follow_the_language() -> None:
    assert in_spanish("er_di", "precision", "f1(unit=mention)", "phi_oov", "phi_ambiguous", 'wp(ic="wordfreq")') == [
        'er_di(function_words="lexicon-es.1")',
        "precision",
        'f1(unit="mention", function_words="lexicon-es.1")',
        'phi_oov(dictionary="wordfreq:es")',
        "phi_ambiguous",
        'wp(ic="wordfreq:es")',
    ]


@pytest.mark.parametrize(
    "metric",
    [
        'recall(function_words="spacy:x")', 'recall(function_words="none")', 'recall(function_words="lexicon-de.1")',
        'tpi(ic="wordfreq:de")', 'wp(ic="uniform")', "wp", "phi_oov(dictionary='words.txt')",
    ],
)  # fmt: skip
def test_what_a_metric_names_itself_stays(metric: str) -> None:
    assert in_spanish(metric) == [metric_text(parse_metric(metric))]


def test_a_language_without_a_list() -> None:
    with pytest.raises(
        PlanError, match=r"language: there is no list .* 'fi'; expected one of en, es, .*none or spacy:"
    ):
        in_language(*metrics_of(["er"]), "fi")
    words = [in_language(metric, "fi", words=False) for metric in metrics_of(["er", 'wp(ic="wordfreq")'])]
    assert [metric_text(metric) for metric in words] == ["er", 'wp(ic="wordfreq:fi")']
    with pytest.raises(PlanError, match=r"language: wordfreq has no word frequencies for 'gl'; expected one of ar, "):
        in_language(*metrics_of(['wp(ic="wordfreq")']), "gl")
    assert (words_of("es"), words_of("fi")) == ("lexicon-es.1", "none")


def test_a_neighbour_does_not_stand_in_for_a_language() -> None:
    """To wordfreq Portuguese would do for Galician; a number must say what it was computed with."""
    masks = Anonymization({"0": [Mask(0, 3)]}, "a")
    run = evaluate(of("A casa"), masks, ['tpi(ic="wordfreq:gl")'])
    assert [failure.reason.split(";")[0] for failure in run.failures] == ["wordfreq knows no language 'gl'"]


def test_a_spanish_corpus_by_its_own_list() -> None:
    text = "María de la Cruz"
    marked = Document("d", text, (Annotation("a", (Mention(0, 16, "PERSON", "DIRECT"),)),))
    masks = Anonymization({"d": [Mask(0, 5), Mask(12, 16)]}, "m")
    values = {}
    for language in ("en", "es"):
        run = evaluate(Corpus([marked]), masks, ["er_di", "recall"], language=language, references=False)
        values[language] = [score.value for score in run.scores if not score.part]
    # "de" and "la" are left readable: two tokens of four in English; in Spanish they need not be masked.
    assert values == {"en": [0.0, 0.5], "es": [1.0, 1.0]}


def test_what_is_shown_goes_by_the_language_too() -> None:
    text = "María de la Cruz"
    marked = Document("d", text, (Annotation("a", (Mention(0, 16, "PERSON", "DIRECT"),)),))
    masks = Anonymization({"d": [Mask(0, 5)]}, "m")
    for language, expected in (("en", "lexicon-en.1"), ("es", "lexicon-es.1"), ("fi", "none")):
        run = evaluate(Corpus([marked]), masks, ["precision"], language=language)
        assert run.texts is not None
        assert run.texts.function_words == expected


# --- what documents look like -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("used", TEXTS)
def test_each_language_is_known_whichever_is_in_use(language: str, used: str) -> None:
    seen = another_language(sample_of(of(TEXTS[language])), used)
    scandinavian = {"da", "nb"}
    if language == used or {language, used} == scandinavian:  # these two are hard to tell apart, so nothing is said
        assert seen is None
    else:
        assert seen in ((language,), ("da", "nb") if language in scandinavian else (language,))


@pytest.mark.parametrize("text", [FINNISH, CATALAN, GREEK, CHINESE])
def test_languages_without_a_list(text: str) -> None:
    sample = sample_of(of(text))
    assert another_language(sample, "en") == ()
    assert notices(of(text)) == [
        "the documents do not look like English, but function words are English (lexicon-en.1): say --language with "
        "their own, if there is a list of it, or --function-words none or spacy:PIPELINE (in Python, "
        'function_words="none")'
    ]


def test_a_language_that_only_word_frequencies_know() -> None:
    assert another_language(sample_of(of(FINNISH)), "fi") is None
    assert another_language(sample_of(of(CATALAN)), "ca") is None
    assert another_language(sample_of(of(GREEK)), "el") is None
    assert another_language(sample_of(of(TEXTS["en"])), "fi") == ("en",)


@pytest.mark.parametrize(
    "text",
    [
        "Mr Doe left.", "Oslo, 3 May 1996", "12/04 98-112 3.5", "", "…", NAMES, NAMES.upper(), SHORTHAND,
        SHORTHAND.lower(), TEXTS["en"][:120], "de la " * 60, "Dr. de la Cruz saw the patient.",
        TEXTS["en"] + GREEK, TEXTS["en"].upper(),
    ],
)  # fmt: skip
def test_no_false_alarm(text: str) -> None:
    assert notices(of(text or " ", "Mr Doe"), "er_di", 'wp(ic="wordfreq")', "phi_oov") == []


def test_no_false_alarm_on_the_demonstration(tmp_path: Path) -> None:
    from showthrough.cli import demo_corpus as demo

    corpus = read_corpus(Path(demo.__file__).parent / "data/corpus.json")
    assert notices(corpus, "er_di", 'wp(ic="wordfreq")') == []
    for number in range(len(corpus)):
        assert notices(corpus.part(range(number, number + 1)), "er_di", 'wp(ic="wordfreq")') == []


def test_no_false_alarm_on_court_cases(data: Path) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    assert notices(corpus, "er_di") == []
    for number in range(0, 100, 5):
        assert notices(corpus.part(range(number, number + 1)), "er_di") == []


# --- what is said -----------------------------------------------------------------------------------------------------


def test_the_remedy_is_named() -> None:
    assert notices(of(TEXTS["es"]), "er_di", 'wp(ic="wordfreq")', 'er_qi(function_words="none")') == [
        "the documents look like Spanish, but function words are English (lexicon-en.1) and word frequencies are "
        'English (wordfreq): say --language es (in Python, language="es")'
    ]
    assert notices(of(TEXTS["es"]), "phi_oov")[0].startswith(
        "the documents look like Spanish, but the dictionary is English (wordfreq:en): say --language es"
    )
    assert notices(of(TEXTS["da"])) == [
        "the documents look like Danish or Norwegian (Bokmål), but function words are English (lexicon-en.1): say "
        '--language da or --language nb (in Python, language="da" or language="nb")'
    ]


def test_each_language_in_use_is_looked_at() -> None:
    found = notices(of(TEXTS["es"]), 'er_di(function_words="lexicon-es.1")', 'wp(ic="wordfreq:de")')
    assert [line.partition(":")[0] for line in found] == [
        "the documents look like Spanish, but word frequencies are German (wordfreq"
    ]


@pytest.mark.parametrize("metric", ["precision", "wp", 'er(function_words="none")', 'er(function_words="spacy:x")'])
def test_metrics_without_a_word_list_are_none_of_its_business(metric: str) -> None:
    assert notices(of(TEXTS["es"]), metric) == []
    assert unlike_its_language(of(TEXTS["es"]), [], []) == []


def test_a_run_says_it_until_it_is_told_the_language(tmp_path: Path) -> None:
    masks = Anonymization({"0": [Mask(0, 2)]}, "a")
    corpus = of(TEXTS["es"])
    metrics = ['tpi(ic="wordfreq")']
    assert any("--language es" in note for note in evaluate(corpus, masks, metrics).notes)
    assert not any("language" in note for note in evaluate(corpus, masks, metrics, language="es").notes)


def test_a_sample_is_spread_over_the_corpus() -> None:
    """A large corpus costs no more than 200 beginnings, and its end counts as much as its start."""

    class Counting(list[Document]):
        taken = 0

        def __getitem__(self, place: Any) -> Any:
            self.taken += 1
            return super().__getitem__(place)

    english = [Document(str(number), TEXTS["en"]) for number in range(1000)]
    spanish = [Document(str(number), TEXTS["es"] * 100) for number in range(1000, 9000)]
    documents = Counting([*english, *spanish])
    sample = sample_of(Corpus(documents))
    assert documents.taken == 200
    assert sum(map(len, sample.words.elements())) < 200_000
    assert another_language(sample, "en") == ("es",)


def test_spanish_records(meddocan_texts: Corpus) -> None:
    assert notices(meddocan_texts) == [
        "the documents look like Spanish, but function words are English (lexicon-en.1): say --language es (in Python, "
        'language="es")'
    ]
    assert notices(meddocan_texts, 'er_di(function_words="lexicon-es.1")', 'wp(ic="wordfreq:es")') == []


def test_english_and_spanish_frequencies_say_the_opposite(meddocan_texts: Corpus) -> None:
    """All that is marked masked: by English frequencies what is left says more, by Spanish ones what is gone."""
    masks = {
        document.id: [Mask(mark.start, mark.end) for mark in document.annotations[0].mentions]
        for document in meddocan_texts
    }
    multiplier = {
        language: evaluate(
            meddocan_texts, Anonymization(masks, "gold"), ['tpi(ic="wordfreq")'], language=language, references=False
        )
        .scores[-1]
        .value
        for language in ("en", "es")
    }
    assert multiplier == pytest.approx({"en": 0.902, "es": 1.235}, abs=0.001)


@pytest.fixture(scope="module")
def meddocan_texts(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The first 60 development records."""
    import tarfile

    folder = tmp_path_factory.mktemp("meddocan")
    with tarfile.open(data / "meddocan/train_dev.tar.gz") as archive:
        chosen = [one for one in archive.getmembers() if re.match(r"(\./)?dev/xml/.*\.xml$", one.name)]
        archive.extractall(folder, sorted(chosen, key=lambda one: one.name)[:60], filter="data")
    return read_corpus(folder, format="meddocan")


def test_every_language_has_a_text_here() -> None:
    assert TEXTS.keys() == CLOSED_CLASSES.keys()


def test_an_unknown_language_is_bad_input() -> None:
    with pytest.raises(InputError, match="there is no list"):
        evaluate(of("Oslo"), Anonymization({"0": []}, "a"), ["er"], language="klingon")
