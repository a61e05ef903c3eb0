"""What all sources have in common: Go is formatted, Python compiles, text files end as text files do."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("services", "tariffs", "e2e", "lint")  # the same as this check's inputs in factgate.toml
SKIP = {".venv", "__pycache__", ".pytest_cache"}
TEXT = {".py", ".go", ".mod", ".csv", ".toml", ".txt"}


def files() -> list[Path]:
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in TEXT and not SKIP.intersection(path.relative_to(ROOT).parts):
                found.append(path)
    return found


def text_mistakes(path: Path) -> list[str]:
    where = path.relative_to(ROOT).as_posix()
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"{where}: not UTF-8: {error}"]
    mistakes = [f"{where}:{number}: blank at the end" for number, line in enumerate(text.split("\n"), 1) if line != line.rstrip()]
    if not text.endswith("\n"):
        mistakes.append(f"{where}: no newline at the end")
    if path.suffix == ".py":
        try:
            compile(text, where, "exec", dont_inherit=True)
        except SyntaxError as error:
            mistakes.append(f"{where}:{error.lineno}: {error.msg}")
    if path.suffix == ".csv":
        rows = list(csv.reader(text.splitlines()))
        mistakes += [f"{where}:{i}: {len(row)} columns" for i, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    return mistakes


def unformatted() -> list[str]:
    done = subprocess.run(["gofmt", "-l", "services/gateway"], cwd=ROOT, capture_output=True, text=True)
    mistakes = [f"{line}: not formatted; run gofmt -w" for line in done.stdout.splitlines()]
    return mistakes if done.returncode == 0 else [*mistakes, done.stderr.strip() or "gofmt failed"]


def main() -> None:
    found = files()
    if len(found) < 20:
        sys.exit(f"lint: only {len(found)} files below {ROOT}")
    mistakes = [mistake for path in found for mistake in text_mistakes(path)] + unformatted()
    for mistake in mistakes:
        print(mistake)
    if mistakes:
        sys.exit(f"lint: {len(mistakes)} mistakes in {len(found)} files")
    print(f"lint: {len(found)} files are clean")


if __name__ == "__main__":
    main()
