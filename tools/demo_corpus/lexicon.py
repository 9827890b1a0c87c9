"""The words of the fiction: countries, towns, names, trades and titles that do not exist.

Telephone numbers are of the ranges kept free for drama, domains are example.org, bank and country codes are
unassigned.
"""

from __future__ import annotations

from typing import NamedTuple


class Country(NamedTuple):
    name: str
    people: str


class Town(NamedTuple):
    name: str
    country: Country
    general: str  # what a cautious editor would write instead
    by_the_sea: bool = False


class Trade(NamedTuple):
    name: str
    alt: str  # how a profile would put it
    general: str
    employer: str  # after the name of a town


HALVORIA = Country("Halvoria", "Halvorian")
VELDANY = Country("Veldany", "Veldanian")
BRENMARK = Country("Brenmark", "Brenmarkian")
ALDRIA = Country("Aldria", "Aldrian")

TOWNS = (
    Town("Skarnvik", HALVORIA, "a northern harbour", by_the_sea=True),
    Town("Eskerdal", HALVORIA, "a valley town"),
    Town("Ängsvall", HALVORIA, "a small town", by_the_sea=True),
    Town("Brannock Sound", HALVORIA, "a coastal place", by_the_sea=True),
    Town("Grenholt", HALVORIA, "a northern town", by_the_sea=True),
    Town("Tarnbridge", VELDANY, "a market town"),
    Town("Vellemouth", VELDANY, "an estuary port", by_the_sea=True),
    Town("Hollinmere", VELDANY, "a lakeside town"),
    Town("Wyndale Cross", VELDANY, "a town inland"),
    Town("Quernby", VELDANY, "a mill town"),
    Town("Sankt Ulvar", BRENMARK, "a cathedral town"),
    Town("Kaldbrook", BRENMARK, "a town in the hills"),
    Town("Ferrowick", BRENMARK, "a ferry port", by_the_sea=True),
    Town("Östersolm", BRENMARK, "an island town", by_the_sea=True),
    Town("Lodrava", ALDRIA, "a river town"),
    Town("Miresk", ALDRIA, "an eastern town"),
    Town("Torrevane", ALDRIA, "a southern town", by_the_sea=True),
    Town("Pellagrove", ALDRIA, "a spa town"),
)

WOMEN = (
    "Edda", "Maren", "Ilse", "Tove", "Agnete", "Rosalind", "Petra", "Wanda", "Livia", "Sunniva", "Hester", "Dorota",
    "Mirela", "Ottilie", "Bronagh", "Cecily", "Jorunn", "Anouk", "Tilda", "Verena", "Nadja", "Philippa", "Ragna",
    "Estela", "Imke", "Katya", "Winifred", "Solveig", "Teodora", "Marit",
)  # fmt: skip
MEN = (
    "Anders", "Casimir", "Eskil", "Tobias", "Matthis", "Rufus", "Gregor", "Halvard", "Ivo", "Jonas", "Lorcan", "Milos",
    "Niklas", "Osric", "Piet", "Roderick", "Stellan", "Torben", "Ulrik", "Viktor", "Wilmot", "Yannick", "Zdenko",
    "Bastian", "Cormac", "Dietmar", "Emeric", "Fergus", "Gustav", "Henning",
)  # fmt: skip
SURNAMES = (
    "Rask", "Ellingvad", "Tornquill", "Vasshaug", "Merrowby", "Kestlund", "Dravik", "Sorvane", "Quennelby",
    "Hallowin", "Ystrander", "Pellerund", "Corvane", "Lindmoor", "Tamsett", "Wrenfield", "Skovdahl", "Birkesand",
    "Valterson", "Novarik", "Jelenkov", "Oldacre", "Brannigald", "Fenwater", "Gallimoor", "Hexelby", "Isenhart",
    "Jorvane", "Kolbrand", "Lumsgard", "Mossgrave", "Nethersole", "Orlovan", "Pruitt-Hale", "Ravensby", "Stormark",
    "Tillerund", "Ulverstad", "Varnholt", "Wexcombe", "Yarrowdale", "Zelenkar", "Aldermoor", "Brockhaugen",
    "Castellane", "Dunmarrow", "Eikeland-Roe", "Fairlocke", "Grimsvold", "Havelock-Ny",
)  # fmt: skip
HELPERS = (
    "Abelund", "Blackthorn-Lie", "Crannock", "Dellacourt", "Ebersvik", "Farnholm", "Gorsedale", "Hindermark",
    "Ingelow", "Jasperud", "Kirkwell", "Lofthaugen", "Mandelby", "Norrgaard", "Oakenfull", "Pasternov", "Quillmark",
    "Rosendahl-Eck", "Sandermoor", "Thistlewick", "Underhaug", "Vintermark", "Whitlowe", "Zimarov",
)  # fmt: skip
# Biographies are about these first: letters that trip byte offsets, folding and careless tokenizers.
UNUSUAL = (
    ("Ne\u0301a", "Oltramar", "f"),
    ("Łukasz", "Zielonkur", "m"),
    ("Åsa", "Brännmyr", "f"),
    ("Zoë", "d’Ambrevoix", "f"),
    ("Søren", "Ødegrav", "m"),
    ("Iñaki", "Echegorri", "m"),
    ("Jürgen", "Großmoor", "m"),
)
# Names that a replacement puts in place of others; nobody in the background bears them.
OTHER_WOMEN = ("Clara", "Ingrid", "Paula", "Sofia", "Martha", "Helena", "Vera", "Judith")
OTHER_MEN = ("Arthur", "Daniel", "Felix", "Oscar", "Simon", "Thomas", "Leo", "Martin")
OTHER_SURNAMES = ("Bergwald", "Cartmell", "Dorning", "Eastlake", "Falkmo", "Greaveson", "Holtby", "Kvist", "Larnach")

