"""What names of people show: gender and number, by titles, nouns and given names; and whether they are famous.

English, Spanish, German, French, Italian and Dutch. The lists were written for this purpose; they hold common words and
names, and no data about anybody. A name that women have in one of these languages and men in another (Andrea, Simone,
Jean, Jan, Robin) is on no list. So is a title that both have, such as Dr.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from showthrough.data.reading_form import reading_form
from showthrough.models.common_words import GIVEN

Gender = Literal["f", "m"]
Number = Literal["one", "many"]
_AND = frozenset(["and", "y", "e", "und", "et", "en", "ed"])

# By gender and number: titles, which count beside a name, and nouns, which count where no name is.
_TITLES = {
    "f one": """mrs ms miss madam dame lady señora sra señorita srta doña dña dra doctora frau fräulein madame mme mlle
        mademoiselle signora signorina dottoressa mevrouw mevr mw""",
    "m one": "mr mister sir lord señor sr don herr monsieur signor sig meneer dhr",
    "f many": "mmes mesdames señoras sras ladies dames",
    "m many": "messrs messieurs mm señores sres herren signori heren",
}
_NOUNS = {
    "f one": """woman girl mother daughter sister wife aunt niece grandmother widow female mujer niña chica madre hija
        hermana esposa tía abuela sobrina nieta viuda femenino frau mädchen mutter tochter schwester ehefrau tante
        großmutter witwe patientin weiblich femme fille mère soeur sœur épouse grand-mère veuve patiente donna ragazza
        figlia sorella moglie zia nonna vedova femmina vrouw meisje moeder dochter zus echtgenote weduwe vrouwelijk""",
    "m one": """man boy father son brother husband uncle nephew grandfather widower male hombre varón niño chico padre
        hijo hermano esposo marido tío abuelo sobrino nieto viudo masculino mann junge vater sohn bruder ehemann onkel
        großvater witwer patient männlich homme garçon père fils frère mari oncle grand-père veuf uomo ragazzo figlio
        fratello marito zio nonno vedovo maschio jongen vader zoon broer echtgenoot oom weduwnaar mannelijk""",
    "f many": """women girls mothers daughters sisters wives aunts mujeres niñas madres hijas hermanas tías abuelas
        frauen mütter töchter schwestern tanten femmes filles mères soeurs donne ragazze figlie sorelle vrouwen meisjes
        moeders dochters zussen""",
    "m many": """men boys fathers sons brothers husbands uncles hombres varones niños padres hijos hermanos tíos abuelos
        männer söhne väter brüder hommes garçons pères frères uomini ragazzi padri figli fratelli mannen jongens vaders
        zonen broers""",
}
_WOMEN = """
    abigail adriana agata agnes agnieszka aisha alejandra alessandra alice alicia alison amalia amanda amelia amelie
    ana anastasia angela angelina anita anja ann anna annabel anne annette annie annika anouk antonella antonia
    astrid audrey aurora barbara beatrice beatriz bernadette bertha betty birgit blanca brenda bridget brigitte
    camila camilla carla carlota carmen carol carolina caroline caterina catherine catalina cecilia celia celine
    charlotte chiara chloe christa christiane christina christine cindy claire clara claudia colette concepción
    consuelo cornelia cristina daniela daphne deborah denise diana dolores donna dora doris dorothea dorothy edith
    eleanor elena eleonora elisa elisabeth elise eliza elizabeth elke ella ellen elsa emilia emily emma encarnación
    erica erika esperanza esther eugenia eva eveline evelyn fatima federica felicia fernanda fiona flora florence
    frances francesca franziska françoise frieda gabriela gabriella geneviève georgina gerda gertrude gianna gisela
    giulia giuseppina gloria grace greta guadalupe hanna hannah harriet heather heidi heike helen helena helene
    helga henriette hilda hilde inés inge ingrid irene iris irma isabel isabella isabelle ivana jacqueline jane
    janet janine jennifer jessica jeanne joanna johanna josefa josefina josephine juana judith julia juliana julie
    juliette karen karin katarina kate katharina katherine kathleen katja katrin klara lara laura lea leonie leonor
    lidia liesbeth lina linda lisa liselotte lola loretta lotte louisa louise lourdes lucia lucie lucy luisa luise
    lydia magdalena maja manuela mara margaret margarita margherita margot maria mariana marianne marie marieke
    marina marisa marlene marta martha martina mary mathilde matilda maureen megan melanie melissa mercedes mia
    michaela michelle miriam molly monica monika monique montserrat muriel nadia nadine nancy natalia natalie
    nathalie nicole nina nora norma odette olga olivia paola pamela patricia paula paulina pauline petra pilar
    rachel ramona raquel rebecca regina renata renate rita roberta rocío romina rosa rosalia rosemary ruth sabina
    sabine sabrina samantha sandra sara sarah silke silvia simona sofia soledad sonia sonja sophia sophie stefanie
    stella stephanie susan susana susanna susanne suzanne svetlana sylvia sylvie tamara tatiana teresa theresa tina
    trinidad ulrike ursula ute valentina valeria vanessa vera verena veronica veronika véronique victoria viola
    violeta virginia virginie vivian wendy wilma yolanda yvette yvonne zoe
