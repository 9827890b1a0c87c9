"""What tokens cost: as somebody says, as they were listed once, or nothing on one's own machine."""

from __future__ import annotations

import math
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from showthrough.core.errors import PlanError, quote_value
from showthrough.core.patterns import lazy_pattern
from showthrough.models.chat.consent import Address

_MILLION = 1_000_000
_SNAPSHOT = lazy_pattern(r"-\d{4}-\d{2}-\d{2}\Z")  # a model of a day has the price of its name


class Price(NamedTuple):
    """Of a million tokens that are sent, and that are answered; and who says so."""

    sent: float
    answered: float
    said: str

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.sent + tokens_out * self.answered) / _MILLION


def price_of(address: Address, price: str | None) -> Price | None:
    """What a model costs; None where nobody knows. Raises PlanError for what is no price."""
    if price is not None:
        return _parse_price(price)
    if address.is_local:
        return Price(0.0, 0.0, "it is on this machine")
    return _read_prices().get((address.host, _SNAPSHOT.sub("", address.model)))


def _parse_price(text: str) -> Price:
    try:
        sent, answered = (float(number) for number in text.split(","))
    except ValueError:
        sent = answered = math.nan
    if not (math.isfinite(sent) and math.isfinite(answered) and min(sent, answered) >= 0):
        expected = "expected what a million tokens cost that are sent and answered, such as 0.40,1.60"
        raise PlanError(f"found {quote_value(text)}; {expected}", "price")
    return Price(sent, answered, "as --price says")


@lru_cache(maxsize=1)
def _read_prices() -> dict[tuple[str, str], Price]:
    table = tomllib.loads(files(__package__).joinpath("prices.toml").read_text(encoding="utf-8"))
    return {
        (host, model): Price(sent, answered, f"as it was listed in {group['seen']}")
        for host, groups in table.items()
        for group in groups
        for model, (sent, answered) in group["models"].items()
    }
