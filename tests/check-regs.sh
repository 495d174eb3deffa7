#!/bin/sh
# The register database against Mesa's, for one chip of each generation: nothing wrong, nothing missing.
set -u
oracle=$SHARED/oracle
if [ ! -f "$oracle/check_regs.py" ] || ! command -v python3 >/dev/null; then
    echo "SKIPPED check-regs.sh: needs python3 and $oracle/check_regs.py"
    exit 77
fi
bad=0
while read -r chip json; do
    python3 "$oracle/check_regs.py" --atoll "$ATOLL" --chip "$chip" --json "$json" || bad=1
done <<EOF
tahiti gfx6
bonaire gfx7
polaris10 gfx8
vega10 gfx9
EOF
exit $bad
