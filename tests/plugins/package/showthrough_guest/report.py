"""What reports tell of weights: a table with how much weight there is, a sentence and what it rests on."""

from showthrough.metrics.base import HEADLINE
from showthrough.report.section import Section
from showthrough.report.table import OwnTable, column_of
from showthrough.report.wording import Clause


class WeightsSection(Section):
    title = "Weights of documents"
    label = "Weights"
    lead = "What is spared of the documents that matter to us."

    def tables(self, run):
        names = (*run.names, *(reference.name for reference in run.references))
        for record in self.records(run):
            asides = [f"weights of {one.documents} documents" for one in run.inputs.get("weights", [])]
            column = column_of(run, record, HEADLINE, record.text)
            yield OwnTable("weights", names, (column,), len(run.references), asides=tuple(asides))

    def clauses(self, run, name):
        for record in self.records(run):
            yield Clause("spares ", f"{run[name, record.text].value:.0%}", " of the weight")

    def caveats(self, run):
        return ["Weights are what one user gave."] if self.records(run) else []

    def records(self, run):
        return [record for record in run.metrics if record.name == "spared" and record.text in run.rows]


SECTION = WeightsSection()
