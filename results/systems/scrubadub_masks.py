"""scrubadub's default detectors as a program for `cmd:`: a line of JSON in, a line of masks out."""

import json
import sys

import scrubadub

scrubber = scrubadub.Scrubber()
for line in sys.stdin:
    document = json.loads(line)
    filth = scrubber.iter_filth(document["text"])
    masks = [[found.beg, found.end, (found.type or "UNKNOWN").upper()] for found in filth]
    print(json.dumps({"id": document["id"], "masks": masks}), flush=True)
