"""What a corpus holds, counted, against `json.loads` on the same corpus file: TAB's 100 training cases ten times over.

    describe a corpus that was read already / json.loads                              at most 1.0
    peak memory of describing JSON Lines of 4,000 documents over one of 1,000         at most 1.3 ×

The second is measured in processes of their own, with all that they import. Needs SHOWTHROUGH_DATA.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from _tab import cases, data_folder
from _turns import quickest
from showthrough import describe, read_corpus

COPIES = 10
_PEAK = """
import sys
from pathlib import Path
import showthrough
showthrough.describe(showthrough.read_corpus(sys.argv[1]))
status = Path("/proc/self/status").read_text()  # of getrusage a process inherits the peak of who started it
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


def peak(documents: list[dict[str, object]], path: Path) -> float:
    """MB of a process that describes them, one document a line."""
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in documents), encoding="utf-8")
    found = subprocess.run([sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True)
    return int(found.stdout) / 1024


def main() -> int:
    data = data_folder()
    if data is None:
        return 0
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "corpus.json"
        path.write_text(json.dumps(cases(data, COPIES), ensure_ascii=False), encoding="utf-8")
        content, corpus = path.read_bytes(), read_corpus(path)
        seconds = quickest(7, {"parse": lambda: json.loads(content), "describe": lambda: describe(corpus)})
        one = peak(cases(data, COPIES), Path(name) / "one.jsonl")
        four = peak(cases(data, 4 * COPIES), Path(name) / "four.jsonl")
    print(f"{len(corpus)} documents, {len(content) / 1e6:.1f} MB; json.loads {seconds['parse']:.3f} s")
    print(f"JSON Lines: {one:.0f} MB at the peak for {len(corpus)} documents, {four:.0f} MB for four times as many")
    failed = False
    for what, found, limit in (
        ("describe / json.loads", seconds["describe"] / seconds["parse"], 1.0),
        ("peak memory, four times the documents", four / one, 1.3),
    ):
        failed |= found > limit
        print(f"{what:<50} {found:6.3f}   limit {limit:.1f}   {'ok' if found <= limit else 'TOO MUCH'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
