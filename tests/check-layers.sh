#!/bin/sh
# Includes may only point down. Each line below: a folder, and the folders it may include from.
set -u
top=${1:-${SRCDIR:-.}}
cd "$top" || exit 2
bad=0
check() {
    dir=$1; shift
    allowed=" $dir $* "
    [ -d "$dir" ] || return 0
    for f in $(find "$dir" -name '*.[ch]' -o -name '*.def' -o -name '*.inc'); do
        for inc in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$f"); do
            case $inc in
            config.h) continue ;;
            */*) d=${inc%%/*} ;;
            *) continue ;;
            esac
            case $allowed in
            *" $d "*) ;;
            *) echo "$f: includes $inc: $dir/ may not see $d/"; bad=1 ;;
            esac
        done
    done
}
check base
check mem base
check regs base
check pm4 base mem regs
check isa base mem regs
check jit base mem regs isa
check cu base mem regs isa jit
check raster base mem regs
check emu base mem regs pm4 isa jit cu raster
# The programs are clients of the public interface; the table printers also read the databases.
check drm base emu
check examples base mem regs pm4 isa emu
check tools base mem regs pm4 isa raster emu
[ $bad = 0 ] && echo "check-layers: ok"
exit $bad