# In the order of the stories that they go with: the third music story is about the maker of viols.
TRADES = {
    "licence": (
        Trade("herring fisher", "someone who lives on herring", "worker at sea", "Fishers’ Cooperative"),
        Trade("inshore fisher", "master of a small boat", "operator of a boat", "Landing Association"),
        Trade("creel fisher", "someone who sets creels", "worker at sea", "Harbour Savings Bank"),
    ),
    "dismissal": (
        Trade("laboratory technician", "a careful hand with test tubes", "technical employee", "Waterworks"),
        Trade("payroll clerk", "the one who works out the wages", "member of staff", "Dye Works"),
        Trade("boiler attendant", "keeper of the boilers", "technical employee", "Chemical Company"),
    ),
    "detention": (
        Trade("baker", "one of those who bake before dawn", "craft worker", "Bakers’ Guild"),
        Trade("street musician", "a player of tunes at corners", "performer", "Circus School"),
        Trade("scaffolder", "a builder of scaffolds", "craft worker", "Shipyard"),
    ),
    "land": (
        Trade("fruit grower", "a grower of pears", "farmer", "Fruit Exchange"),
        Trade("sheep farmer", "a keeper of sheep", "farmer", "Agricultural Bank"),
        Trade("nursery gardener", "a raiser of seedlings", "farmer", "Seed Company"),
    ),
    "custody": (
        Trade("ship’s engineer", "a friend of ferry engines", "technical employee", "Steam Packet Line"),
        Trade("piano teacher", "a teacher of the piano", "teacher", "School of Music"),
    ),
    "clinic": (
        Trade("tram driver", "the voice at the front of the tram", "transport worker", "Tramways"),
        Trade("primary school teacher", "a teacher of small children", "teacher", "Grammar School"),
        Trade("bookbinder", "a binder of books", "craft worker", "Town Library"),
        Trade("cannery foreman", "head of the canning hall", "factory worker", "Cannery"),
        Trade("postal clerk", "the face behind the post office counter", "desk worker", "Post Office"),
        Trade("church sexton", "keeper of keys and bells", "church employee", "Parish Office"),
        Trade("dairy inspector", "a visitor of dairies", "civil servant", "Dairy Board"),
    ),
    "music": (
        Trade("composer", "a writer of music", "maker of art", "Organ Works"),
        Trade("cellist and composer", "a player and writer of music", "maker of art", "Radio Orchestra"),
        Trade("maker of viols", "a builder of old instruments", "craft worker", "Piano Factory"),
    ),
    "botany": (
        Trade("botanist", "a student of plants", "scientist", "Forest Service"),
        Trade("bryologist", "an authority on moss", "scientist", "Museum of Natural History"),
        Trade("plant ecologist", "a watcher of bogs", "scientist", "Peat Company"),
    ),
    "climbing": (
        Trade("mountaineer", "a climber", "sportsperson", "Alpine Club"),
        Trade("mountain guide", "a guide in the hills", "sportsperson", "Sawmill"),
        Trade("fell runner", "a runner over passes", "sportsperson", "Weather Service"),
    ),
    "ceramics": (
        Trade("potter", "a thrower of pots", "maker of art", "Brickworks"),
        Trade("ceramic artist", "an artist in clay", "maker of art", "Tile Factory"),
        Trade("sculptor", "a shaper of clay", "maker of art", "School of Design"),
    ),
    "aviation": (
        Trade("aircraft designer", "a drawer of wings", "industrial expert", "Aircraft Works"),
        Trade("engineer", "a builder of things that move", "industrial expert", "Bridge Company"),
    ),
}

BOATS = ("Silver Ling", "Third Daughter", "Grey Petrel", "Patience", "Kittiwake", "Old Argument", "Morning Debt")
WORKS = ("Low Tide", "The Long Sluice", "Salt Psalms", "Ninefold", "Vesper for Ropes", "Pale Inventory", "Undertow",
         "A Room of Reeds", "Four Winters", "The Counting House")  # fmt: skip
SPECIES = ("Saxifraga ferrariana", "Saxifraga nautae", "Saxifraga remigis")
PEAKS = ("Hornskaren", "Wolf’s Comb", "Great Ysel", "Tindegal", "Widow’s Stair")
MACHINES = ("Heron IV", "Swift-B", "Meadowlark")
BRIDGES = ("Slack Water Bridge", "Eel Bridge", "Third Lock Bridge")
PRIZES = ("Golden Sluice", "Ulvar Medal", "Harbour Prize", "Order of the Reed", "Lantern Prize", "Tarn Award")
SCHOOLS = {
    "music": ("Conservatory", "Academy of Music"),
    "botany": ("University", "Botanical Institute"),
    "climbing": ("Sports College", "School of Mines"),
    "ceramics": ("Academy of Fine Arts", "School of Crafts"),
    "aviation": ("Technical College", "Polytechnic"),
}
PAPERS = ("Evening Tide", "Northern Messenger", "Weekly Lantern", "Coast Gazette")
STREETS = ("Gannet Row", "Old Mill Lane", "Quarry Road", "Lime Kiln Street", "Chapel Hill", "Rope Walk Terrace")
HOSPITALS = ("County Hospital", "Infirmary", "University Clinic", "Hospital of Mercy")
WARDS = ("Ward 3B", "Ward 7", "Birch Ward", "Ward C2", "Ward 12")
AUTHORITIES = {"licence": ("Fisheries Board", "Coast Directorate"), "land": ("Land Agency", "Provincial Office")}
CHILDREN = ("Robin", "Kim", "Sascha", "Noa")
