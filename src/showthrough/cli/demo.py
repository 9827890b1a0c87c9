from __future__ import annotations

from showthrough import demo
from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import Output, Said, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.views import Views, show, view_options
from showthrough.evaluation.calls import evaluate
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.background import read_background

# All four questions, without a model, each asked once.
METRICS = (
    "er_di",
    "er_qi",
    "recall_per_type",
    "trir",
    "precision",
    'tps(ic="wordfreq", chunking="none", similarity="ngrams")',
)


@with_options(views=view_options("html", "parts", "signatures", "force"))
def command(output: Output = None, *, views: Said) -> None:
    """Score the five anonymizations of the fictional corpus that ships."""
    shown = Views.of(views)
    read = inputs([demo.corpus_path(), demo.background_path(), *demo.anonymization_paths().values()])
    check_distinct((output, *shown.paths), read)
    check_file(output, shown.force)
    shown.check()
    corpus = read_corpus(demo.corpus_path(), name="demo")
    masks = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    run = evaluate(corpus, masks, METRICS, background=read_background(demo.background_path()))
    results = Results(shown.force)
    if output:
        results.save(run, output)
    for path in shown.paths:
        address = path.resolve().as_uri()
        shown.write(run, results, read, f"\nThe documents and what shows through in them: open {address}")
    show_notes(run.notes)
    screen = console(PAGE)
    show(run, shown, screen)
    results.tell(screen)
