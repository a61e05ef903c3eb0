"""Every link of our pages that leads into the repository arrives, headings included; scripts that they name exist."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["*.md", "docs/**/*.md", "bench/*.md", "testdata/monorepo/*.md"]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SCRIPT = re.compile(r"\b((?:scripts|bench|campaign)/[\w.-]+\.(?:sh|py)|\.ci/run)\b")


def prose(text: str) -> str:
    """The page without fenced code."""
    return re.sub(r"(?ms)^```.*?^```", "", text)


def anchors(text: str) -> set:
    """Headings as links name them: lower case, blanks as hyphens, no other signs."""
    found = set()
    for heading in re.findall(r"(?m)^#+ (.+)$", prose(text)):
        plain = re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def mistakes(page: Path) -> list:
    text = page.read_text(encoding="utf-8")
    where = page.relative_to(ROOT).as_posix()
    found = []
    for target in LINK.findall(prose(text)):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        aim = (page.parent / path).resolve() if path else page
        if not aim.exists():
            found.append(f"{where}: no such file: {target}")
        elif anchor and aim.suffix == ".md" and anchor not in anchors(aim.read_text(encoding="utf-8")):
            found.append(f"{where}: no such heading: {target}")
    found += [f"{where}: no such script: {name}" for name in SCRIPT.findall(text) if not (ROOT / name).exists()]
    return found


def main() -> None:
    pages = sorted({page for pattern in PAGES for page in ROOT.glob(pattern)})
    if len(pages) < 4:
        sys.exit(f"docs: only {len(pages)} pages below {ROOT}")
    found = [mistake for page in pages for mistake in mistakes(page)]
    for mistake in found:
        print(mistake)
    if found:
        sys.exit(f"docs: {len(found)} links lead nowhere")
    print(f"docs: {len(pages)} pages, every link arrives")


if __name__ == "__main__":
    main()
