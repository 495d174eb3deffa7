#!/bin/bash
# piglit on radeonsi over the emulated chip, beside the same tests on Mesa's software driver:
#
#   tests/piglit.sh [-c CHIP] [-o FOLDER] [-j JOBS] [-t SECONDS] GROUP...        spec@!opengl.1.1 spec@arb_framebuffer_object
#
# A GROUP is piglit's -t: a regular expression over names. Prints the counts of both, by group, and each test that
# llvmpipe passes and the emulated chip does not, with its command. Needs Debian's package piglit.
# Exit status: 0 none of those, 1 some, 2 bad usage, 77 no piglit.
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}"
chip=bonaire out=piglit-results jobs=2 seconds=120
while getopts c:o:j:t: o; do
    case $o in
    c) chip=$OPTARG ;;
    o) out=$OPTARG ;;
    j) jobs=$OPTARG ;;
    t) seconds=$OPTARG ;;
    *) sed -n '4,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '4,9s/^# \{0,1\}//p' "$0"; exit 2; }
command -v piglit >/dev/null || { echo "SKIPPED: no piglit (apt install piglit)"; exit 77; }
atoll=$(realpath "$ATOLL")
mkdir -p "$out"
export MESA_SHADER_CACHE_DISABLE=true PIGLIT_PLATFORM=surfaceless_egl
status=0
for group in "$@"; do
    name=$(printf %s "$group" | tr -c 'a-zA-Z0-9' _)
    run="piglit run -p surfaceless_egl -o -l quiet -j$jobs --timeout $seconds -t $group gpu"
    [ -d "$out/llvmpipe_$name" ] ||
        LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe $run "$out/llvmpipe_$name" >"$out/llvmpipe_$name.log" 2>&1
    "$atoll" run --chip "$chip" -- $run "$out/${chip}_$name" >"$out/${chip}_$name.log" 2>&1
    echo "== $group"
    python3 "$SRCDIR/tests/piglit_compare.py" "$out/llvmpipe_$name" "$out/${chip}_$name" || status=1
done
exit $status
