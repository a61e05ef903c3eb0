"""Times a flood of output under factgate and into `cat >/dev/null`, and prints seconds, ratio and peak memory as Markdown.

The ratio is per byte: what the same commands take to print nothing is left out on both sides.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLOODS = {"without newlines": "head -c BYTES /dev/zero", "lines of 27 bytes": "yes abcdefghijklmnopqrstuvwxyz | head -c BYTES"}


def once(argv: list[str], folder: str, env: dict[str, str]) -> tuple[float, int]:
    """Seconds, and the most memory that the command itself or a child that it waited for held, in KiB."""
    began = time.perf_counter()
    child = subprocess.Popen(argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"bench: exit {child.returncode} of {' '.join(argv)}")
    return time.perf_counter() - began, usage.ru_maxrss


def best(argv: list[str], folder: str, env: dict[str, str], runs: int) -> tuple[float, int]:
    all_runs = [once(argv, folder, env) for _ in range(runs)]
    return statistics.median(seconds for seconds, _ in all_runs), max(memory for _, memory in all_runs)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("factgate", help="the binary")
    words.add_argument("--bytes", type=int, default=5_000_000_000)
    words.add_argument("--runs", type=int, default=3)
    options = words.parse_args()
    factgate = os.path.abspath(options.factgate)
    print("| output | cat >/dev/null | factgate verify | ratio per byte | memory over idle |", "| --- | ---: | ---: | ---: | ---: |", sep="\n")
    for title, script in FLOODS.items():
        with tempfile.TemporaryDirectory(prefix="factgate-bench-") as folder:
            env = {**os.environ, "FACTGATE_STATE_DIR": folder + "-state"}
            took, memory = {}, {}
            for n in (0, options.bytes):
                flood = script.replace("BYTES", str(n))
                Path(folder, "flood.sh").write_text(f"#!/bin/sh\n{flood}\n", encoding="utf-8")
                Path(folder, "flood.sh").chmod(0o755)
                Path(folder, "factgate.toml").write_text('version = 1\n[checks.one]\nrunner = "command"\ncommand = ["./flood.sh"]\n', encoding="utf-8")
                runs = options.runs if n else 9
                took["cat", n > 0], _ = best(["sh", "-c", f"{flood} | cat >/dev/null"], folder, env, runs)
                took["factgate", n > 0], memory[n > 0] = best([factgate, "verify", "--fresh"], folder, env, runs)
            ratio = (took["factgate", True] - took["factgate", False]) / (took["cat", True] - took["cat", False])
            print(f"| {options.bytes / 1e9:g} GB {title} | {took['cat', True]:.2f} s | {took['factgate', True]:.2f} s | {ratio:.2f}"
                  f" | {(memory[True] - memory[False]) / 1024:+.1f} MiB |", flush=True)


if __name__ == "__main__":
    main()
