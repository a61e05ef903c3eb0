#!/usr/bin/env python3
"""Fuzzes every target of the repository, or those that are named, and prints what each did.

    scripts/fuzz.py                          30 seconds each, as many at a time as the machine has processors
    scripts/fuzz.py --seconds 600 FuzzJUnit

An input that breaks a law is kept by go test below testdata/fuzz of its package: commit it, it is a test from then on.
Exit 1 when a target failed, or did nothing.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

EXECS = re.compile(r"execs: (\d+) .*?(?:new interesting: (\d+) \(total: (\d+)\))?$", re.M)


def targets() -> list:
    """Every fuzz target as (package, name), the examples' own left out."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", "*_test.go"], check=True, capture_output=True, text=True)
    found = []
    for path in files.stdout.splitlines():
        if path.startswith("testdata/") or "/testdata/" in path or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            names = re.findall(r"^func (Fuzz\w+)\(\w+ \*testing\.F\)", file.read(), re.M)
        found += [("./" + os.path.dirname(path), name) for name in names]
    return sorted(found)


def fuzz(package: str, name: str, seconds: int) -> dict:
    began = time.monotonic()
    run = subprocess.run(
        ["go", "test", "-run", "^$", "-fuzz", f"^{name}$", "-fuzztime", f"{seconds}s", "-fuzzminimizetime", "10s", "-parallel", "1", package],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    last = None
    for last in EXECS.finditer(run.stdout):
        pass
    inputs = int(last.group(1)) if last else 0
    ok = run.returncode == 0 and inputs > 0
    print(f"{'ok' if ok else 'FAILED':6}  {name:24} {inputs:>10} inputs  {last.group(3) or 0 if last else 0:>6} kept  "
          f"{time.monotonic() - began:5.0f} s  {package}", flush=True)
    if not ok:
        print(run.stdout[-4000:], flush=True)
    return {"ok": ok, "inputs": inputs}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=int, default=30, help="for each target")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time, one process each")
    options.add_argument("target", nargs="*", help="names of fuzz functions; without any, all")
    args = options.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    known = targets()
    unknown = set(args.target) - {name for _, name in known}
    if unknown or not known or args.seconds < 1 or args.jobs < 1:
        print(f"fuzz: nothing is called {' or '.join(sorted(unknown))}; there are: {' '.join(name for _, name in known)}"
              if unknown else "fuzz: nothing to do", file=sys.stderr)
        return 2
    todo = [t for t in known if not args.target or t[1] in args.target]
    with ThreadPoolExecutor(args.jobs) as pool:
        done = list(pool.map(lambda t: fuzz(*t, args.seconds), todo))
    bad = sum(not d["ok"] for d in done)
    print(f"{len(done) - bad} targets passed, {bad} failed, {sum(d['inputs'] for d in done)} inputs, {args.seconds} s each")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
