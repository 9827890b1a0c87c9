"""How surprised a masked language model is: questions in, information content out.

The pieces that are asked for are replaced by the mask token, and the model says how probable the true ones are
(Pilán et al. 2022, section 6.3). Segments of all texts go through it together, sorted by length, or end to end where
that can be (`_packing.py`), and the head that weighs the whole vocabulary sees only the places in question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import local
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.errors import ResourceError
from showthrough.models._packing import (
    Attention,
    PackedEncoder,
    PackedHead,
    fetch_later,
    laid_out,
    packing_attention,
    send,
)
from showthrough.models.device import TableShape, in_packs, in_shapes, refuse_nan, width_of
from showthrough.models.information import ModelContext, SpanQuery
from showthrough.models.segments import Pass, SegmentedQuestion, TokenPieces

# Models whose answer to one text is the same whatever stands beside it in a batch, padded to equal length. Others (some
# mix padding in: DeBERTa, ConvBERT, FNet) get batches of texts of one length.
PADDED = frozenset({
    "albert", "bert", "big_bird", "camembert", "distilbert", "electra", "esm", "modernbert", "mpnet", "roberta",
    "roformer", "xlm-roberta",
})  # fmt: skip
# Models in whose last layer nothing after the attention looks at other places.
_OF_BERTS_MAKE = frozenset({"bert", "camembert", "electra", "roberta", "xlm-roberta"})
_HIDDEN_SHARE = 4  # a table has fewer rows when more than one piece in so many is hidden: the head's output is large
_ALIGNED = 32  # numbers
_HEAD_ROWS = 2048  # of its output that are turned into probabilities at once
_CUT = 50_000  # characters of texts that are cut into pieces at once, while others run


class Predictor:
    """A model with a prediction head and its tokenizer, ready to be asked."""

    def __init__(self, model: Any, tokenizer: Any, attention: Attention | None = None, *, packs: bool = True) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.longest = min(positions(model.config), tokenizer.model_max_length)
        if hasattr(model.base_model, "set_attention_type"):
            # BigBird chooses by the length of a batch what it looks at; its sparse attention is for longer texts than
            # segments are.
            model.base_model.set_attention_type("original_full")
        self._thread = local()  # batches run side by side, each with places of its own
        self.packed: PackedHead | None = None
        if attention := attention or (packing_attention(model) if packs else None):
            self.packed = PackedHead(model, PackedEncoder(model.base_model, attention))
        else:
            _narrow(model, self._only_hidden)

    def weigh(
        self, questions: Sequence[SpanQuery], context: ModelContext, watch: Callable[[float], None] | None = None
    ) -> list[Floats]:
        """The information content of every span. `watch` is told the share that is done."""
        if self.packed:
            return self._weigh_in_packs(self.packed, questions, context, watch)
        split_questions = self.cut(questions, context)
        passes = [single_pass for question in split_questions for single_pass in question.passes()]
        done = 0
        for batch, logs in in_shapes(
            [self._shape(single_pass, context) for single_pass in passes],
            self.model.device,
            lambda batch, rows, shape: self._run([passes[item] for item in batch], context, rows, shape),
            "information content",
        ):
            for item, of_pass in zip(batch, logs, strict=True):
                passes[item].record(of_pass)
            done += len(batch)
            if watch:
                watch(done / len(passes))
        return [question.ics() for question in split_questions]

    def _weigh_in_packs(
        self,
        packed: PackedHead,
        questions: Sequence[SpanQuery],
        context: ModelContext,
        watch: Callable[[float], None] | None,
    ) -> list[Floats]:
        split_questions: list[SegmentedQuestion] = []
        shares: dict[SegmentedQuestion, float] = {}  # of the work that one pass is: each question counts alike

        def passes() -> Iterator[Pass]:
            for group in _question_groups(questions):
                for question in self.cut(group, context):
                    split_questions.append(question)
                    question_passes = question.passes()
                    shares[question] = 1 / max(1, len(question_passes)) / len(questions)
                    yield from question_passes

        def run(batch: list[Pass], room: int) -> list[Floats]:
            return self._run_pack(packed, batch, context, room)

        marks = 2 * (context.special_tokens == "segment")
        longest = context.segment_length + marks
        done = 0.0
        for batch, logs in in_packs(
            passes(),
            lambda single_pass: TableShape(1, single_pass.length + marks),
            longest,
            self.model.device,
            run,
            "information content",
        ):
            for single_pass, of_pass in zip(batch, logs, strict=True):
                single_pass.record(of_pass)
                done += shares[single_pass.question]
            if watch:
                watch(min(done, 1.0))
        return [question.ics() for question in split_questions]

    def _run_pack(self, packed: PackedHead, passes: Sequence[Pass], context: ModelContext, room: int) -> list[Floats]:
        """ln p of the hidden pieces of each pass, which stand end to end."""
        import torch

        wrap = int(context.special_tokens == "segment")
        lengths = np.array([single_pass.length for single_pass in passes]) + 2 * wrap
        ends = np.cumsum(lengths)
        begins = ends - lengths
        ids = np.empty(ends[-1], dtype=np.int64)
        inside = np.ones(len(ids), dtype=bool)
        if wrap:
            ids[begins], ids[ends - 1] = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
            inside[begins] = inside[ends - 1] = False
        ids[inside] = np.concatenate([single_pass.ids for single_pass in passes])
        counts = np.array([single_pass.high - single_pass.low for single_pass in passes])
        positions = np.concatenate([single_pass.hidden for single_pass in passes]) + np.repeat(begins + wrap, counts)
        truth = ids[positions]
        ids[positions] = self.tokenizer.mask_token_id
        hidden = None
        if not context.attend_hidden:
            hidden = np.zeros(len(ids), dtype=bool)
            hidden[positions] = True
        longest = context.segment_length + 2 * wrap
        encoder, device = packed.encoder, self.model.device
        pack, target = laid_out(ids, lengths, hidden, room, longest, encoder.padding)
        with torch.inference_mode(), encoder.busy:
            flat, true = (send(packed.pad_positions(array), device) for array in (target[positions], truth))
            numbers = fetch_later(packed.logs(pack.on(device), flat, true))
        answers = numbers()[: len(positions)].astype(np.float64)
        refuse_nan(answers, "information content", self.model.dtype)
        return np.split(answers, np.cumsum(counts)[:-1])

    def _shape(self, single_pass: Pass, context: ModelContext) -> TableShape:
        """How wide a table a pass needs, and what a row of it counts for: more, where more of it is hidden."""
        width = single_pass.length
        if self.model.config.model_type in PADDED:
            width = width_of(width, context.segment_length)
        weight = next(
            share * width for share in (1, 2, _HIDDEN_SHARE) if len(single_pass.hidden) * _HIDDEN_SHARE <= share * width
        )
        return TableShape(width, weight)

    def cut(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[SegmentedQuestion]:
        """Every question in word pieces and segments; a text that is asked about twice is cut once."""
        marks = 2 * (context.special_tokens == "segment")
        if marks and None in (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id):
            raise ResourceError(
                'special_tokens="segment" needs marks for the two ends of a text, and this model has none; '
                'choose special_tokens="none"'
            )
        if context.segment_length + marks > self.longest:
            also = ' with special_tokens="segment"' if marks else ""
            raise ResourceError(
                f"segment_length={context.segment_length}{also} is more than the model takes: {self.longest - marks}"
            )
        texts = list(dict.fromkeys(question.text for question in questions))
        cut = dict(zip(texts, self._pieces(texts, context), strict=True))
        return [SegmentedQuestion(cut[question.text], question, context) for question in questions]

    def _pieces(self, texts: Sequence[str], context: ModelContext) -> Iterator[TokenPieces]:
        encoded = self.tokenizer(
            texts,
            add_special_tokens=context.special_tokens == "document",
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        columns = (encoded[key] for key in ("input_ids", "offset_mapping", "special_tokens_mask"))
        for ids, offsets, special in zip(*columns, strict=True):
            bounds = np.array(offsets, dtype=np.int64).reshape(-1, 2)
            yield TokenPieces(np.array(ids, dtype=np.int64), bounds[:, 0], bounds[:, 1], np.array(special, dtype=bool))

    def _run(self, passes: Sequence[Pass], context: ModelContext, rows: int, table: TableShape) -> list[Floats]:
        """ln p of the hidden pieces of each pass. The table is filled up with copies, to its rows and hidden places."""
        import torch

        wrap = int(context.special_tokens == "segment")
        shape = rows, table.width + 2 * wrap
        ids = np.full(shape, self.tokenizer.pad_token_id or 0, dtype=np.int64)
        visible = np.zeros(shape, dtype=np.int64)
        positions, truth = [], []
        for row, single_pass in enumerate(passes):
            length, hidden = single_pass.length + 2 * wrap, single_pass.hidden + wrap
            ids[row, wrap : length - wrap] = single_pass.ids
            if wrap:
                ids[row, 0], ids[row, length - 1] = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
            positions.append(row * shape[1] + hidden)
            truth.append(ids[row, hidden])
            ids[row, hidden] = self.tokenizer.mask_token_id
            visible[row, :length] = 1
            if not context.attend_hidden and len(hidden) < length:  # with nothing else to see, they see each other
                visible[row, hidden] = 0
        ids[len(passes) :], visible[len(passes) :] = ids[0], visible[0]
        hidden_count = sum(map(len, positions))
        room = rows * table.weight // _HIDDEN_SHARE
        positions.append(np.full(room - hidden_count, positions[0][0]))
        truth.append(np.full(room - hidden_count, truth[0][0]))
        flat, true, inputs, attention = (
            torch.from_numpy(array).to(self.model.device)
            for array in (np.concatenate(positions), np.concatenate(truth), ids, visible)
        )
        with torch.inference_mode():
            self._thread.places = flat
            logits = self.model(input_ids=inputs, attention_mask=attention).logits[0]
            logs = [
                block_logits.gather(1, block_truth[:, None])[:, 0].float() - _aligned(block_logits.float()).logsumexp(1)
                for block_logits, block_truth in zip(logits.split(_HEAD_ROWS), true.split(_HEAD_ROWS), strict=True)
            ]
            answers = torch.cat(logs)[:hidden_count].cpu().numpy().astype(np.float64)
        refuse_nan(answers, "information content", self.model.dtype)
        return np.split(answers, np.cumsum([len(row_positions) for row_positions in positions[:-1]])[:-1])

    def row_with_gap(self, before: Sequence[int], behind: Sequence[int], count: int) -> tuple[Ints, Ints]:
        """The pieces of a text with so many mask tokens between its two sides, and where these are."""
        marks = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        first, last = ([] if mark is None else [mark] for mark in marks)
        start = len(first) + len(before)
        ids = [*first, *before, *[self.tokenizer.mask_token_id] * count, *behind, *last]
        return np.array(ids, dtype=np.int64), np.arange(start, start + count)

    def propose(self, rows: Sequence[tuple[Ints, Ints]], best: int, longest: int) -> list[tuple[Ints, Floats]]:
        """For rows of pieces and some of their places: the likeliest pieces of each place, and ln p of each."""
        answers: list[tuple[Ints, Floats]] = [(np.zeros((0, best), dtype=np.int64), np.zeros((0, best)))] * len(rows)
        padded = self.model.config.model_type in PADDED
        widths = [width_of(len(ids), longest) if padded else len(ids) for ids, _ in rows]
        shapes = [TableShape(width, width) for width in widths]

        def run(batch: list[int], count: int, shape: TableShape) -> list[tuple[Ints, Floats]]:
            return self._propose([rows[item] for item in batch], best, shape.width)

        for batch, proposals in in_shapes(shapes, self.model.device, run, "masked words"):
            for item, proposal in zip(batch, proposals, strict=True):
                answers[item] = proposal
        return answers

    def _propose(self, rows: Sequence[tuple[Ints, Ints]], best: int, width: int) -> list[tuple[Ints, Floats]]:
        import torch

        ids = np.full((len(rows), width), self.tokenizer.pad_token_id or 0, dtype=np.int64)
        visible = np.zeros(ids.shape, dtype=np.int64)
        for row, (pieces, _) in enumerate(rows):
            ids[row, : len(pieces)], visible[row, : len(pieces)] = pieces, 1
        flat = np.concatenate([row * width + places for row, (_, places) in enumerate(rows)])
        positions, inputs, attention = (torch.from_numpy(array).to(self.model.device) for array in (flat, ids, visible))
        with torch.inference_mode():
            self._thread.places = positions
            logits = self.model(input_ids=inputs, attention_mask=attention).logits[0].float()
            logs, pieces = logits.log_softmax(1).topk(min(best, logits.shape[1]), dim=1)
        answers = logs.cpu().numpy().astype(np.float64)
        refuse_nan(answers, "masked words", self.model.dtype)
        bounds = np.cumsum([len(places) for _, places in rows])[:-1]
        return list(zip(np.split(pieces.cpu().numpy(), bounds), np.split(answers, bounds), strict=True))

    def _only_hidden(self, states: Any) -> Any:
        """Of the states of all places only those that are asked for."""
        return states.flatten(0, 1)[self._thread.places][None]


def _question_groups(questions: Sequence[SpanQuery]) -> Iterator[Sequence[SpanQuery]]:
    """Consecutive questions, so many characters at once."""
    first = characters = 0
    for number, question in enumerate(questions):
        characters += len(question.text)
        if characters >= _CUT:
            yield questions[first : number + 1]
            first, characters = number + 1, 0
    if first < len(questions):
        yield questions[first:]


def _aligned(logits: Any) -> Any:
    """Rows that all start at a multiple of some bytes: where one does not, a sum over it is begun in another way."""
    import torch

    return torch.nn.functional.pad(logits, (0, -logits.shape[1] % _ALIGNED), value=-torch.inf)


def positions(config: Any) -> int:
    """How many pieces a model has places for."""
    make = config.model_type
    count = int(getattr(config, "max_position_embeddings", 1 << 30))
    # These count places from behind the padding's.
    if "roberta" in make or make in ("camembert", "data2vec-text", "ibert", "longformer", "mpnet"):
        count -= int(config.pad_token_id) + 1
    return count


def _narrow(model: Any, only_hidden: Callable[[Any], Any]) -> None:
    """Lets only some places through to the head, from the last point on at which places look at each other.

    In models of BERT's make that is the attention of the last layer; what follows in it is most of the layer's work. In
    others it is the end of the model, before the head.
    """

    def before(_module: Any, states: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(map(only_hidden, states))

    def after(_module: Any, _states: Any, output: Any) -> Any:
        output.last_hidden_state = only_hidden(output.last_hidden_state)
        return output

    if model.config.model_type in _OF_BERTS_MAKE:
        model.base_model.encoder.layer[-1].attention.output.register_forward_pre_hook(before)
    else:
        model.base_model.register_forward_hook(after)
