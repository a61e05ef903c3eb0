"""Times commands that do the same work, one after the other in turns, and prints medians and ratios as Markdown."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = ROOT / ".cache" / "venv" / "bin" / "pytest"
GOTESTSUM = ROOT / ".cache" / "bin" / "gotestsum"
PRE_COMMIT = ROOT / ".cache" / "bench" / "venv" / "bin" / "pre-commit"
TURBO = ROOT / ".cache" / "bench" / "node_modules" / ".bin" / "turbo"
MODULES = ROOT / "testdata" / "monorepo" / "web" / "node_modules"
LONG = 10  # seconds of the long suites
FILES = 5000

# The same command as a hook of pre-commit.
HOOK = """repos:
  - repo: local
    hooks:
      - id: one
        name: one
        entry: ENTRY
        language: system
        always_run: true
        pass_filenames: false
"""

# One suite per runner: its files, with SECONDS for how long its only test takes, and the bare command. Caches of the
# runner are off on both sides: --fresh does that for factgate.
SUITES = {
    "pytest": (
        {"test_one.py": "import time\n\n\ndef test_one():\n    time.sleep(SECONDS)\n"},
        [str(PYTEST)],
        [str(PYTEST)],
    ),
    "go": (
        {
            "go.mod": "module one\n\ngo 1.24\n",
            "one_test.go": 'package one\n\nimport (\n\t"testing"\n\t"time"\n)\n\n'
            "func TestOne(t *testing.T) { time.Sleep(SECONDS * time.Second) }\n",
        },
        ["go", "test", "./..."],
        ["go", "test", "-count=1", "./..."],
    ),
    "jest": (
        {
            "package.json": '{"name": "one", "version": "1.0.0", "private": true, "packageManager": "npm@10.0.0",'
            ' "scripts": {"test": "jest"}, "jest": {"watchman": false}}\n',
            "package-lock.json": '{"name": "one", "version": "1.0.0", "lockfileVersion": 3, "requires": true,'
            ' "packages": {"": {"name": "one", "version": "1.0.0"}}}\n',
            "turbo.json": '{"tasks": {"test": {}}}\n',
            "one.test.js": 'test("one", () => new Promise((done) => setTimeout(done, SECONDS * 1000)), 60000);\n',
        },
        ["node_modules/.bin/jest"],
        ["node_modules/.bin/jest"],
    ),
    "cargo": (
        {
            "Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "#[test]\nfn one() {\n    std::thread::sleep(std::time::Duration::from_secs(SECONDS));\n}\n",
        },
        ["cargo", "test"],
        ["cargo", "test", "--quiet"],
    ),
}


@dataclass
class Row:
    """Commands that do the same work in one folder; the first is what the others are held against."""

    title: str
    folder: Path
    commands: dict[str, list[str]]
    runs: int
    times: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, env: dict[str, str]) -> None:
        for name, argv in self.commands.items():
            self.times[name] = []
            once(argv, self.folder, env)  # fills caches, and shows that it works at all
        for _ in range(self.runs):
            for name, argv in self.commands.items():
                self.times[name].append(once(argv, self.folder, env))

    def lines(self) -> list[str]:
        medians = {name: statistics.median(times) for name, times in self.times.items()}
        base = medians[next(iter(medians))]
        return [
            f"| {self.title} | {name} | {show(median)} | {show(min(self.times[name]))}–{show(max(self.times[name]))} |"
            f" {median / base:.2f} | {(median - base) * 1000:+.0f} ms |"
            for name, median in medians.items()
        ]


def show(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def once(argv: list[str], folder: Path, env: dict[str, str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    took = time.perf_counter() - began
    if done.returncode != 0:
        sys.stderr.write(done.stdout.decode("utf-8", "replace"))
        sys.exit(f"bench: exit {done.returncode} of {' '.join(argv)} in {folder}")
    return took


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def commit(folder: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


def suite(folder: Path, runner: str, seconds: int, factgate: str, runs: int) -> Row:
    files, declared, bare = SUITES[runner]
    quoted = ", ".join(f'"{word}"' for word in declared)
    write(folder, {name: text.replace("SECONDS", str(seconds)) for name, text in files.items()})
    write(
        folder,
        {
            "factgate.toml": f'version = 1\n\n[checks.one]\nrunner = "{runner}"\ncommand = [{quoted}]\n',
            ".gitignore": "node_modules\ntarget\n__pycache__\n.pytest_cache\n.turbo\n",
            ".pre-commit-config.yaml": HOOK.replace("ENTRY", " ".join(bare)),
        },
    )
    if runner == "jest":
        (folder / "node_modules").symlink_to(MODULES)
    commit(folder)
    commands = {"bare command": bare, "factgate verify --fresh": [factgate, "verify", "--fresh"]}
    if runner == "go" and GOTESTSUM.exists():
        commands["gotestsum"] = [str(GOTESTSUM), "--", "-count=1", "./..."]
    if PRE_COMMIT.exists() and not seconds:
        commands["pre-commit run"] = [str(PRE_COMMIT), "run", "--all-files"]
    if runner == "jest" and TURBO.exists() and not seconds:
        commands["turbo run --force"] = [str(TURBO), "run", "test", "--force"]
    return Row(f"{runner}, {f'one test of {seconds} s' if seconds else 'one trivial test'}", folder, commands, runs)


def nothing_to_do(folder: Path, factgate: str, runs: int, env: dict[str, str]) -> Row:
    write(folder, {f"src/part{i // 100:02d}/file{i:04d}.txt": f"file {i}\n" * 40 for i in range(FILES)})
    write(
        folder,
        {
            "factgate.toml": 'version = 1\n\n[checks.one]\nrunner = "command"\ncommand = ["true"]\n',
            ".gitignore": ".turbo\nnode_modules\n",
            "package.json": SUITES["jest"][0]["package.json"].replace('"jest"}', '"true"}'),
            "package-lock.json": SUITES["jest"][0]["package-lock.json"],
            "turbo.json": '{"tasks": {"test": {}}}\n',
        },
    )
    commit(folder)
    time.sleep(3)  # entries younger than the clock's grain are hashed again, by git and by factgate
    once([factgate, "verify"], folder, env)
    commands = {
        "git status": ["git", "status", "--porcelain"],
        "factgate verify (proven)": [factgate, "verify"],
        "factgate status": [factgate, "status"],
    }
    if TURBO.exists():
        commands["turbo run (cached)"] = [str(TURBO), "run", "test"]
    return Row(f"nothing to do, {FILES} files", folder, commands, runs)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("factgate", help="the binary")
    words.add_argument("--runs", type=int, default=9, help="how often each short command is timed (long ones: 2)")
    words.add_argument("--only", default="", help="measure only rows whose title holds this word")
    options = words.parse_args()
    if not os.access(options.factgate, os.X_OK):
        sys.exit(f"bench: no such program: {options.factgate}")

    print("| work | command | median | least–most | ratio | more |", "| --- | --- | ---: | ---: | ---: | ---: |", sep="\n")
    with tempfile.TemporaryDirectory(prefix="factgate-bench-") as scratch:
        env = {
            **os.environ,
            "FACTGATE_STATE_DIR": os.path.join(scratch, "state"),
            "CI": "true",  # as factgate sets it, so that the bare command does the same
            "DO_NOT_TRACK": "1",
            "TURBO_TELEMETRY_DISABLED": "1",
            "PRE_COMMIT_HOME": os.path.join(scratch, "pre-commit"),
        }
        for seconds, runs in ((0, options.runs), (LONG, min(2, options.runs))):
            for runner in SUITES:
                folder = Path(scratch, f"{runner}{seconds}")
                folder.mkdir()
                report(suite(folder, runner, seconds, options.factgate, runs), options.only, env)
        folder = Path(scratch, "nothing")
        folder.mkdir()
        if options.only in f"nothing to do, {FILES} files":
            report(nothing_to_do(folder, options.factgate, max(options.runs, 15), env), options.only, env)


def report(row: Row, only: str, env: dict[str, str]) -> None:
    if only in row.title:
        row.measure(env)
        print(*row.lines(), sep="\n", flush=True)


if __name__ == "__main__":
    main()
