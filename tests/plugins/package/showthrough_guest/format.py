import json

from showthrough import Annotation, Document, Format, Mask, Mention
from showthrough.formats import Fit


def recognise(head):
    return Fit.SURE if {"uid", "body"} <= head.json.keys.keys() else Fit.NO  # marks may be too far behind a long body


def read(file):
    for note in json.loads(file.head.content):
        mentions = tuple(Mention(start, end, kind, "DIRECT") for start, end, kind in note["marks"])
        yield Document(note["uid"], note["body"], (Annotation("us", mentions),))


def read_anonymization(file):
    notes = json.loads(file.head.content)
    return {note["uid"]: [Mask(start, end) for start, end, _ in note["marks"]] for note in notes}


NOTES = Format("our notes: JSON with marks", (".json",), recognise, read, read_anonymization)
