"""Builds the gateway, starts it on a free port of the loopback, and talks to it as the web shop does."""

from __future__ import annotations

import csv
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 20  # for each step; a gateway that hangs is a failure, not a wait


def ask(address: str, method: str, path: str, body: object = None) -> tuple[int, dict]:
    connection = http.client.HTTPConnection(address, timeout=SECONDS)
    try:
        connection.request(method, path, None if body is None else json.dumps(body))
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else {}
    finally:
        connection.close()


def expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, wanted {wanted!r}")
    print(f"ok   {what}")


def vectors(address: str) -> None:
    with open(ROOT / "tariffs" / "vectors.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        parcel = {"zone": row["zone"], **{name: int(row[name]) for name in ("grams", "length", "width", "height")}}
        status, answer = ask(address, "POST", "/quotes", parcel)
        wanted = (422, None) if row["cents"] == "too_heavy" else (201, int(row["cents"]))
        expect(row["name"], (status, answer.get("cents")), wanted)


def life_of_a_quote(address: str) -> None:
    parcel = {"zone": "B", "grams": 6000, "length": 1950, "width": 150, "height": 100}
    status, quote = ask(address, "POST", "/quotes", parcel)
    expect("a quote is made", status, 201)
    expect("and read", ask(address, "GET", "/quotes/" + quote["id"]), (200, quote))
    expect("and removed", ask(address, "DELETE", "/quotes/" + quote["id"]), (204, {}))
    expect("and gone", ask(address, "GET", "/quotes/" + quote["id"])[0], 404)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="parcel-e2e-") as folder:
        program = os.path.join(folder, "gateway")
        subprocess.run(["go", "build", "-buildvcs=false", "-o", program, "./cmd/gateway"], cwd=ROOT / "services" / "gateway", check=True)
        gateway = subprocess.Popen(
            [program, "-listen", "127.0.0.1:0", "-tariff", str(ROOT / "tariffs" / "tariff.csv"), "-burst", "1000"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            line = gateway.stdout.readline()
            expect("it says where it listens", line.startswith("listening on 127.0.0.1:"), True)
            address = line.split()[-1]
            expect("it is well", ask(address, "GET", "/healthz"), (200, {"status": "ok", "zones": ["A", "B", "C", "D"]}))
            vectors(address)
            life_of_a_quote(address)
            gateway.send_signal(signal.SIGTERM)
            expect("it stops when told", gateway.wait(timeout=SECONDS), 0)
        finally:
            if gateway.poll() is None:
                gateway.kill()
                gateway.wait()
            gateway.stdout.close()


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        sys.exit(f"FAIL {error}")
