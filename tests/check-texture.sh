#!/bin/bash
# Texture units of all generations, live: examples/vk_texture on RADV and the emulated chips, against Mesa's software
# driver. Every sampled format, image type, address mode and filter that Vulkan's compute shaders reach.
# Skipped loudly where the drivers or the example are not there.
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}"
build=$(dirname "$ATOLL")
skip() {
    echo "SKIPPED: $*"
    exit 77
}
grep -q '^#define HAVE_DRM_H 1' "$build/config.h" || skip "built without libdrm's headers"
[ -x "$build/examples/vk_texture" ] || skip "the Vulkan examples are not built (libvulkan-dev)"
ls /usr/share/vulkan/icd.d/radeon_icd.*.json >/dev/null 2>&1 || skip "no RADV (mesa-vulkan-drivers)"
asan=$(ldd "$ATOLL" | sed -n 's/.*=> *\([^ ]*libasan[^ ]*\).*/\1/p')
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# The reference without its shortcuts: blending between levels in part of the range, lengths of footprints by a sum.
VK_DEVICE=llvmpipe GALLIVM_PERF=no_brilinear,no_rho_approx,no_quad_lod \
    timeout 300 "$build/examples/vk_texture" "$tmp/reference" >/dev/null 2>&1 || skip "no lavapipe"
if [ -n "$asan" ]; then
    export LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
fi
bad=0
for chip in tahiti bonaire polaris10 vega10; do
    if ! timeout 300 "$ATOLL" run --chip $chip -- "$build/examples/vk_texture" "$tmp/chip" >"$tmp/out" 2>&1; then
        echo "FAIL: $chip: examples/vk_texture"
        tail -5 "$tmp/out"
        bad=1
        continue
    fi
    if grep 'not modelled' "$tmp/out"; then
        echo "FAIL: $chip: something is not modelled"
        bad=1
    fi
    echo "$chip:"
    LD_PRELOAD='' python3 "$SRCDIR/tests/texture_compare.py" "$tmp/reference" "$tmp/chip" || bad=1
done
[ $bad = 0 ] && echo "check-texture: ok"
exit $bad
