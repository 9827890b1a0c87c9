"""A system as a program: documents as JSON Lines on standard input, an answer for each on standard output.

showthrough anonymize corpus.json --with "codes=cmd:python3 program.py" -o codes.json
"""

import json
import re
import sys

CODE = re.compile(r"\b[A-Z]{1,3}[- ]?\d{3,}\b|\b\d{5,}\b")

for line in sys.stdin:
    document = json.loads(line)
    masks = [[found.start(), found.end(), "CODE", 0.9] for found in CODE.finditer(document["text"])]
    print(json.dumps({"id": document["id"], "masks": masks}), flush=True)
