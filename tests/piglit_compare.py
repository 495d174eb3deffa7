#!/usr/bin/env python3
"""Two folders of piglit's results: the counts of each, and every test that passes in the first and not in the second.
Exit 1 when there are some. Subtests count as tests."""
import bz2, collections, gzip, json, lzma, os, sys


def load(folder):
    for name, opener in (("results.json", open), ("results.json.bz2", bz2.open), ("results.json.gz", gzip.open),
                         ("results.json.xz", lzma.open)):
        if os.path.exists(f"{folder}/{name}"):
            with opener(f"{folder}/{name}", "rt") as f:
                return json.load(f)["tests"]
    sys.exit(f"{folder}: no results: see {folder}.log")


def results(tests):
    out = {}
    for name, t in tests.items():
        subs = {k: v for k, v in (t.get("subtests") or {}).items() if not k.startswith("__")}
        for sub, r in subs.items():
            out[f"{name}@{sub}"] = r, t
        if not subs:
            out[name] = t["result"], t
    return out


a, b = results(load(sys.argv[1])), results(load(sys.argv[2]))
for title, r in ((sys.argv[1], a), (sys.argv[2], b)):
    counts = collections.Counter(v for v, _ in r.values())
    print(f"{os.path.basename(title)}: " + ", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
bad = [(k, r, t) for k, (r, t) in sorted(b.items()) if a.get(k, ("", 0))[0] == "pass" and r != "pass"]
passed = sum(1 for r, _ in a.values() if r == "pass")
for name, r, t in bad:
    command = t["command"] if isinstance(t["command"], str) else " ".join(t["command"])
    print(f"{r}: {name}: {os.path.basename(command.split()[0])} {' '.join(command.split()[1:])}")
print(f"{passed - len(bad)} of the {passed} that pass in the first")
sys.exit(1 if bad else 0)