"""
_MEN = """
    aaron adam adolf adrian agustín ahmed alain alan albert alberto aldo alejandro alessandro alexander alexandre
    alfonso alfred alfredo ali alvaro anders andreas andrew andré andrés angelo anthony antoine anton antonio
    armando arnaud arnold arthur arturo axel bart bastian benjamin benoît bernard bernd bernhard bert björn boris
    brandon brian bruno carl carlo carlos cedric cesare charles christian christoph christophe christopher cornelis
    cristian daan daniel dario david davide denis dennis diego dieter dietmar dimitri dirk domenico domingo donald
    edgar edmund eduard eduardo edward edwin emil emiliano emilio emmanuel enrico enrique enzo eric erich erik
    ernest ernesto ernst esteban etienne eugen eugenio fabian fabio fabrizio federico felipe felix ferdinand
    fernando filippo florian francesco francis francisco franco frank franz françois fred frederick frédéric
    friedrich fritz gary geert geoffrey georg georges gerald gerard gerardo gerhard gerrit giacomo gianluca gilbert
    giorgio giovanni giulio giuseppe gonzalo gregor gregorio gregory guido guillaume guillermo gunter gustav gustavo
    günter günther hans harald harold harry hassan hector heinrich heinz helmut hendrik henri henrik henry herbert
    hermann hernán horst hubert hugh hugo ian ignacio igor ivan ivo jack jacob jacques jaime jake jakob jason javier
    jeff jeffrey jeremy jerome jerry jesús jim joachim joaquín joel johan johann johannes john johnny jonas jonathan
    joost jordi jorge josef joseph joshua josé juan jules julian julien julio justin jörg jürgen karl keith ken
    kenneth kevin klaas klaus konrad kurt larry lars laurent leo leon leonardo lorenzo lothar louis luca lucas
    ludovic ludwig luigi luis lukas maarten manfred manuel marc marcel marcello marco marcos marcus mario mark
    markus massimo mateo mathieu matteo matthew matthias matthieu maurice maurizio max maximilian mehmet michael
    miguel mike mohamed mohammed moritz mustafa nathan neil nicholas nick nico nicolas nicolás nigel nils norbert
    olaf oleg oliver olivier omar oscar oskar otto pablo paolo pascual patrick paul paulo pedro peter philip philipp
    philippe phillip pierre piet pieter pietro rafael rainer ralf ralph ramón raymond reiner renato ricardo riccardo
    richard rob robert roberto rodrigo roger roland rolf roman ronald ruben rudolf rüdiger rui salvador salvatore
    samuel santiago sean sebastian sebastiano sergei sergio siegfried sigmund simon stanley stefan stefano stephan
    stephen steve steven stéphane sven theo theodor thierry thijs timothy tobias tomas tommaso tomás udo ulrich
    umberto uwe valentin vicente victor vincent vincenzo vittorio vladimir volker walter werner wilhelm willem
    william wim wolfgang xavier yusuf yves
"""
# Given names that are as often surnames: alone they are judged by a title only.
_ALSO_SURNAMES = """
    albert arnold franco franz friedrich gerard gilbert grace harold harry hector heinrich henry herbert hermann hubert
    hugo jacob john joseph konrad leon ludwig marco marie mark max nicholas nicolas otto paul peter petra philip richard
    robert roberto roger roman samuel simon stanley stella stephan stephen ursula vera vincent walter werner william
"""

# People whom most readers know, by full name, and surnames that are nearly always theirs.
_FAMOUS = """
    angela merkel|donald trump|barack obama|joe biden|vladimir putin|emmanuel macron|nicolas sarkozy|boris
    johnson|tony blair|margaret thatcher|winston churchill|olaf scholz|helmut kohl|willy brandt|adolf
    hitler|benito mussolini|silvio berlusconi|giorgia meloni|mario draghi|pedro sanchez|mariano rajoy|francisco
    franco|mark rutte|geert wilders|charles de gaulle|nelson mandela|mahatma gandhi|martin luther king|fidel
    castro|che guevara|john kennedy|bill clinton|hillary clinton|george bush|abraham lincoln|george
    washington|albert einstein|isaac newton|charles darwin|marie curie|stephen hawking|sigmund freud|karl
    marx|immanuel kant|johann sebastian bach|wolfgang amadeus mozart|ludwig van beethoven| william
    shakespeare|miguel de cervantes|federico garcia lorca|victor hugo|marcel proust|dante alighieri|umberto eco|
    agatha christie|joanne rowling|jk rowling|pablo picasso|salvador dali|vincent van gogh|rembrandt van
    rijn|frida kahlo|leonardo da vinci|claude monet|michael jackson|elvis presley|john lennon|paul
    mccartney|david bowie|freddie mercury|taylor swift|madonna ciccone|edith piaf|julio iglesias|penelope
    cruz|antonio banderas|javier bardem|brad pitt| tom hanks|tom cruise|george clooney|marilyn monroe|charlie
    chaplin|sophia loren|brigitte bardot|gerard depardieu| lionel messi|cristiano ronaldo|diego maradona|johan
    cruyff|johan cruijff|zinedine zidane|rafael nadal|roger federer| steffi graf|boris becker|michael
    schumacher|max verstappen|usain bolt|muhammad ali|bill gates|steve jobs|elon musk| mark zuckerberg|jeff
    bezos|anne frank|greta thunberg|sherlock holmes|harry potter
