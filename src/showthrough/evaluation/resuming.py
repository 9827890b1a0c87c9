"""What an interrupted run brings to the one that completes it, once both are known to be the same evaluation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import msgspec

from showthrough.errors import PlanError
from showthrough.evaluation.chunks import Cell
from showthrough.evaluation.plan import Plan
from showthrough.inference.asking import MODEL
from showthrough.metrics import Rows, metric_text
from showthrough.run.run import WITHOUT_TEXT, Run

_BEFORE = " (in the part that was done before; start afresh to try again)"
# What has to be the same where a run is resumed.
_SAME: dict[str, Callable[[Run], object]] = {
    "corpus": lambda run: run.corpus.digest,
    "anonymizations": lambda run: [(one.name, one.digest) for one in run.anonymizations],
    "references": lambda run: [one.digest for one in run.references],
    "metrics": lambda run: [(metric.text, metric.version) for metric in run.metrics],
    "settings": lambda run: run.settings,
    "background": lambda run: run.background and run.background.digest,
    "backgrounds": lambda run: {name: one.digest for name, one in run.backgrounds.items()},
    "verifiers": lambda run: [(one.name, one.digest) for one in run.verifiers],
    "ratings": lambda run: run.ratings and run.ratings.digest,
    "showthrough version": lambda run: run.provenance.get("showthrough"),
}


def rows_before(run: Run, earlier: Run, plan: Plan) -> dict[Cell, Rows]:
    """Rows of an earlier run, after checking that it is the same evaluation.

    Where texts are asked for and the earlier run was kept without, what an attack read in them is found again. Who asks
    language models asks again: the run tells whose answers it uses, and what is recorded costs nothing.
    """
    for what, of in _SAME.items():
        if of(run) != of(earlier):
            raise PlanError("not the same as in the run to resume; start afresh without --resume", what)
    if run.documents[: len(earlier.documents)] != earlier.documents:
        raise PlanError("not the same as in the run to resume; start afresh without --resume", "document order")
    wordless = plan.texts and earlier.provenance.get(WITHOUT_TEXT)
    whole = {metric_text(metric): metric for metric in plan.metrics if metric.scope == "corpus"}
    lost = whole.keys() & earlier.evidence.keys() if wordless else set()
    lost |= {text for text, metric in whole.items() if any(name.startswith(MODEL) for name in metric.asks)}
    rows: dict[Cell, Rows] = {}
    for text, name in ((text, name) for text, names in earlier.rows.items() if text not in lost for name in names):
        table, evidence = earlier.rows_of(text, name), earlier.evidence.get(text, {}).get(name, {})
        rows[text, name] = Rows(table.columns, table.values, msgspec.to_builtins(evidence))
    return rows


def failed_before(earlier: Run, metrics: Collection[str]) -> dict[str, str]:
    """Of some metrics those that failed in the documents that are done: they would lack these, and are not tried."""
    failed = {failure.metric: failure.reason for failure in earlier.failures}
    return {text: failed[text].removesuffix(_BEFORE) + _BEFORE for text in metrics if text in failed}


def check_models(revisions: Mapping[str, Mapping[str, str]], earlier: Run) -> None:
    """Raises PlanError when a model is no longer what it was for the documents that are done."""
    before = earlier.provenance.get("models", {})
    for name, revision in (pair for text in earlier.rows for pair in revisions.get(text, {}).items()):
        if before.get(name, revision) != revision:
            raise PlanError("not the same as in the run to resume; start afresh without --resume", f"model {name}")
