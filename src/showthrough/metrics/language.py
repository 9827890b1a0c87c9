"""One language for all metrics: which words need not be masked hangs on it, and how much a word says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from showthrough.core.errors import PlanError, quote_value
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.metrics import Metric, metric_text, with_parameters
from showthrough.models import FUNCTION_WORDS
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.languages import another_language, sample_of
from showthrough.models.lexicon import DEFAULT_LEXICON, LEXICONS, NONE, lexicon_of
from showthrough.models.names import INFORMATION

ENGLISH = "en"
_FREQUENCIES = "wordfreq"


def in_language(metric: Metric, language: str, words: bool = True) -> Metric:
    """The same metric, with the word list and the word frequencies of a language where it had those of English.

    What it names itself stays: `spacy:…`, `none`, `wordfreq:de`. With `words=False` function words are left alone,
    since one source was named for all metrics. Raises PlanError where it needs a list that there is not.

    >>> from showthrough.metrics import metric_text, metrics_of
    >>> metrics = metrics_of(["er_di", "precision", 'wp(ic="wordfreq")', 'recall(function_words="none")'])
    >>> for metric in metrics:
    ...     print(metric_text(in_language(metric, "es")))
    er_di(function_words="lexicon-es.1")
    precision
    wp(ic="wordfreq:es")
    recall(function_words="none")
    """
    if language == ENGLISH:
        return metric
    if metric.only_language not in ("", language):
        raise PlanError(
            f"{metric_text(metric)} reads {_name(metric.only_language)} alone; expected --language "
            f"{metric.only_language}, or parameters by which it reads others",
            "language",
        )
    current = metric.parameters
    changed: dict[str, Any] = {}
    if words and current.get(FUNCTION_WORDS) == DEFAULT_LEXICON:
        changed[FUNCTION_WORDS] = _lexicon(language)
    if current.get(INFORMATION.parameter) == _FREQUENCIES:
        changed[INFORMATION.parameter] = _frequencies(language)
    english = [name for name in metric.dictionaries if current[name] == f"{_FREQUENCIES}:{ENGLISH}"]
    changed |= {name: _frequencies(language) for name in english}
    return with_parameters(metric, **changed)


def words_of(language: str) -> str:
    """The source of function words for what is shown without a metric: a language's list, or none."""
    return lexicon_of(language) if lexicon_of(language) in LEXICONS else NONE


def _lexicon(language: str) -> str:
    if lexicon_of(language) not in LEXICONS:
        raise PlanError(
            f"there is no list of function words for {quote_value(language)}; expected one of "
            f"{', '.join(CLOSED_CLASSES)}; "
            'or --function-words none or spacy:PIPELINE beside it (in Python, function_words="none")',
            "language",
        )
    return lexicon_of(language)


def _frequencies(language: str) -> str:
    from showthrough.models.information import frequency_languages  # here: few metrics weigh words

    if language not in (languages := frequency_languages()):
        expected = f"expected one of {', '.join(languages)}"
        raise PlanError(f"wordfreq has no word frequencies for {quote_value(language)}; {expected}", "language")
    return f"{_FREQUENCIES}:{language}"


def unlike_its_language(
    corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]
) -> list[str]:
    """Says so where documents are clearly not in the language whose word lists a metric takes."""
    used = _used(metrics)
    if not used or not len(corpus):
        return []
    sample = sample_of(corpus)
    other_languages = {language: another_language(sample, language) for language in used}
    return [
        _notice(language, used[language], looks) for language, looks in other_languages.items() if looks is not None
    ]


def _used(metrics: Sequence[Metric]) -> dict[str, dict[str, str]]:
    """The languages of word lists that metrics take: what is taken from each, and the name of its source."""
    used: dict[str, dict[str, str]] = {}
    for metric in metrics:
        if metric.only_language:
            used.setdefault(metric.only_language, {})["what is compared is"] = metric_text(metric)
        parameters = {FUNCTION_WORDS: "function words are", INFORMATION.parameter: "word frequencies are"}
        for parameter, role in (parameters | dict.fromkeys(metric.dictionaries, "the dictionary is")).items():
            name = metric.parameters.get(parameter)
            if isinstance(name, str) and (language := _language_of(name)):
                used.setdefault(language, {})[role] = name
    return used


def _language_of(name: str) -> str:
    """The language of a word list that is part of this program, by its name; of any other source nothing is known."""
    if name in LEXICONS:
        return next(language for language in CLOSED_CLASSES if lexicon_of(language) == name)
    kind, _, language = name.partition(":")
    return (language or ENGLISH) if kind == _FREQUENCIES else ""


def _notice(language: str, sources: dict[str, str], languages: tuple[str, ...]) -> str:
    name = _name(language)
    summary = " and ".join(f"{role} {name} ({source})" for role, source in sources.items())
    if languages:
        looks = " or ".join(map(_name, languages))
        codes = " or ".join(f"--language {code}" for code in languages)
        python = " or ".join(f'language="{code}"' for code in languages)
        return f"the documents look like {looks}, but {summary}: say {codes} (in Python, {python})"
    remedies = ["--language with their own, if there is a list of it"]
    if any(source in LEXICONS for source in sources.values()):
        remedies.append('--function-words none or spacy:PIPELINE (in Python, function_words="none")')
    return f"the documents do not look like {name}, but {summary}: say {', or '.join(remedies)}"


def _name(language: str) -> str:
    return CLOSED_CLASSES[language].name if language in CLOSED_CLASSES else f"the language {language!r}"
