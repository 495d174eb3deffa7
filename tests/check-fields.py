#!/usr/bin/env python3
"""Every field of the graphics blocks' registers is read by the emulator, reported when a draw sets it, or listed in
docs/register-fields.txt with the reason why it does not matter."""
import fnmatch, glob, os, re, subprocess, sys

top = os.environ.get("SRCDIR", ".")
atoll = os.environ.get("ATOLL", "./atoll")
BLOCKS = ["DB_*", "CB_*", "PA_*", "VGT_*", "SPI_*", "SX_*", "IA_*", "TA_BC*", "TA_CS_BC*"]
# Counters and the blocks' debug windows are no state of a draw.
LEFT_OUT = re.compile(r"PERFCOUNTER|PERFMON|DEBUG|_SCRATCH|CGTT")

source = ""
for folder in ("raster", "emu", "cu"):
    for f in sorted(glob.glob(f"{top}/{folder}/*.[ch]")):
        source += open(f).read()


def family(register):
    """Registers of an array are one: CB_COLOR3_INFO, PA_CL_UCP_2_X."""
    return re.sub(r"\d+", "#", register)


named = {(family(r), f) for r, f in re.findall(r"\bF_([A-Z]\w*?)__(\w+)", source)}
for a, b, c in re.findall(r"\b(?:F|FI|ROW)\(([^,()]*),\s*(\w+)(?:,\s*(\w+))?\)", source):
    named |= {(family(a), b), (family(b), c)}
whole = {family(r) for r in re.findall(r"\bR_([A-Z]\w*)\b", source)}
whole |= {family(r) for r in re.findall(r"\bREGFI?\((\w+)", source)}

listed = []
for n, line in enumerate(open(f"{top}/docs/register-fields.txt"), 1):
    if line.strip() and not line.startswith("#"):
        kind, pattern, why = line.split(None, 2)
        if kind not in ("read", "none"):
            sys.exit(f"docs/register-fields.txt:{n}: '{kind}'")
        listed.append([n, pattern, 0])

fields = 0
silent = {}
for gen in ("gfx6", "gfx7", "gfx8", "gfx9"):
    out = subprocess.run([atoll, "regs", "--chip", gen, "--tsv"] + BLOCKS, capture_output=True, text=True)
    for line in out.stdout.splitlines():
        register, _, field, _, _ = line.split("\t")
        if LEFT_OUT.search(register):
            continue
        fields += 1
        f = family(register)
        # An element of an array is reached from the first: PA_CL_UCP_0_X, PA_SC_VPORT_ZMIN_0.
        if (f, field) in named or (field == "-" and (f in whole or re.sub(r"_#$", "", f) in whole)):
            continue
        hits = [row for row in listed if fnmatch.fnmatchcase(f"{register}.{field}", row[1])]
        for row in hits:
            row[2] += 1
        if not hits:
            silent.setdefault(f"{register}.{field}", []).append(gen)
bad = 0
for name, gens in silent.items():
    print(f"neither read, reported nor listed: {name} ({' '.join(gens)})")
    bad = 1
for n, pattern, hits in listed:
    if not hits:
        print(f"docs/register-fields.txt:{n}: {pattern}: no field needs this line")
        bad = 1
if not fields:
    sys.exit("no registers")
print(f"{fields} fields of registers, {len(silent)} silent")
sys.exit(bad)
