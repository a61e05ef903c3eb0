"""Reads go test -json, shows what failed or was skipped, and closes with how many cases passed, failed and were skipped.

A case is a test without subtests, or one that failed or was skipped while none of its subtests was. Exit 1 when a case
failed, a package did not end well, or nothing ran; with FACTGATE_REQUIRE_TOOLS set also when one was skipped for another
reason than those of MAY.
"""

import json
import os
import sys
from collections import defaultdict

# What a machine may lack though every tool is installed: test, and why.
MAY = {
    "TestOutOfMemory": "it runs by itself, see scripts/test.sh",
}
if "FACTGATE_REQUIRE_NEXTEST" not in os.environ:
    MAY["cargo-nextest"] = "it is built from source, for some minutes"


def main() -> int:
    output = defaultdict(list)  # of a test, of a package (no test), of a build (import path)
    ended = {}
    started = set()
    bad = []
    for line in sys.stdin:
        try:
            event = json.loads(line)
            action = event["Action"]
        except (ValueError, KeyError, TypeError):
            bad.append("not an event: " + line.rstrip())
            print(line, end="", flush=True)
            continue
        if action == "build-output":
            print(event.get("Output", ""), end="", flush=True)
            continue
        if action == "build-fail":
            bad.append("does not build: " + event.get("ImportPath", "?"))
            continue
        key = (event.get("Package", "?"), event.get("Test", ""))
        if action == "output":
            output[key].append(event.get("Output", ""))
            continue
        if action in ("start", "run"):
            started.add(key)
            continue
        if action not in ("pass", "fail", "skip"):
            continue
        ended[key] = action
        package, test = key
        if action == "fail":
            print("".join(output[key]), end="")
        if not test:
            word = "no tests" if action == "skip" else action
            print(f"{word}  {package}  {event.get('Elapsed', 0)}s", flush=True)
        elif action == "skip":
            said = [part.strip() for part in output[key] if not part.startswith(("=== ", "--- "))]
            print(f"skip  {package} {test}: {' '.join(said)}", flush=True)
            if "FACTGATE_REQUIRE_TOOLS" in os.environ and not any(may in " ".join([test, *said]) for may in MAY):
                bad.append(f"skipped, where nothing may be: {package} {test}")
        output.pop(key, None)
    for key in sorted(started - ended.keys()):
        bad.append("did not end: " + " ".join(key).strip())
        print("".join(output[key]), end="")
    return close(ended, bad)


def close(ended: dict, bad: list) -> int:
    parents = defaultdict(set)  # a test -> how the cases below it ended
    for (package, test), action in ended.items():
        while "/" in test:
            test = test.rpartition("/")[0]
            parents[package, test].add(action)
    counts = dict.fromkeys(("pass", "fail", "skip"), 0)
    for key, action in ended.items():
        if not key[1]:
            if action == "fail":
                bad.append("package failed: " + key[0])
            continue
        if key not in parents or (action != "pass" and action not in parents[key]):
            counts[action] += 1
    for what in bad:
        print("tests: " + what)
    if counts["pass"] == 0:
        print("tests: nothing ran")
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return 1 if bad or counts["fail"] or not counts["pass"] else 0


if __name__ == "__main__":
    sys.exit(main())