"""
_FAMOUS_SURNAMES = """
    obama trump putin merkel macron sarkozy berlusconi mussolini hitler thatcher churchill shakespeare cervantes
    mozart  beethoven einstein picasso gandhi mandela maradona zidane schwarzenegger kardashian zuckerberg
"""


@cache
def _table(which: Literal["titles", "nouns"]) -> dict[str, tuple[Gender, Number]]:
    source = _TITLES if which == "titles" else _NOUNS
    return {reading_form(word): tuple(shown.split()) for shown, words in source.items() for word in words.split()}  # type: ignore[misc]


@cache
def _given_names() -> dict[str, Gender]:
    return {reading_form(name): gender for gender, names in (("f", _WOMEN), ("m", _MEN)) for name in names.split()}  # type: ignore[misc]


@cache
def _also_surnames() -> frozenset[str]:
    return frozenset(_ALSO_SURNAMES.split())


@cache
def _famous() -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in _FAMOUS.split("|"))


def is_famous(name: str) -> bool:
    """Whether a name is that of somebody whom most readers know.

    >>> is_famous("Frau Merkel"), is_famous("Marie Curie"), is_famous("Marie Roe")
    (True, True, False)
    """
    words = [word for word in _words(name) if word not in _table("titles")]
    return " ".join(words) in _famous() or (bool(words) and words[-1] in _FAMOUS_SURNAMES.split())


def is_given_name(word: str) -> bool:
    """Whether a word in reading form is on a list of given names; of some of them no gender is known."""
    return word in _given_names() or word in _other_given_names()


@cache
def _other_given_names() -> frozenset[str]:
    return frozenset(map(reading_form, GIVEN))


class Shown(NamedTuple):
    """What words show of a person; empty where they show nothing, or both."""

    gender: Gender | Literal[""] = ""
    number: Number | Literal[""] = ""


def shown_by_name(text: str, before: str = "") -> Shown:
    """What a name shows: by its title, or the title just before it, then by a given name; two joined are many.

    >>> [shown_by_name(name).gender for name in ("Mrs Robin Doe", "Doe, Anna", "Paul", "Herr Paul", "Dr Robin Doe")]
    ['f', 'f', '', 'm', '']
    >>> shown_by_name("Anna und Karl Berg"), shown_by_name("Doe", "to Mr and Mrs ")
    (Shown(gender='', number='many'), Shown(gender='', number='many'))
    """
    words, own = _words(text), _table("titles")
    titled = [
        (number, own[word])
        for number, word in enumerate(words)
        if word in own and (number < 2 or _joined(words, number))
    ]
    if not titled:
        words_before = _words(before)
        reach = 3 if words_before[-2:-1] and words_before[-2] in _AND else 1
        titled = [(-1, own[word]) for word in words_before[-reach:] if word in own]
        if titled and words_before[-1] not in own:
            titled = []
    several = len(titled) > 1 or any(_joined(words, number) for number in range(1, len(words)))
    genders = {gender for _, (gender, _) in titled} or (set() if several else _given_gender(text, words))
    many = several or any(number == "many" for _, (_, number) in titled)
    return Shown(genders.pop() if len(genders) == 1 else "", "many" if many else "one" if words else "")


def shown_by_noun(text: str) -> Shown:
    """What nouns for people show.

    >>> shown_by_noun("la madre"), shown_by_noun("two brothers"), shown_by_noun("nurse")
    (Shown(gender='f', number='one'), Shown(gender='m', number='many'), Shown(gender='', number=''))
    """
    shown = {_table("nouns")[word] for word in _words(text) if word in _table("nouns")}
    genders, numbers = {gender for gender, _ in shown}, {number for _, number in shown}
    return Shown(genders.pop() if len(genders) == 1 else "", numbers.pop() if len(numbers) == 1 else "")


def _words(text: str) -> list[str]:
    return reading_form(text).replace("sig ra", "signora").split()


def _joined(words: list[str], number: int) -> bool:
    """Whether a title or a given name follows an `and`: the y of Ramón y Cajal joins no two people."""
    return (
        words[number - 1 : number] != []
        and words[number - 1] in _AND
        and (is_given_name(words[number]) or words[number] in _table("titles"))
    )


def _given_gender(text: str, words: list[str]) -> set[Gender]:
    """By the first given name, which stands behind a comma where there is one, and is no surname that ends the name."""
    inverted = _words(text.partition(",")[2])
    names = [word for word in inverted or words if len(word) > 1]
    candidates = names if inverted else names[: max(1, len(names) - 1)]
    if len(names) == 1 and not inverted and names[0] in _also_surnames():
        return set()
    return {_given_names()[word] for word in [word for word in candidates[:2] if word in _given_names()][:1]}
