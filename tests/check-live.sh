#!/bin/bash
# Debian's unmodified Mesa on the emulated chips: RADV and radeonsi run our examples live, the pictures equal those
# of Mesa's software drivers within a rounding, and a replay of the capture gives the same bytes as the run.
# Skipped loudly where the drivers or the examples are not there.
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}"
build=$(dirname "$ATOLL")
skip() {
    echo "SKIPPED: $*"
    exit 77
}
grep -q '^#define HAVE_DRM_H 1' "$build/config.h" || skip "built without libdrm's headers"
[ -x "$build/examples/vk_compute" ] || skip "the Vulkan examples are not built (libvulkan-dev)"
ls /usr/share/vulkan/icd.d/radeon_icd.*.json >/dev/null 2>&1 || skip "no RADV (mesa-vulkan-drivers)"
# The sanitizer's library must be loaded before ours, also into programs that were built without.
asan=$(ldd "$ATOLL" | sed -n 's/.*=> *\([^ ]*libasan[^ ]*\).*/\1/p')
if [ -n "$asan" ]; then
    export LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() {
    echo "FAIL: $*"
    bad=1
}
compare() {
    python3 "$SRCDIR/tests/png_compare.py" "$1" "$2" "$3" >"$tmp/cmp" || fail "$4: $(cat "$tmp/cmp")"
}
# live CHIP PROGRAM ARGS: run it with a capture. 60 s is a hundred times what it takes.
live() {
    local chip=$1
    shift
    rm -f "$tmp/x.gcap"
    timeout 60 "$ATOLL" run --chip "$chip" --capture "$tmp/x.gcap" -- "$@" >"$tmp/out" 2>"$tmp/err" && return
    fail "$chip: $*: status $?"
    tail -5 "$tmp/err"
    return 1
}

# The whole machine without a GPU of its own: only what was installed for Mesa is there.
if command -v vulkaninfo >/dev/null; then
    timeout 60 "$ATOLL" run -- vulkaninfo --summary >"$tmp/out" 2>"$tmp/err"
    grep -q 'deviceName *=.*(RADV BONAIRE)' "$tmp/out" || fail "vulkaninfo does not name the chip"
else
    echo "not tried: vulkaninfo (vulkan-tools)"
fi

reference=
if VK_DEVICE=llvmpipe "$build/examples/vk_triangle" "$tmp/reference.png" >/dev/null 2>&1; then
    reference=$tmp/reference.png
else
    echo "not compared: no lavapipe"
fi
geometry=
if VK_DEVICE=llvmpipe "$build/examples/vk_geometry" "$tmp/geometry.png" >"$tmp/geometry" 2>&1; then
    geometry=$(sed -n 's/.*\(captured .*\); wrote.*/\1/p' "$tmp/geometry")
fi
# One of each generation, and a second of GFX7.
for chip in bonaire tahiti hawaii polaris10 vega10; do
    live $chip "$build/examples/vk_compute" || continue
    grep -q "(RADV ${chip^^}): 1024 of 1024 are right" "$tmp/out" || fail "$chip: vk_compute: $(cat "$tmp/out")"
    live $chip "$build/examples/vk_triangle" "$tmp/live.png" || continue
    [ -z "$reference" ] || compare "$reference" "$tmp/live.png" 1 "$chip: live and lavapipe"
    rm -rf "$tmp/replay"
    "$ATOLL" replay --quiet --strict "$tmp/x.gcap" -o "$tmp/replay" || fail "$chip: replay"
    compare "$tmp/live.png" "$tmp"/replay/color0_*.png 0 "$chip: live and replay"
    # Geometry shaders, tessellation, transform feedback.
    [ $chip != hawaii ] || continue
    live $chip "$build/examples/vk_geometry" "$tmp/live.png" || continue
    [ -z "$geometry" ] || compare "$tmp/geometry.png" "$tmp/live.png" 1 "$chip: vk_geometry live and lavapipe"
    [ -z "$geometry" ] || grep -qF "$geometry" "$tmp/out" || fail "$chip: vk_geometry: $(cat "$tmp/out")"
    rm -rf "$tmp/replay"
    "$ATOLL" replay --quiet --strict "$tmp/x.gcap" -o "$tmp/replay" || fail "$chip: replay of vk_geometry"
    compare "$tmp/live.png" "$tmp"/replay/color0_*.png 0 "$chip: vk_geometry live and replay"
done

# radeonsi, which uses DCC from GFX8 on.
if [ -x "$build/examples/gl_triangle" ] && ls /usr/lib/*/dri/radeonsi_dri.so >/dev/null 2>&1; then
    LIBGL_ALWAYS_SOFTWARE=1 "$build/examples/gl_triangle" "$tmp/reference.png" >/dev/null 2>&1 ||
        fail "gl_triangle on llvmpipe"
    for chip in bonaire tahiti polaris10 vega10; do
        live $chip "$build/examples/gl_triangle" "$tmp/live.png" || continue
        grep -q "($chip, " "$tmp/out" || fail "$chip: gl_triangle ran on $(cat "$tmp/out")"
        compare "$tmp/reference.png" "$tmp/live.png" 1 "$chip: live and llvmpipe"
        "$ATOLL" replay --quiet --strict "$tmp/x.gcap" || fail "$chip: replay of gl_triangle"
    done
else
    echo "not tried: radeonsi (libgl1-mesa-dri, libegl-dev, libgles-dev)"
fi
[ $bad = 0 ] && echo "check-live: ok"
exit $bad
