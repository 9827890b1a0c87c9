"""What a run keeps for looking at: its documents and the anonymizations of them."""

from __future__ import annotations

from showthrough.core.errors import PlanError, join_names, shorten, suggest_name
from showthrough.run.documents import RunTexts
from showthrough.run.run import WITHOUT_TEXT, Run


def require_texts(run: Run, file: str = "") -> RunTexts:
    """The documents that a run keeps; raises PlanError where it keeps none."""
    if run.texts is not None:
        return run.texts
    if not run.complete:
        raise PlanError("the run was interrupted and keeps no text yet; complete it with evaluate --resume", "", file)
    how = " without --without-text" if run.provenance.get(WITHOUT_TEXT) else ""
    raise PlanError(f"the run keeps no text, so no error can be shown; evaluate again{how}", "", file)


def name_in(run: Run, name: str | None) -> str:
    """The name of an anonymization, which need not be said where there is one alone; PlanError for one that is not."""
    if name is None:
        if len(run.names) == 1:
            return run.names[0]
        raise PlanError(f"there are {join_names(run.names)}; expected one of them", "anonymization")
    if name not in run.names:
        hint = f"{suggest_name(name, run.names)}there are {join_names(run.names)}"
        raise PlanError(f"not in this run; {hint}", f"anonymization {shorten(name)}")
    return name
