#!/bin/sh
# Decoder, disassembler and assembler against LLVM's encodings: about ROWS rows of each generation
# (default 3000; 0: all of them, as `make check-long` does).
set -u
oracle=${SHARED:-}/oracle
: "${ROWS:=3000}"
if [ ! -f "$oracle/check_isa.py" ]; then
    echo "SKIPPED check-isa.sh: no $oracle/check_isa.py"
    exit 77
fi
for tool in python3 zstdcat llvm-mc-19; do
    if ! command -v $tool >/dev/null; then
        echo "SKIPPED check-isa.sh: needs $tool"
        exit 77
    fi
done
exec python3 "$oracle/check_isa.py" --atoll "$ATOLL" --rows "$ROWS"
