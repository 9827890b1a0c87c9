"""Releases in which a language model says that it will not anonymize."""

from __future__ import annotations

from showthrough.core.patterns import lazy_pattern

SHORT = 120  # words of a refusal: a model that says no goes on for a paragraph at most
_OPENING = 200  # letters among which its beginning is looked for
_WORD = lazy_pattern(r"\w+")
_SIGNS = lazy_pattern(r"[\W_]+")
# How models begin then, in a few languages; letters alone, since white space is lost where a text is aligned.
_CANNOT = (
    r"i(?:m|am)?(?:just|afraid|afraidi)?(?:cant|cannot|wont|willnot|dontfeel|donotfeel|unable|notable|mustdecline)"
)
_BEGINNINGS = (
    # English
    rf"(?:(?:im|iam)(?:very|so|truly)?sorry|sorry|iapologi[sz]e|myapologies|unfortunately|iregret).{{0,40}}?{_CANNOT}",
    rf"{_CANNOT}(?:to)?(?:directly|safely|really)?(?:help|assist|fulfil|comply|provide|process|complete|anonymi|redact|"
    r"rewrite|dothis|dothat|doso|continue|answer|respond|engage|generate|create|share|produce|proceed|perform|"
    r"support|deidentify|edit|view|access|discuss|withyour|withthis)",
    r"(?:as|im|iam)(?:just)?an?(?:ai|artificialintelligence|largelanguage|language)"
    r"(?:language|model|assistant|system|chatbot|i|developed|trained|created)",
    # German
    r"(?:es)?tutmir(?:sehr)?leid|leiderkannich|entschuldigung(?:aber)?ichkann",
    r"ichkann(?:ihnen|dir|dabei|diese[rnms]?|das|den|bei|hier).{0,60}?nicht(?:helfen|anonymisieren|bearbeiten|weiter)",
    r"alse?i?n?e?(?:ki(?:modell|kann|sprach|assistent|ist)|sprachmodell)",
    # French
    r"(?:jesuis(?:vraiment)?désolée?|jeregrette|toutesmesexcuses|désolée?).{0,40}?jene(?:peux|puis|suis)",
    r"jene(?:peux|puis)pas(?:vous|taider|aider|répondre|traiter|fournir|anonymiser)",
    r"entantqu(?:ia|intelligence|emodèle|assistant|un)",
    # Spanish
    r"(?:losiento|lamento|disculpa|perdón).{0,40}?no(?:puedo|meesposible)",
    r"nopuedo(?:ayudar|cumplir|procesar|anonimizar|proporcionar|continuar|realizar)",
    r"como(?:una?)?(?:modelode|ianopuedo|inteligenciaartificial)",
    # Italian
    r"(?:midispiace|spiacente|miscuso).{0,40}?non(?:posso|sonoingrado)",
    r"nonposso(?:aiutar|elaborare|fornire|anonimizzare|soddisfare)",
    r"(?:inquanto|come)(?:ianon|modello|intelligenza)",
    # Portuguese
    r"(?:desculp|lamento|sintomuito|infelizmente).{0,40}?não(?:posso|consigo)",
    r"nãoposso(?:ajudar|processar|fornecer)|como(?:um)?modelodelinguagem",
    # Dutch
    r"(?:hetspijtme|sorry|helaas).{0,40}?ikkan|als(?:een)?(?:aimodel|aiassistent|taalmodel)",
    r"ikkan(?:u|je|hier|dit|deze|niet).{0,60}?helpen",
    # Polish
    r"(?:przykromi|przepraszam|niestety).{0,40}?niemogę|jako(?:modeljęzykowy|sztucznainteligencja)",
    # Russian
    r"(?:извините|ксожалению|простите|мнежаль).{0,40}?немогу|янемогу(?:помочь|выполнить|обработать)",
    r"как(?:языковаямодель|иимодель)",
    # Chinese, Japanese, Korean
    r"(?:很?抱歉|对不起|對不起).{0,10}?(?:我|无法|無法|不能)|我(?:无法|不能|無法)(?:帮|幫|提供|处理|處理|协助|協助|完成)",
    r"作为(?:一个|一個)?(?:ai|人工智能|语言模型)|申し訳(?:ありません|ございません)|죄송(?:합니다|하지만)",
)
_REFUSAL = lazy_pattern("|".join(f"(?:{beginning})" for beginning in _BEGINNINGS))


def is_refusal(release: str, original: str) -> bool:
    """Whether a short text begins as language models do when they refuse, and its original does not say the same.

    >>> is_refusal("I'm sorry, but I can't help with that.", "Mr Doe left.")
    True
    >>> is_refusal("Mr X left.", "Mr Doe left."), is_refusal("I cannot help NAME.", "I cannot help Ann.")
    (False, False)
    """
    match = _REFUSAL.match(_letters(release[: 4 * _OPENING])[:_OPENING])
    return match is not None and len(_WORD.findall(release)) <= SHORT and match[0] not in _letters(original)


def _letters(text: str) -> str:
    """Its letters and digits alone, in small letters."""
    return _SIGNS.sub("", text.casefold())
