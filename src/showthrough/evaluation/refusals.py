"""Releases in which a language model says that it will not anonymize."""

from __future__ import annotations

import re

SHORT = 120  # words of a refusal: a model that says no goes on for a paragraph at most
_OPENING = 400  # characters among which its beginning is looked for
_WORD = re.compile(r"\w+")
# How models begin then, in a few languages.
_BEGINNINGS = (
    # English
    r"(?:i(?:'m| am)(?: very| so| truly)? sorry|sorry|i apologi[sz]e|my apologies|unfortunately|i regret)\b.{0,40}?"
    r"\bi(?:'m| am)?(?: just)? (?:can(?:'t|not| not)|won't|will not|do(?:n't| not) feel|unable|not able|must decline)",
    r"i(?:'m| am)? (?:can(?:'t|not| not)|won't|will not|unable to|not able to|must decline)"
    r"(?: (?:to|directly|safely|really))? ?(?:help|assist|fulfil|comply|provide|process|complete|anonymi|redact|"
    r"rewrite|do (?:this|that|so)|continue|answer|respond|engage|generate|create|share|produce|proceed|perform|"
    r"support|de-?identify|edit|view|access|discuss|your|this)",
    r"as an? (?:ai|artificial intelligence|(?:large )?language model)\b",
    r"i(?:'m| am) (?:just )?an? (?:ai|(?:large )?language model)\b",
    # German
    r"(?:es )?tut mir (?:sehr )?leid|leider kann ich|entschuldigung, (?:aber )?ich kann",
    r"ich kann (?:ihnen|dir|dabei|diese[rnms]?|das|den|bei|hier)\b.{0,80}?\bnicht\b",
    r"als (?:eine? )?(?:ki|sprachmodell)\b",
    # French
    r"(?:je suis |je regrette|toutes mes excuses|désolée?).{0,40}?\bje ne (?:peux|puis|suis)",
    r"je ne (?:peux|puis) pas (?:vous|t'|aider|répondre|traiter|fournir|anonymiser)",
    r"en tant qu(?:'|e )(?:ia\b|intelligence|modèle|assistant)",
    # Spanish
    r"(?:lo siento|lamento|disculpa|perdón).{0,40}?\bno (?:puedo|me es posible)",
    r"no puedo (?:ayudar|cumplir|procesar|anonimizar|proporcionar|continuar|realizar)",
    r"como (?:una? )?(?:modelo de|ia\b|inteligencia artificial)",
    # Italian
    r"(?:mi dispiace|spiacente|mi scuso).{0,40}?\bnon (?:posso|sono in grado)",
    r"non posso (?:aiutar|elaborare|fornire|anonimizzare|soddisfare)",
    r"(?:in quanto|come) (?:ia\b|modello|intelligenza)",
    # Portuguese
    r"(?:desculp|lamento|sinto muito|infelizmente).{0,40}?\bnão (?:posso|consigo)",
    r"não posso (?:ajudar|processar|fornecer)|como (?:um )?modelo de linguagem",
    # Dutch
    r"(?:het spijt me|sorry|helaas).{0,40}?\bik kan|als (?:een )?(?:ai|taalmodel)\b",
    r"ik kan (?:u|je|hier|dit|deze|niet)\b.{0,60}?\bhelpen",
    # Polish
    r"(?:przykro mi|przepraszam|niestety).{0,40}?\bnie mogę|jako (?:model językowy|sztuczna inteligencja)",
    # Russian
    r"(?:извините|к сожалению|простите|мне жаль).{0,40}?не могу|я не могу (?:помочь|выполнить|обработать)",
    r"как (?:языковая модель|ии\b)",
    # Chinese, Japanese, Korean
    r"(?:很?抱歉|对不起|對不起).{0,10}?(?:我|无法|無法|不能)|我(?:无法|不能|無法)",
    r"作为(?:一个|一個)?(?:ai|人工智能|语言模型)|申し訳(?:ありません|ございません)|죄송(?:합니다|하지만)",
)
_REFUSAL = re.compile("|".join(f"(?:{one})" for one in _BEGINNINGS), re.DOTALL)


def is_refusal(release: str, original: str) -> bool:
    """Whether a short text begins as language models do when they refuse, and its original does not say the same.

    >>> is_refusal("I'm sorry, but I can't help with that.", "Mr Doe left.")
    True
    >>> is_refusal("Mr X left.", "Mr Doe left."), is_refusal("I cannot help NAME.", "I cannot help Ann.")
    (False, False)
    """
    found = _REFUSAL.match(_plain(release[: 2 * _OPENING])[:_OPENING])
    return found is not None and len(_WORD.findall(release)) <= SHORT and found[0] not in _plain(original)


def _plain(text: str) -> str:
    """In small letters, with plain apostrophes and single spaces, without marks around it."""
    return " ".join(text.replace("’", "'").replace("`", "'").casefold().split()).strip("\"'*_#>«“„ ")
