#!/usr/bin/env python3
"""Takes each term of the rule for "passed" away, one at a time, and wants something to go red.

    campaign/mutants.py              all, and a table
    campaign/mutants.py key record   those whose name holds one of the words

Each mutant is one change of a file, made in a copy of the source that lies elsewhere. It is dead when it does not compile
for a reason of Go's (which is said), or when the tests or the rows of the campaign that are named for it fail. The exit
code is 1 when one lives. Terms that another term covers twice over stand in COVERED, each with the reason.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

VERDICT = ["go", "test", "-vet=off", "-failfast", "./verdict"]
RECORD = ["go", "test", "-vet=off", "-failfast", "./record"]
CHECK = ["go", "test", "-vet=off", "-failfast", "./check"]
FACTS = ["go", "test", "-vet=off", "-failfast", "./facts", "./parsers"]


def rows(patterns):
    return ["campaign", "-jobs", "1", "-rows", patterns]


def scripts(folder):
    return ["go", "test", "-vet=off", "-failfast", "./cmd/factgate", "-run", f"TestScripts/{folder}"]


def mutants():
    """(name, file, old text, new text, commands): the old text stands once in the file."""
    out = []

    def add(name, path, old, new, *commands):
        out.append((name, path, old, new, commands))

    v = "verdict/verdict.go"
    add("decide: the second look, every witness", v, "len(reasons) == 0 && !s.everyWitness()", "false", VERDICT)
    add("decide: all reasons", v, "r.applies != nil && r.applies(s)", "false && r.applies(s)", VERDICT)
    add("conclude: failed beats unproven", v, "\t\t\tv.Outcome = Failed", "\t\t\tv.Outcome = Unproven", VERDICT)
    add("conclude: a reason is no pass", v, "v.Outcome = Unproven", "v.Outcome = Passed", VERDICT)

    # The table: each reason that a run can have.
    table = (ROOT / "verdict/reasons.go").read_text()
    for line in re.findall(r"^\t(?:failed|unproven)\(\w+, .*,$", table, re.M):
        reason, condition = re.match(r"\t(?:failed|unproven)\((\w+), (.*),$", line).groups()
        add(f"reason {reason}", "verdict/reasons.go", line, line.replace(condition, "func(sight) bool { return false }"), VERDICT)

    # The pass, said positively.
    s = "verdict/sight.go"
    for term in ["!s.started || ", "s.stopped || ", 's.run.Exit.Signal != "" || ', 's.run.Tree.Before == "" || ']:
        add(f"witness {term.strip(' |')}", s, "if " + FIRST, "if " + FIRST.replace(term, ""), VERDICT)
    add("witness the tree afterwards", s, "if " + FIRST, "if " + FIRST.replace(' || s.run.Tree.After == ""', ""), VERDICT)
    add("witness the exit code", s, "if !s.fine(s.run.Meaning, s.run.Exit.Code) {", "if false {", VERDICT)
    add("witness a process ended", s, "!p.Ended || !s.fine(p.Meaning, p.Code)", "!s.fine(p.Meaning, p.Code)", VERDICT)
    add("witness a process's code", s, "!p.Ended || !s.fine(p.Meaning, p.Code)", "!p.Ended", VERDICT)
    for term in ["s.run.Results.Complete && ", "n.Passed > 0 && ", "n.Passed >= s.rules.MinTests && "]:
        add(f"witness {term.strip(' &')}", s, LAST, LAST.replace(term, ""), VERDICT)
    add("witness no other case", s, LAST, LAST.replace(" && n.Passed+n.Skipped == n.Cases", ""), VERDICT)
    add("fine: the meaning", s, "m == facts.Clean && code == 0 ||", "code == 0 ||", VERDICT)
    add("fine: the code", s, "m == facts.Clean && code == 0 ||", "m == facts.Clean ||", VERDICT)
    add("empty: only where allowed", s, "s.rules.AllowNoTests && s.nothingRecorded()", "s.nothingRecorded()", VERDICT)
    add("empty: only nothing at all", s, "s.rules.AllowNoTests && s.nothingRecorded()", "s.rules.AllowNoTests", VERDICT)
    add("look: sent signals", s, "len(e.Sent) > 0 || e.TimedOut", "e.TimedOut", VERDICT)
    add("look: timed out", s, "e.TimedOut || e.Cancelled", "e.Cancelled", VERDICT)
    add("look: cancelled", s, 'e.Cancelled != "" || e.Lost', "e.Lost", VERDICT)
    add("look: lost", s, ' || e.Lost != ""\n', "\n", VERDICT)
    add("look: processes count", s, "s.processes = append(s.processes, p)", "_ = p", VERDICT)
    add("look: their meanings count", s, "s.meanings = append(s.meanings, p.Meaning)", "_ = p", VERDICT)
    add("look: counted again", s, "s.kept = facts.Count(run.Results.Cases)", "s.kept = run.Results.Counts", VERDICT)

    f = "verdict/fold.go"
    add("fold: failed", f, "case failed > 0:", "case false:", VERDICT)
    add("fold: running", f, "case running > 0:", "case false:", VERDICT)
    add("fold: unproven", f, "case unproven > 0 || none > 0:", "case none > 0:", VERDICT)
    add("fold: never asked for", f, "case unproven > 0 || none > 0:", "case unproven > 0:", VERDICT)
    add("fold: none", f, "case none == len(states):", "case false:", VERDICT)
    add("fold: a reason beside a pass", f, " || len(s.Verdict.Reasons) > 0", "", VERDICT)

    g = "facts/facts.go"
    add("merge: an incomplete part", g, "o.Complete && (first || r.Complete)", "(o.Complete || first) || r.Complete", FACTS, rows("evidence.*-files,evidence.silent"), scripts("custom"))
    add("merge: problems", g, "r.Problems = append(r.Problems, o.Problems...)", "", FACTS, rows("evidence.silent"), scripts("custom"))
    add("count: unknown", g, "\t\tn.Unknown++", "\t\tn.Passed++", FACTS, VERDICT, rows("evidence.odd-dialects"))

    c = "check/check.go"
    add("tree: unreadable afterwards", c, "\t\tr.Run.Tree.Unknown = err.Error()\n\t\treturn\n", "\t\tr.Run.Tree.After = r.Run.Tree.Before\n\t\treturn\n", rows("tree.unreadable-afterwards"))
    add("tree: moved", c, "r.Run.Tree.Moved, r.Run.Tree.Touched = worktree.Compare", "_, r.Run.Tree.Touched = worktree.Compare", rows("tree.moves-while-running"))
    add("tree: unreadable before", c, "\tif why == facts.TreeUnknown {", "\tif false {", CHECK, rows("tree.git-fails"))
    add("late writers", c, "\tlateWriters(&r, runDir, v.Config.Root)\n", "", rows("process.late-by-date"), CHECK)
    add("unrecorded", c, "\tr.Run.Unrecorded = why\n", "\t_ = why\n", rows("store.read-only,store.disk-full"))
    add("keep: no store", c, "\tif v.Store == nil {\n\t\treturn unrecorded(r, v.NoStore)", "\tif v.Store == nil {\n\t\tr.Verdict = verdict.Decide(r.Run, r.Rules)\n\t\treturn r", rows("store.unsafe-place"))
    add("keep: not written", c, "\t\treturn unrecorded(r, err.Error())", "\t\tr.Verdict = verdict.Decide(r.Run, r.Rules)\n\t\treturn r", rows("store.disk-full,syscalls.rename-link"))
    add("focused", c, "Focused: len(j.args) > 0,", "", rows("cache.focused"))
    add("standing reasons after a run", c, "\t\t\ttoday = proof.Verdict\n", "", rows("cache.failure-stays"))

    a = "check/aside.go"
    add("old results are moved aside", a, 'if p.Source.Glob == "" {', "if true {", rows("process.yesterdays-results"))

    r = "check/results.go"
    add("results: nothing written", r, 'return problem("no_file"', 'return facts.Results{Complete: true}\n\t\treturn problem("no_file"', rows("cache.nothing-written"))
    add("results: stale", r, "\t\tif len(aside) > 0 {", "\t\tif false {", rows("process.yesterdays-results"))
    add("results: regular files only", r, "if !before.Mode().IsRegular() {", "if false {", rows("evidence.silent"), scripts("custom/results"))
    add("results: no links", r, "if links(before) > 1 {", "if false {", rows("evidence.linked-fixture"))
    add("results: changed while read", r, "if err != nil || !os.SameFile(before, after) || identity(name, before) != identity(name, after) || after.Size() != sum.n {",
        "if err != nil || false && !os.SameFile(before, after) {", CHECK, rows("evidence.grows-while-read"))
    add("results: replaced while opened", r, "if err != nil || !os.SameFile(before, opened) || identity(name, before) != identity(name, opened) {",
        "if err != nil || false && !os.SameFile(before, opened) {", CHECK)
    add("results: every file", r, "\t\t\tall.Merge(got)\n\t\t}\n\t}\n\tfor _, r", "\t\t}\n\t}\n\tfor _, r", rows("evidence.fewer-files"))
    add("probe: nobody reported", r, "if own == 0 {", "if false {", CHECK, scripts("pytest/(early|wrappers|honest)"))
    add("probe: every process", r, "\t\t\tall.Merge(part)\n", "", CHECK, scripts("pytest/(early|wrappers|honest)"))
    add("probe: the seal", r, "stream.Process.Ended && !stream.Sealed(p.Seal)", "false", CHECK, scripts("jest/early"))
    add("probe: attached bytes", r, 'a.SHA256 != "" && got.Files[0].SHA256 != a.SHA256', "false", CHECK, scripts("pytest/early"))
    add("probe: attached path", r, 'a.File == "" || a.File != filepath.Base(a.File)', "false", CHECK)
    add("probe: own end", r, "\tif !p.Ended {\n\t\treturn facts.Unknown\n\t}\n", "", CHECK, scripts("pytest/early"))

    w = "check/verify.go"
    add("need did not pass", w, "if need.state.Verdict.Outcome != verdict.Passed || need.state.Status != verdict.StatusEnded {", "if false {", scripts("custom/inputs"))
    add("inputs match nothing", w, "case len(unmatched) > 0:", "case false:", scripts("custom/inputs"))
    add("answer: the record itself is opened", w, "if err != nil || r.Key != j.key {", "if false && err != nil {", rows("store.damaged-record"), scripts("store/forged"))
    add("answer: of this key", w, "if err != nil || r.Key != j.key {", "if err != nil {", CHECK)
    add("answer: decided again", w, "today.Outcome == verdict.Passed && own.Outcome != verdict.Passed", "false", CHECK)
    add("answer: today's rules", w, "func policy(c config.Check) record.Policy { return record.Policy{Rules: c.Rules, Timeout: c.Timeout} }",
        "func policy(c config.Check) record.Policy { return record.Policy{Rules: verdict.Rules{MinTests: 1}, Timeout: c.Timeout} }", rows("cache.policy-raised"))
    add("answer: not where arguments narrow", w, "v.Store == nil || v.Fresh || len(j.args) > 0", "v.Store == nil || v.Fresh", scripts("basic"), CHECK)

    k = "check/key.go"
    for field, test in {"Plan: plan.Material(), ": "cache.other-argument", "Inputs: inputs, ": "tree.reverted", "Program: prog.Digest,": "cache.other-toolchain",
                        "Focus: j.args, ": "cache.focused", "Needs: needs": "cache.other-need"}.items():
        add(f"key: {field.split(':')[0]}", k, KEY, KEY.replace(field, field.replace("inputs, ", "inputs[:0], ") if "inputs" in field else ""), rows(test))
    add("key: Beside", k, KEY, KEY.replace(" Beside: beside[plan.Beside].Digest,", ""), CHECK, scripts("cargo/default"))
    add("key: Witness", k, KEY, KEY.replace("Witness: witnesses(plan.Witness, plan.Dir, v.Config.Root), ", ""), rows("cache.dependencies"))

    e = "record/envelope.go"
    add("record: the verdict follows", e, "r.RulesVersion == verdict.Version && !today.Equal(r.Verdict)", "false", RECORD)
    add("record: the signature", e, "\t_, body, err := verifier.VerifyAndDecode(context.Background(), &env)\n\tif err != nil {", "\tbody, err := env.DecodeB64Payload()\n\t_ = verifier\n\tif err != nil {", RECORD)
    add("record: who signed", e, "if !ok {\n\t\treturn nil, &UntrustedError", "if !ok && false {\n\t\treturn nil, &UntrustedError", RECORD)
    add("record: unknown members", e, "\td.DisallowUnknownFields()\n", "", RECORD)
    add("record: one spelling", e, "err != nil || !bytes.Equal(again, data)", "err != nil || false && !bytes.Equal(again, data)", RECORD)
    add("record: subjects", e, "!slices.EqualFunc(st.Subject, r.subjects(), sameSubject)", "false && !slices.EqualFunc(st.Subject, r.subjects(), sameSubject)", RECORD)

    p = "record/proof.go"
    add("proof: focused runs", p, "e.Run.Focused || e.Run.NotStarted != nil", "e.Run.NotStarted != nil", RECORD)
    add("proof: runs that were not started", p, "e.Run.Focused || e.Run.NotStarted != nil", "e.Run.Focused", RECORD)
    add("proof: the newest counts", p, "\t\tif newest == nil {\n", "\t\tif newest == nil || v.Outcome == verdict.Passed {\n", RECORD)
    add("proof: an earlier failure is doubt", p, "len(doubt) > 0", "false", RECORD)
    add("proof: what stays", p, "if !p.stays(e.Record, v) {", "if true {", RECORD)
    add("proof: only what passed", p, "\tif answer.Outcome == verdict.Passed {\n\t\treturn Proof{State: ProofProven", "\tif true {\n\t\treturn Proof{State: ProofProven", RECORD)
    for word in ["TestsFailed) || ", "ExitSaysFailed) || ", "ErrorsOutsideTests) ||\n\t\t"]:
        add(f"proof: {word.split(')')[0]} stays", p, "v.Has(verdict." + word, "", RECORD)
    add("lookup: the record is there", "record/lookup.go", "\t\t\t\t_, err = os.Lstat(s.recordPath(e.ID)) // an entry without its record proves nothing\n", "\t\t\t\t_, err = os.Lstat(s.dir)\n", RECORD)
    add("lookup: an unreadable newest one", "record/lookup.go", "if unread && proof.State == ProofProven {", "if false {", RECORD)
    add("index: sealed", "record/entry.go", '!ok || !hmac.Equal(sum, mac(secret, "index", body))', '!ok || false && !hmac.Equal(sum, mac(secret, "index", body))', RECORD)
    add("index: of this run", "record/lookup.go", "ok && e.ID == id && e.RulesVersion == verdict.Version", "ok && e.RulesVersion == verdict.Version", RECORD)
    add("index: by these rules", "record/lookup.go", "ok && e.ID == id && e.RulesVersion == verdict.Version", "ok && e.ID == id && (true || e.RulesVersion == verdict.Version)", RECORD)
    add("index: of this key", "record/lookup.go", "err == nil && e.Key != key", "false", RECORD)
    for word in ["ThresholdFailed) || ", "Crashed) && x.OOMKills == 0"]:
        add(f"proof: {word.split(')')[0]} stays", p, "v.Has(verdict." + word, "false && x.OOMKills == 0" if "OOM" in word else "", RECORD)
    return out


FIRST = '!s.started || s.stopped || s.run.Exit.Signal != "" || s.run.Tree.Before == "" || s.run.Tree.After == "" {'
LAST = "return s.run.Results.Complete && n.Passed > 0 && n.Passed >= s.rules.MinTests && n.Passed+n.Skipped == n.Cases"
KEY = ("k := keyed{Plan: plan.Material(), Focus: j.args, Inputs: inputs, Patterns: j.check.Inputs, Program: prog.Digest, "
       "Beside: beside[plan.Beside].Digest,\n\t\tWitness: witnesses(plan.Witness, plan.Dir, v.Config.Root), Needs: needs}")

# Mutants that may live: what they take away is held twice, and each of the two was seen to be enough.
COVERED = {
    "tree: unreadable before": "why nothing was started says it, too",
    "results: nothing written": "the verdict sees that there is no file, no process and no case",
    "results: replaced while opened": "it is another file after the reading, too",
    "probe: attached path": "a file is opened below its folder, and nothing leads out of it",
    "answer: of this key": "the index gives an entry under its own key only",
    "answer: decided again": "an index entry holds the facts that decide, sealed with the store's secret",
    "answer: today's rules": "the record is decided again by them when it is opened",
    "answer: not where arguments narrow": "a narrowed run has a key of its own, and proves nothing",
    "look: lost": "a rule of its own says that the run was interrupted",
    "key: Focus": "a narrowed run proves nothing, whatever its key",
    "probe: own end": "the verdict asks each process for its end",
}


def copy_source(to):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in names.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, to / name)
    for name in [".cache", "testdata/monorepo/web/node_modules"]:  # tools of the scripts
        if (ROOT / name).exists() and not (to / name).exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).symlink_to((ROOT / name).resolve())


def hold(name, path, old, new, commands, copy, campaign):
    """How one mutant died, or that it lives."""
    text = (copy / path).read_text()
    if text.count(old) != 1:
        return "broken", f"{path} has its text {text.count(old)} times"
    (copy / path).write_text(text.replace(old, new))
    try:
        for command in commands:
            if command[0] == "campaign":
                command = [campaign, *command[1:]]
            got = subprocess.run(command, cwd=copy, capture_output=True, text=True)
            if got.returncode != 0:
                said = [l for l in (got.stdout + got.stderr).splitlines() if re.search(r"--- FAIL|^failed: |FAIL:|campaign:", l)]
                if "[build failed]" in got.stdout or "go build: exit status" in got.stderr:
                    return "broken", "does not compile: " + (got.stderr or got.stdout).strip().splitlines()[-1]
                if command[0] == campaign and not any(l.startswith("failed: ") for l in said):
                    return "broken", (got.stdout + got.stderr).strip().splitlines()[-1]
                return "dead", (said or ["it fails"])[-1].strip()
    finally:
        (copy / path).write_text(text)
    return "lives", ""


def main():
    chosen = [m for m in mutants() if not sys.argv[1:] or any(word in m[0] for word in sys.argv[1:])]
    began, counts = time.time(), {"dead": 0, "lives": 0, "covered": 0, "broken": 0}
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        copy, campaign = Path(scratch) / "source", str(Path(scratch) / "campaign")
        copy_source(copy)
        subprocess.run(["go", "build", "-o", campaign, "./campaign"], cwd=copy, check=True)
        for mutant in chosen:
            state, why = hold(*mutant, copy, campaign)
            if state == "lives" and mutant[0] in COVERED:
                state, why = "covered", COVERED[mutant[0]]
            counts[state] += 1
            print(f"{state:8} {mutant[0]:44} {why[:110]}", flush=True)
    print(f"{counts['dead']} dead, {counts['lives']} alive, {counts['covered']} covered twice, {counts['broken']} broken, in {time.time() - began:.0f} s")
    sys.exit(1 if counts["lives"] + counts["broken"] else 0)


if __name__ == "__main__":
    os.environ["CGO_ENABLED"] = "0"
    main()
