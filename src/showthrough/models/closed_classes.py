"""The closed classes of ten languages: adpositions, particles, coordinating conjunctions and determiners.

These are the classes ADP, PART, CCONJ and DET of Universal Dependencies (de Marneffe, Manning, Nivre and Zeman 2021,
Computational Linguistics 47(2)), as its guidelines draw them for each language (universaldependencies.org) and as its
treebanks count them (their statistics of each tag): es AnCora, de GSD, fr GSD, da DDT, nb Bokmaal, sv Talbanken,
nl Alpino, it ISDT, pt Bosque. So Spanish "no" and French "pas" are adverbs and not here, Swedish "inte" is a particle
and here; Danish possessives are determiners and here, Dutch and Swedish ones are pronouns and not.

A word on such a list may stay readable without counting as a leak, so in doubt it is not on it. Left out are words that
the treebanks have more often in another class (Danish "det", German "sein"), words that are also a name ("Per" and
"Hans" in Scandinavia, Italian "mia"), an ordinal or a season (Italian "secondo", Norwegian "vår"), and titles: those of
TAB's own list are English, and of other languages no list has been published.
"""

from __future__ import annotations

import msgspec


class ClosedClasses(msgspec.Struct, frozen=True):
    """The words of one language, and the shortened ones that count beside an apostrophe alone."""

    name: str  # of the language, in English
    adpositions: str
    conjunctions: str
    determiners: str
    particles: str = ""
    elided: str = ""  # before an apostrophe: French l'homme
    clitic: str = ""  # after one: Dutch 't

    @property
    def words(self) -> frozenset[str]:
        return frozenset(f"{self.adpositions} {self.conjunctions} {self.determiners} {self.particles}".split())


