#!/bin/sh
# Everything on a fresh Debian 12 machine:
#   ./bootstrap.sh demo    install packages, build, replay a shipped capture to a PNG and counters
#   ./bootstrap.sh check   install packages, build, pass the tests
#   ./bootstrap.sh deps    only install the packages
#   ./bootstrap.sh build   only build (no packages)
set -eu
cd "$(dirname "$0")"

build_packages="gcc make autoconf automake libtool pkg-config libzstd-dev libpng-dev zlib1g-dev libjansson-dev libdrm-dev libelf-dev libmsgpack-dev libyaml-dev"
test_packages="check zstd python3 llvm-19 clang-19 lld-19 rocm-device-libs"

deps() {
    command -v dpkg-query >/dev/null || { echo "bootstrap.sh: this is for Debian; see README.md for the list of libraries" >&2; exit 2; }
    missing=
    for p in $build_packages $test_packages; do
        dpkg-query -W -f '${Status}\n' "$p" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $p"
    done
    [ -z "$missing" ] && return
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    echo "bootstrap.sh: installing$missing"
    $sudo apt-get update -q
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}

build() {
    [ -x configure ] || { mkdir -p m4; autoreconf -fi; }
    [ -f config.status ] || ./configure --enable-werror
    make -j"$(nproc)"
}

case ${1:-} in
deps) deps ;;
build) build ;;
check) deps; build; make -j"$(nproc)" check ;;
demo)
    deps
    build
    ./atoll replay testvectors/replay/triangle/capture.gcap -o demo
    echo
    echo "The triangle is in $(ls demo/color0_*.png), the counters in demo/counters.json."
    ;;
*) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
