"""Words that surrogates are made from, and words that stay: common names, generic words of addresses, medical terms.

English and Spanish. The lists were written for this purpose; they hold common words and no data about anybody.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVEN = _words("""
    adam adrian agnes alan albert alejandra alfredo alice alicia ana andrea andrew angela anthony antonio barbara
    beatriz benjamin bernard brenda bruno camila carla carlos carmen caroline catherine cecilia charles christina
    clara claudia daniel david deborah diana diego donald dorothy eduardo edward elena elizabeth emily enrique esteban
    ethan eugenia federico felipe fernando frances francisco gabriel george gloria gonzalo gregory guillermo harold
    harriet hector helen henry ignacio irene isabel jacob javier jennifer jeremy joaquin jonathan joseph judith julia
    kenneth laura lawrence leonardo linda lorenzo louise lucia manuel margaret maria marina marta martin matthew
    melissa michael miguel monica natalia nathan nicholas olivia oscar pamela patricia patrick paula pedro peter
    rafael rebecca ricardo richard robert rodrigo roger rosa samuel sandra sarah sergio sofia stephen susan teresa
    theodore thomas valeria vanessa veronica victor virginia walter william
""")

FAMILY = _words("""
    abbott aguilar alonso alvarez anderson armstrong atkinson bailey ballesteros barnett barrera bennett blackwell
    blanco bradford bradley brennan burgess caballero cabrera campbell cardenas carpenter carrasco castillo chandler
    chapman clayton coleman collins cordero cortes crawford cunningham dalton davidson delgado dickson dominguez
    donovan dominic duncan edwards elliott escobar esteban fairbanks farrell ferguson fernandez fleming fletcher
    forrester franklin fuentes gallagher gallardo garrido gibson gilbert gonzales goodwin graham griffin guerrero
    gutierrez hamilton hanson harding harrison hartley henderson hernandez herrera hoffman holloway hudson hughes
    ibarra jackson jenkins jimenez johnston kendall kennedy lambert lancaster larson lawson leonard lorenzo lozano
    macdonald maldonado marquez marshall martinez mendoza mercado merritt middleton miranda mitchell montgomery
    morales moreno morrison navarro nicholson norris oconnor ordonez ortega osborne padilla palacios parker paterson
    pemberton perkins phillips quintana ramirez randall redondo reynolds richards roberts robinson rodriguez romero
    rosales salazar sanderson santana saunders serrano sheridan simpson solano stafford sullivan sutherland talbot
    thompson thornton torres underwood valencia valverde vasquez velasco villalobos wallace warren watkins webster
    wilkinson winters zamora
""")

PLACES = _words("""
    albany almeria altamira amarillo ashford auburn augusta bakersfield barrington belmont benidorm berkeley bilbao
    birmingham brighton burlington cadiz calgary cambridge cardiff cartagena castellon chester cleveland colchester
    concord cordoba coventry dallas dartmouth denver derby dover dublin durham eastbourne edinburgh fairfield
    florence fresno granada greenwich hamilton hampton hartford havana hereford huelva huntsville ipswich jackson
    kingston lancaster leicester lexington lincoln lisbon livingston logrono malaga manchester marbella medford
    melbourne merida milton mobile monterey montrose murcia nashville newark newport norfolk northampton norwich
    oakland orense oviedo oxford palencia pamplona pasadena plymouth ponferrada portland preston princeton quebec
    richmond rochester salamanca salford santander savannah seattle segovia sevilla sheffield southampton stamford
    stockton stratford swindon tarragona taunton toledo trenton tucson valencia vallejo vermont victoria wakefield
    waterford westport wexford winchester windsor worcester yarmouth zaragoza
""")

# Terms that a reader of records takes for an illness, a drug or a part of the body: names that are hard to tell.
MEDICAL = _words("""
    addison alzheimer ampicillin aneurysm angina aorta aspirin atrium basedow biopsy bronchus carcinoma cataract
    catheter codeine colon cornea crohn cushing cyst cytology dengue digoxin doppler edema embolism enzyme estrogen
    femur fibrosis foley furosemide glaucoma glucose goiter graves hepatitis heparin hernia hodgkin huntington ibuprofen
    insulin jejunum kaposi keratin larynx lesion leukemia lithium lupus lymphoma marfan melanoma meniere meningitis
    migraine morphine myeloma nephritis neuroma nystatin osler paget palsy paracetamol parkinson penicillin phlebitis
    plasma pneumonia polyp prednisone pulmonary raynaud renal reynaud rubella sarcoma scoliosis sepsis serotonin
    sjogren stenosis stent syncope tetanus thrombus thyroid tibia tourette trachea tremor ulcer uremia valium
    vertigo warfarin wilms xanax
""")

# Words in names of places and houses that name no place: they stay, so that the surrogate can be read.
GENERIC = _word_set("""
    a al an and appeal at av avd avda avenida avenue baja bajo barrio baño bl block bloque blvd boulevard box building
    by c calle camino campus care carretera casa center centre centro cl clinic clinica clinico clínica clínico
    college colonia commission committee community company complejo council county court cp crta cto ctra d dcha de
    del departamento department dept derecha district dr drive e edificio el emergency en escalera esq esquina estate
    facultad faculty fl floor for foundation fundacion fundación general glorieta government health healthcare high
    home hospital hospitalario hospitals house i iglesia in inc infantil infirmary institut institute instituto izda
    izq izquierda km la lane las les ln lodge los ltd medical medicina medicine memorial ministry mr mrs municipal n
    nacional national no norte north num number nursing nº núm o of office oficina parque pasaje paseo piso pl place
    planta plaza police policlinica policlínica poligono polígono portal primary prison provincia provincial
    psiquiátrico puerta pza rd regional republic residencia residencial road ronda room s salud sanatorio sanatorium
    school service services servicio servicios sn sq square st state street suite supreme sur the to tower unidad unit
    univ universidad universitari universitaria universitario university urb urbanización via vía ward west y
""")

TITLES = _word_set("""
    dn don doña dr dra dras drs dª dña esq frau herr hon ii iii iv jr lcda lcdo lic mag md miss mme mr mrs ms phd prof
    profa professor rn sir sr sra srta sta
""")

PARTICLES = _word_set("""
    af al am an av bin da das de dei del della den der des di do dos du e el i ibn la las le les los of san santa ten
    ter the to van ver von y zu zum
""")

# Words that say nothing by themselves; written small, they stay anywhere.
FUNCTION = PARTICLES | _word_set("""
    a an and as at by con en for from had has her his in is it its no o on or por se sin su sus that their to un una was
    were who with
""")

# Parts of addresses on the net that say nothing.
ADDRESS = _word_set("www http https ftp mailto com org net es edu gov mil info eu uk")

# Closed sets: a member is replaced by another one.
SETS: tuple[tuple[str, ...], ...] = (
    ("varón", "mujer", "hombre"),
    ("varones", "mujeres", "hombres"),
    ("masculino", "femenino"),
    ("niño", "niña"),
    ("male", "female"),
    ("man", "woman"),
    ("boy", "girl"),
    ("madre", "padre", "hermano", "hermana", "tía", "tío", "abuela", "abuelo", "prima", "primo", "hija", "hijo"),
    ("padres", "hermanos", "hermanas", "tíos", "tías", "abuelos", "primos", "hijos", "hijas"),
    ("mother", "father", "brother", "sister", "aunt", "uncle", "cousin", "daughter", "son", "wife", "husband"),
    ("parents", "brothers", "sisters", "aunts", "uncles", "cousins", "daughters", "sons"),
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty"),
    ("dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"),
    ("diez", "once", "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve"),
    ("veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta"),
)
