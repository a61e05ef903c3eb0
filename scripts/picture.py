#!/usr/bin/env python3
"""Makes docs/verify.svg: what factgate really prints on a terminal, for a copy of the example with one bug planted.

Needs tmux, which plays the terminal, and what scripts/example.sh needs. Times and ids differ from run to run, so the
picture is made anew when the output changes its look, and not compared.
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "testdata/monorepo"
COLUMNS, ROWS = 112, 60

COLORS = {"31": "#ff7b72", "32": "#56d364", "33": "#e3b341", "36": "#76e3ea", "2": "#8b949e"}


def copy(to: pathlib.Path) -> None:
    shutil.copytree(EXAMPLE, to, symlinks=True, ignore=shutil.ignore_patterns("target", "__pycache__", ".pytest_cache"))
    subprocess.run(["git", "init", "-q"], cwd=to, check=True)


def plant(tree: pathlib.Path) -> None:
    path = tree / sys.argv[1]
    text = path.read_text()
    if text.count(sys.argv[2]) != 1:
        sys.exit(f"picture: {path} does not hold {sys.argv[2]!r} exactly once")
    path.write_text(text.replace(sys.argv[2], sys.argv[3]))


def screen(tree: pathlib.Path, state: pathlib.Path) -> list[str]:
    """Runs verify in a terminal of tmux and returns the lines of its screen, with their colours."""
    session = f"factgate-picture-{os.getpid()}"
    done = state / "done"
    run = f"PS1= FACTGATE_STATE_DIR={state} {ROOT}/bin/factgate verify; echo; touch {done}; sleep 60"
    subprocess.run(["tmux", "new-session", "-d", "-s", session, "-x", str(COLUMNS), "-y", str(ROWS), "-c", str(tree), "sh", "-c", run], check=True)
    try:
        for _ in range(1200):
            if done.exists():
                break
            time.sleep(0.1)
        else:
            sys.exit("picture: factgate did not end within two minutes")
        out = subprocess.run(["tmux", "capture-pane", "-p", "-e", "-t", session], check=True, capture_output=True, text=True).stdout
    finally:
        subprocess.run(["tmux", "kill-session", "-t", session], check=False)
    return ["$ factgate verify"] + out.rstrip("\n").split("\n")


def svg(lines: list[str]) -> str:
    width, height, step = 8.4, 18, 18
    w, h = int(COLUMNS * width) + 32, len(lines) * step + 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" '
           'aria-label="Output of factgate verify">',
           f'<rect width="{w}" height="{h}" rx="8" fill="#0d1117"/>',
           '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3" xml:space="preserve">']
    for n, line in enumerate(lines):
        y = 28 + n * step
        column, style = 0, ""
        for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
            code = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
            if code:
                for word in code.group(1).split(";"):
                    if word in ("", "0", "39"):
                        style = ""
                    elif word in COLORS:
                        style += f' fill="{COLORS[word]}"'
                    elif word == "1":
                        style += ' font-weight="bold"'
                continue
            if piece.strip():
                out.append(f'<text x="{16 + column * width:.1f}" y="{y}" textLength="{len(piece) * width:.1f}"{style}>{html.escape(piece)}</text>')
            column += len(piece)
    return "\n".join(out + ["</g>", "</svg>", ""])


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit("usage: scripts/picture.py FILE OLD NEW    (plants NEW for OLD in FILE of a copy of the example)")
    with tempfile.TemporaryDirectory() as work:
        tree, state = pathlib.Path(work, "parcels"), pathlib.Path(work, "state")
        state.mkdir(mode=0o700)
        copy(tree)
        env = {**os.environ, "FACTGATE_STATE_DIR": str(state)}
        subprocess.run([ROOT / "bin/factgate", "verify", "web", "rating", "lint"], cwd=tree, env=env, check=True, stdout=subprocess.DEVNULL)
        plant(tree)
        lines = [line.replace(str(state), "~/.local/state/factgate").replace(work, "~") for line in screen(tree, state)]
    (ROOT / "docs/verify.svg").write_text(svg(lines))


main()