CLOSED_CLASSES = {
    "en": ClosedClasses(
        "English",
        adpositions="""aboard above across after against along alongside amid amidst among amongst around as at atop
            before behind below beneath beside besides between beyond by despite down during except for from in inside
            into near notwithstanding of off on onto opposite out outside over past per since through throughout till to
            toward towards under underneath until unto up upon via with within without""",
        particles="not nt",
        conjunctions="and but or nor yet plus",
        determiners="a an the this these those each every either neither another all both some any",
        clitic="s",  # as in "Doe's"
    ),
    "es": ClosedClasses(
        "Spanish",
        adpositions="""a al ante con contra de del desde durante en entre excepto hacia hasta mediante para por según
            sin sobre tras""",
        conjunctions="y e o u ni pero sino",
        determiners="""el la los las un una unos unas este esta estos estas ese esa esos esas aquel aquella aquellos
            aquellas mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra vuestros vuestras cada todo
            toda todos todas algún alguna algunos algunas ningún ninguna otro otra otros otras cualquier""",
    ),
    "de": ClosedClasses(
        "German",
        adpositions="""ab als am an anhand anlässlich ans auf aufgrund aufs aus außer außerhalb bei beim binnen bis
            durch durchs einschließlich entlang für fürs gegen gegenüber gemäß hinsichtlich hinter im in infolge
            inmitten innerhalb ins jenseits mit mithilfe mittels nach neben nebst oberhalb ohne pro seit seitens trotz
            um ums unter unterhalb vom von vor während wegen wider zu zufolge zugunsten zum zur zwecks zwischen über
            übers""",
        particles="nicht zu",
        conjunctions="und oder sondern sowie beziehungsweise bzw weder entweder sowohl",
        determiners="""der die das des dem den ein eine einer einem einen eines kein keine keiner keinem keinen keines
            dieser diese dieses diesem diesen jener jene jenes jenem jenen jeder jede jedes jedem jeden mein meine
            meiner meinem meines dein deine deiner deinem deinen deines seine seiner seinem seinen seines ihre ihrer
            ihrem ihren ihres unser unsere unserer unserem unseren unseres euer eure eurer eurem euren eures""",
    ),
    "fr": ClosedClasses(
        "French",
        adpositions="""à au aux de du des en dans par pour sur sous avec sans chez vers entre parmi pendant durant
            depuis dès contre selon malgré hors hormis avant après devant derrière envers jusque via""",
        conjunctions="et ou mais ni car",
        determiners="""le la les un une ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs
            chaque quelque quelques plusieurs aucun aucune""",
        elided="l d jusqu",
    ),
    "da": ClosedClasses(
        "Danish",
        adpositions="""ad af bag blandt efter for foran foruden fra før gennem hos i iblandt ifølge igennem imellem imod
            inden indenfor indtil langs med mellem mod om omkring over overfor pr på til uden udenfor udover under
            undtagen ved vedrørende via""",
        particles="at",
        conjunctions="og eller men samt både hverken enten",
        determiners="""en et den de denne dette disse min mit din dit dine sin sit vores jeres deres hendes dens dets
            hver hvert enhver ethvert nogle ingen""",
    ),
    "nb": ClosedClasses(
        "Norwegian (Bokmål)",
        adpositions="""av blant etter for foran foruten fra før gjennom hos i iblant ifølge imellom imot innen innenfor
            inntil langs med mellom mot om omkring over overfor pr på rundt til under unntatt uten utenfor utover ved
            via""",
        particles="å",
        conjunctions="og eller men samt både verken enten",
        determiners="""en ei et den denne disse min mitt din ditt sin sitt vårt våre hver hvert enhver ethvert noen
            ingen all alle""",
    ),
    "sv": ClosedClasses(
        "Swedish",
        adpositions="""av bakom bland bredvid efter enligt framför från för före förutom genom hos i inför inom innanför
            intill jämte kring längs med mellan mot nedanför om omkring ovanför på runt till trots under ur utan utanför
            utom utöver via vid åt över""",
        particles="att inte ej icke",
        conjunctions="och eller men samt både varken antingen",
        determiners="en ett den de denna dessa varje samma någon några ingen",
    ),
    "nl": ClosedClasses(
        "Dutch",
        adpositions="""aan achter behalve beneden bij binnen boven buiten dankzij door gedurende in jegens langs met na
            naar naast nabij namens om omstreeks onder ondanks op over rond rondom sedert sinds te tegen ten ter tijdens
            tot tussen uit van vanaf vanuit vanwege via volgens voor voorbij wegens zonder""",
        conjunctions="en of maar want noch doch zowel",
        determiners="de het een der des den deze dit geen alle elk elke ieder iedere",
        clitic="s t n",  # as in "'s avonds", "van 't Hof", "'n"
    ),
    "it": ClosedClasses(
        "Italian",
        adpositions="""a ad al allo alla ai agli alle di del dello della dei degli delle da dal dallo dalla dai dagli
            dalle in nel nello nella nei negli nelle con col coi su sul sullo sulla sui sugli sulle per tra fra senza
            verso contro durante mediante presso dopo sotto entro attraverso tranne eccetto""",
        conjunctions="e ed o od oppure ma né nonché ovvero bensì",
        determiners="""il lo la i gli le un uno una questo questa questi queste quel quello quella quei quegli quelle
            mio miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri vostre loro
            ogni qualche alcun alcuna alcuni alcune nessun nessuna ciascun ciascuna tutto tutta tutti tutte""",
        elided="l d un dell all dall nell sull coll quest quell nessun alcun ciascun",
    ),
    "pt": ClosedClasses(
        "Portuguese",
        adpositions="""a à às ao aos ante após até com contra de do da dos das dum duma desde durante em no na nos nas
            num numa nuns numas entre mediante para perante por pelo pela pelos pelas sem sob sobre deste desta destes
            destas desse dessa desses dessas daquele daquela daqueles daquelas neste nesta nestes nestas nesse nessa
            nesses nessas naquele naquela naqueles naquelas àquele àquela àqueles àquelas""",
        conjunctions="e ou mas nem",
        determiners="""o os as um uma uns umas este esta estes estas esse essa esses essas aquele aquela aqueles aquelas
            meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas vosso vossa vossos
            vossas cada todo toda todos todas algum alguma alguns algumas nenhum nenhuma qualquer quaisquer outro outra
            outros outras""",
        elided="d",
    ),
}
