"""Runs one reader after the other, in turns, each in a process of its own, and prints CPU time and memory as Markdown."""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

# Each stream: its format, what is counted in it, and how many. The first reader is what the others are held against.
STREAMS = [
    ("gotestjson", 40_000, "events"),
    ("gotestjson", 400_000, "events"),
    ("jestjson", 190_000, "tests"),
]
READERS = {
    "gotestjson": {
        "factgate": "gotestjson",
        "gotestsum 1.13.0, `testjson.ScanTestOutput`": "gotestsum",
        "`encoding/json`, each line into a struct": "encoding-json",
        "line ends only (`bytes.IndexByte`)": "memchr",
    },
    "jestjson": {
        "factgate": "jestjson",
        "`encoding/json`, token by token": "tokens",
        "`encoding/json`, the whole into structs": "unmarshal",
        "line ends only (`bytes.IndexByte`)": "memchr",
    },
}
SEED = 1


@dataclass
class Reader:
    """One way to read a stream, with the CPU seconds and the peak memory in MB of each run."""

    title: str
    argv: list[str]
    seconds: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    found: str = ""

    def run(self) -> None:
        process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        match = re.fullmatch(r"(.*), peak (\d+) KiB\n", said)
        if process.returncode != 0 or match is None:
            sys.exit(f"bench: exit {process.returncode} of {' '.join(self.argv)}: {said}")
        self.found = match[1]
        self.seconds.append(usage.ru_utime + usage.ru_stime)
        self.peaks.append(int(match[2]) * 1024 / 1e6)


def measure(program: str, stream: Path, readers: dict[str, str], runs: int) -> list[Reader]:
    found = [Reader(title, [program, "read", name, str(stream)]) for title, name in readers.items()]
    for _ in range(runs):
        for reader in found:
            reader.run()
    return found


def lines(title: str, size: int, readers: list[Reader]) -> list[str]:
    base = statistics.median(readers[0].seconds)
    rows = []
    for reader in readers:
        cpu = statistics.median(reader.seconds)
        rows.append(
            f"| {title}, {size / 1e6:.0f} MB | {reader.title} | {cpu * 1000:.0f} ms"
            f" ({min(reader.seconds) * 1000:.0f}–{max(reader.seconds) * 1000:.0f}) | {size / 1e6 / cpu:.0f} |"
            f" {cpu / base:.2f} | {statistics.median(reader.peaks):.0f} MB |"
        )
        print(f"bench: {title}: {reader.title}: {reader.found}", file=sys.stderr)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only", default="", help="only streams whose title holds this word")
    args = parser.parse_args()
    table = ["| stream | reader | CPU time (spread) | MB per CPU second | ratio | peak memory |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    with tempfile.TemporaryDirectory() as folder:
        for format, count, unit in STREAMS:
            title = f"{format}, {count:,} {unit}"
            if args.only not in title:
                continue
            stream = Path(folder) / "stream"
            with stream.open("wb") as to:
                subprocess.run([args.program, "make", format, str(SEED), str(count)], stdout=to, check=True)
            table += lines(title, stream.stat().st_size, measure(args.program, stream, READERS[format], args.runs))
    print("\n".join(table))


if __name__ == "__main__":
    main()
