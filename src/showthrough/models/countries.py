"""Countries, with other names for them and what their people and things are called.

For somebody who knows the country and looks for it in a text, where any word for it tells. `gazetteer` answers
the opposite question, which country a name is, and so leaves out what is also the name of something else (Georgia).
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

from showthrough.core.patterns import lazy_pattern

_PLAIN = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss"})
_WORD = lazy_pattern(r"[^\W\d_]+|\d+")

# A country, and after the colon other names and adjectives, with commas between. Parts of one that are called countries
# come last: their own names are theirs, and are read as the whole country too.
_TABLE = """
Afghanistan: Afghan, Afghans
Albania: Albanian
Algeria: Algerian
Andorra: Andorran
Angola: Angolan
Argentina: Argentine, Argentinian
Armenia: Armenian
Australia: Australian, Aussie
Austria: Austrian
Azerbaijan: Azerbaijani, Azeri
Bahamas: The Bahamas, Bahamian
Bahrain: Bahraini
Bangladesh: Bangladeshi
Barbados: Barbadian
Belarus: Belarusian, Byelorussia
Belgium: Belgian
Belize: Belizean
Benin: Beninese
Bhutan: Bhutanese
Bolivia: Bolivian
Bosnia and Herzegovina: Bosnia, Bosnian
Botswana: Motswana, Batswana
Brazil: Brazilian
Brunei: Bruneian
Bulgaria: Bulgarian
Burkina Faso: Burkinabe
Burundi: Burundian
Cambodia: Cambodian
Cameroon: Cameroonian
Canada: Canadian
Cape Verde: Cabo Verde, Cape Verdean
Central African Republic: Central African
Chad: Chadian
Chile: Chilean
China: Chinese, People's Republic of China, PRC
Colombia: Colombian
Comoros: Comorian
Congo: Congolese, DRC, Democratic Republic of the Congo
Costa Rica: Costa Rican
Croatia: Croatian, Croat
Cuba: Cuban
Cyprus: Cypriot
Czech Republic: Czechia, Czech
Denmark: Danish, Dane, Danes
Djibouti: Djiboutian
Dominican Republic: Dominican
Ecuador: Ecuadorian
Egypt: Egyptian
El Salvador: Salvadoran
Eritrea: Eritrean
Estonia: Estonian
Eswatini: Swaziland, Swazi
Ethiopia: Ethiopian
Fiji: Fijian
Finland: Finnish, Finn, Finns
France: French, Frenchman, Frenchwoman
Gabon: Gabonese
Gambia: The Gambia, Gambian
Georgia: Georgian
Germany: German, Federal Republic of Germany, FRG
Ghana: Ghanaian
Greece: Greek, Hellenic Republic
Guatemala: Guatemalan
Guinea: Guinean
Guyana: Guyanese
Haiti: Haitian
Honduras: Honduran
Hong Kong: Hongkonger
Hungary: Hungarian
Iceland: Icelandic, Icelander
India: Indian
Indonesia: Indonesian
Iran: Iranian, Persian
Iraq: Iraqi
Ireland: Irish, Irishman, Irishwoman
Israel: Israeli
Italy: Italian
Ivory Coast: Côte d'Ivoire, Ivorian
Jamaica: Jamaican
Japan: Japanese
Jordan: Jordanian
Kazakhstan: Kazakh, Kazakhstani
Kenya: Kenyan
Kosovo: Kosovar
Kuwait: Kuwaiti
Kyrgyzstan: Kyrgyz
Laos: Laotian
Latvia: Latvian
Lebanon: Lebanese
Lesotho: Basotho
Liberia: Liberian
Libya: Libyan
Liechtenstein: Liechtensteiner
Lithuania: Lithuanian
Luxembourg: Luxembourgish, Luxembourger
Madagascar: Malagasy
Malawi: Malawian
Malaysia: Malaysian
Maldives: Maldivian
Mali: Malian
Malta: Maltese
Mauritania: Mauritanian
Mauritius: Mauritian
Mexico: Mexican
Moldova: Moldovan, Republic of Moldova
Monaco: Monegasque
Mongolia: Mongolian
Montenegro: Montenegrin
Morocco: Moroccan
Mozambique: Mozambican
Myanmar: Burma, Burmese
Namibia: Namibian
Nepal: Nepali, Nepalese
Netherlands: The Netherlands, Holland, Dutch, Dutchman
New Zealand: New Zealander, Kiwi, NZ, Aotearoa
Nicaragua: Nicaraguan
Niger: Nigerien
Nigeria: Nigerian
North Korea: North Korean, DPRK
North Macedonia: Macedonia, Macedonian
Norway: Norwegian
Oman: Omani
Pakistan: Pakistani
Palestine: Palestinian
Panama: Panamanian
Papua New Guinea: Papua New Guinean
Paraguay: Paraguayan
Peru: Peruvian
Philippines: The Philippines, Filipino, Filipina, Philippine
Poland: Polish, Pole, Poles
Portugal: Portuguese
Puerto Rico: Puerto Rican
Qatar: Qatari
Romania: Romanian
Russia: Russian, Russian Federation
Rwanda: Rwandan
Samoa: Samoan
San Marino: Sammarinese
Saudi Arabia: Saudi
Senegal: Senegalese
Serbia: Serbian, Serb
Sierra Leone: Sierra Leonean
Singapore: Singaporean
Slovakia: Slovak, Slovak Republic
Slovenia: Slovenian, Slovene
Somalia: Somali
South Africa: South African
South Korea: Korea, Korean, South Korean, Republic of Korea
South Sudan: South Sudanese
Spain: Spanish, Spaniard
Sri Lanka: Sri Lankan
Sudan: Sudanese
Suriname: Surinamese
Sweden: Swedish, Swede, Swedes
Switzerland: Swiss
Syria: Syrian
Taiwan: Taiwanese
Tajikistan: Tajik
Tanzania: Tanzanian
Thailand: Thai
Togo: Togolese
Trinidad and Tobago: Trinidad, Trinidadian
Tunisia: Tunisian
Türkiye: Turkey, Turkish, Turk, Turks
Turkmenistan: Turkmen
Uganda: Ugandan
Ukraine: Ukrainian
United Arab Emirates: UAE, Emirati
United Kingdom: UK, Great Britain, Britain, British, Briton, England, English, Scotland, Scottish, Wales, Welsh, Northern Ireland
United States: United States of America, USA, US, U.S., America, American
Uruguay: Uruguayan
Uzbekistan: Uzbek
Vatican: Holy See, Vatican City
Venezuela: Venezuelan
Vietnam: Vietnamese, Viet Nam
Yemen: Yemeni
Zambia: Zambian
Zimbabwe: Zimbabwean
England: English
Northern Ireland: Northern Irish
Scotland: Scottish, Scot
Wales: Welsh
"""  # noqa: E501


@lru_cache(maxsize=1 << 16)
def fold_name(word: str) -> str:
    """Without case and accents.

    >>> fold_name("Wołąsiewicz"), fold_name("İSTANBUL")
    ('wolasiewicz', 'istanbul')
    """
    letters = unicodedata.normalize("NFKD", word.casefold().translate(_PLAIN))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def words_of(text: str) -> list[str]:
    """Runs of letters and runs of digits, folded."""
    return [fold_name(word) for word in _WORD.findall(text)]


@cache
def _countries() -> dict[tuple[str, ...], tuple[str, ...]]:
    """All names of a country by the folded words of each."""
    by_words = {}
    for line in _TABLE.strip().splitlines():
        country, _, other_names = line.partition(":")
        names = (country, *(name.strip() for name in other_names.split(",")))
        by_words.update(dict.fromkeys((tuple(words_of(name)) for name in names), names))
    return by_words


def names_of(name: str) -> tuple[str, ...]:
    """A country's names and adjectives; of any other place its name alone.

    >>> names_of("Turkey")
    ('Türkiye', 'Turkey', 'Turkish', 'Turk', 'Turks')
    """
    return _countries().get(tuple(words_of(name)), (name,))


def names_of_countries() -> frozenset[str]:
    """All names of countries, and what their people and things are called."""
    return frozenset(name for names in _countries().values() for name in names if name)
