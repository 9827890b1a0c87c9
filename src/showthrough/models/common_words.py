"""Words that tell nothing by themselves although they may be written with a capital; and names that are also words.

Months and days of the week of the languages that have a list of function words, titles and forms of address, and small
words inside names. Given names are those that a list of frequent words has too, so that it cannot tell them from
ordinary words; the lists were written for this purpose and hold common words and no data about anybody.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CALENDAR = {
    "en": """january february march april may june july august september october november december jan feb mar apr jun
        jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
        thurs fri sat sun""",
    "es": """enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre lunes
        martes miércoles jueves viernes sábado domingo""",
    "de": """januar jänner februar märz april mai juni juli august september oktober november dezember montag dienstag
        mittwoch donnerstag freitag samstag sonnabend sonntag""",
    "fr": """janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi mercredi
        jeudi vendredi samedi dimanche""",
    "da": """januar februar marts april maj juni juli august september oktober november december mandag tirsdag onsdag
        torsdag fredag lørdag søndag""",
    "nb": """januar februar mars april mai juni juli august september oktober november desember mandag tirsdag onsdag
        torsdag fredag lørdag søndag""",
    "sv": """januari februari mars april maj juni juli augusti september oktober november december måndag tisdag onsdag
        torsdag fredag lördag söndag""",
    "nl": """januari februari maart april mei juni juli augustus september oktober november december maandag dinsdag
        woensdag donderdag vrijdag zaterdag zondag""",
    "it": """gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre lunedì
        martedì mercoledì giovedì venerdì sabato domenica""",
    "pt": """janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro segunda-feira
        terça-feira quarta-feira quinta-feira sexta-feira sábado domingo""",
}  # fmt: skip

CALENDAR = {language: _words(words) for language, words in _CALENDAR.items()}

# Before a name, in whichever language: a text of one language has titles of others.
TITLES = _words("""
    mr mrs ms miss mister sir madam dame lord lady dr doctor prof professor judge rev fr capt col gen lt sgt maj
    messrs esq jr phd md sr sra srta don doña d dña señor señora doctora juez herr herrn frau fräulein dipl ing m mm
    mme mlle maître me docteur hr fru frk dhr mevr mw drs sig signor signora signorina dott dottoressa avv senhor
    senhora dona
""")

PARTICLES = _words("""
    de del della delle di da dal das do dos du des la le las los lo van von der den het ter ten te zu zum zur af av
    al el bin ben ibn abu y e i och og und
""")

GIVEN = _words("""
    aaron abdul abdullah abraham adam adrian ahmad ahmed albert alberto alejandro alex alexander alexandra alexis
    alfred alfredo ali alice alicia alison allen amanda amelia amy ana anders andrea andreas andrei andrew andré
    andy angela anita ann anna anne annie anthony anton antonio arthur ashley austin barbara barry beatrice ben
    benjamin bernard bernd betty bill billy birgit björn bob bobby boris brad brandon brenda brian bruce bruno
    calvin carl carla carlos carmen carol caroline catherine cecilia charles charlie charlotte chloe chris christian
    christina christine christopher claire clara claude claudia colin craig cristina daisy dan daniel daniela danny
    dave david dean deborah dennis derek diana diane diego dmitri don donald donna doris dorothy douglas duncan
    dylan earl eddie edgar edith edward edwin eleanor elena elisabeth elizabeth ella ellen emily emma enrique eric
    erica erik erika ernest ernst eva evan evelyn fatima felix fernando florence frances francesca francesco francis
    francisco frank franz fred frederick fritz gabriel gary gavin geoffrey george georgia gerald gerard gilbert
    giovanni giulia giuseppe gloria gordon grace graham greg gregory guido gustav hannah hans harold harriet harry
    hassan heather heidi heinrich helen helena helmut henri henrik henry herbert howard hugh hugo ian ibrahim igor
    ingrid irene isaac isabel isabella ismail ivan jack jackson jacob jacques jake james jamie jan jane janet jason
    javier jay jean jeff jeffrey jennifer jeremy jerry jesse jessica jesus jim jimmy joan joe joel johan johann
    johannes john johnny jon jonas jonathan jordan jorge jose joseph joshua josé joyce juan judith judy julia julian
    julie karen karl katarina kate katherine kathleen kathy katie keith kelly ken kenneth kevin khalid kim klaus
    kurt kyle larry lars laura lauren laurent lawrence lee leon leonard leonardo leslie lewis liam lily linda lisa
    louis louise luca lucas lucia lucy luigi luis lukas luke lydia magnus manfred manuel marc marcel marco marcus
    margaret maria marian marie marina mario marion mark markus martha martin mary matt matthew maurice max maxim
    maximilian megan mehmet melissa michael michel michelle miguel mike mikhail miriam mohamed mohammad mohammed
    molly monica muhammad mustafa nancy natalia natalie natasha nathan neil nicholas nick nicola nicolas nicole
    nigel nikolai nina noah nora norman olaf ole oleg olga oliver olivia omar oscar osman otto owen pablo pamela pat
    patricia patrick paul paula pedro per peter petra philip philippe phillip pierre pietro rachel rafael ralph
    ramon randy ray raymond rebecca regina ricardo richard rick rob robert roberto robin roger roland roman ron
    ronald rosa rose ross roy rudolf russell ruth ryan sabine salvatore sam samantha samuel sandra sara sarah scott
    sean sebastian sergei sergey sergio sharon shirley silvia simon simone sofia sonia sophia sophie stanley stefan
    stella stephanie stephen steve steven stewart stuart sue susan susanne sven sylvia tamara tanya ted teresa terry
    theodore theresa thomas tim timothy tina todd tom tommy tony tracy trevor ulrich ursula valentina valerie vera
    veronica victor victoria viktor vincent viola virginia vladimir walter wayne wendy werner wilhelm will william
    wolfgang xavier yusuf yves zoe
""")

# What institutions and places are called after, or beside, a name of their own.
INSTITUTIONS = _words("""
    academy administration agency airport airlines assembly association authority avenue bank board branch bridge
    bureau camp canton castle cathedral center centre chamber church city clinic college commission committee
    company conference congress constitution convention corporation council county court courts department
    directorate district division embassy enterprise faculty federation forum foundation fund garden government
    group hall high holding hospital hotel house inc institute institution international island kingdom lake law
    library limited ltd medical ministry mosque mountain municipality museum national north east south west office
    organisation organization palace parliament park party plc police port prison province public region regional
    registry republic river road school section security senate service society square state station street supreme
    theatre tower town township treaty tribunal trust union united university valley village ward works gericht amt
    ministerium universität krankenhaus klinik schule straße platz verein gesellschaft juzgado ministerio
    universidad calle avenida plaza colegio banco cour ministère université hôpital rue place école banque société
""")
