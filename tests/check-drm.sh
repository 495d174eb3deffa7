#!/bin/bash
# The fake kernel device and `atoll run`, without any driver: the interface as test_drm uses it, exit statuses,
# captures of programs that end in every way, two programs at once, nothing left behind.
set -u
: "${ATOLL:=./atoll}" "${SRCDIR:=.}"
test_drm=${TEST_DRM:-$(dirname "$ATOLL")/tests/test_drm}
if ! grep -q '^#define HAVE_DRM_H 1' "$(dirname "$ATOLL")/config.h" || [ ! -x "$test_drm" ]; then
    echo "SKIPPED: built without libdrm's headers or Check"
    exit 77
fi
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
# status WANT COMMAND...: the exit status of a command.
status() {
    local want=$1 got
    shift
    timeout 120 "$@" >"$tmp/out" 2>&1
    got=$?
    [ $got = "$want" ] && return
    fail "exit $got, not $want: $*"
    tail -5 "$tmp/out"
}

# The interface.
timeout 300 "$ATOLL" run --log 0 --watchdog 1000000 -- "$test_drm" || fail "test_drm"

# The program's exit status; bad usage.
status 0 "$ATOLL" run -- true
status 7 "$ATOLL" run -- sh -c 'exit 7'
status 143 "$ATOLL" run -- sh -c 'kill -TERM $$'
status 127 "$ATOLL" run -- "$tmp/nosuchprogram"
status 2 "$ATOLL" run
status 2 "$ATOLL" run --chip voodoo2 -- true
status 2 "$ATOLL" run --watchdog ten -- true
status 2 "$ATOLL" run --capture "$tmp/nosuchdir/x" -- true
status 2 env ATOLL_DRM_LIB="$tmp/nosuchlib" "$ATOLL" run -- true
# The private cache, and the caller's own LD_PRELOAD kept.
"$ATOLL" run -- sh -c 'test -d "$XDG_CACHE_HOME" && echo "$XDG_CACHE_HOME"' >"$tmp/cache" || fail "no private cache"
[ ! -e "$(cat "$tmp/cache")" ] || fail "the private cache was left behind"

# Captures: one that ended well, one that was killed, one of a program that left by _exit().
last_word() { # FILE: dword 0 of the data page after a replay
    "$ATOLL" replay --quiet "$1" --dump-memory "0x200000000:4096:$tmp/data" >"$tmp/out" 2>&1 ||
        { fail "replay of $1"; tail -3 "$tmp/out"; return; }
    od -An -tu4 -N4 "$tmp/data" | tr -d ' '
}
status 3 "$ATOLL" run --capture "$tmp/well.gcap" -- "$test_drm" count
[ "$(last_word "$tmp/well.gcap")" = 300 ] || fail "replay of a capture: the count is not 300"
"$ATOLL" run --capture "$tmp/killed.gcap" -- "$test_drm" count wait >"$tmp/said" 2>&1 &
runner=$!
for _ in $(seq 600); do grep -q submitted "$tmp/said" && break; sleep 0.1; done
read -r child _ <"/proc/$runner/task/$runner/children"
kill -KILL $child
wait $runner
[ $? = 137 ] || fail "the status of a killed program"
[ "$(last_word "$tmp/killed.gcap")" = 300 ] || fail "replay of a killed program's capture"
"$ATOLL" capture-info "$tmp/killed.gcap" | grep -q 'submissions: 300' || fail "the killed program's submissions"
# Mappings that come and go; what happened after the last submission is left out.
"$ATOLL" capture-info "$tmp/well.gcap" | grep -q ' 5 map, 2 unmap,' || fail "mappings: $("$ATOLL" capture-info "$tmp/well.gcap" | grep chunks)"
"$ATOLL" replay --quiet "$tmp/well.gcap" --dump-memory "0x200001000:4096:$tmp/data" || fail "replay of a buffer that came"
[ "$(od -An -v -tu4 -w4 "$tmp/data" | sort -nu | tr -s ' \n' ' ')" = " 0 300 " ] ||
    fail "the last of three buffers has what the others had"
# Only what changed is in the file: two pages a submission.
[ "$(stat -c %s "$tmp/well.gcap")" -lt $((300 * 1500)) ] || fail "the capture has $(stat -c %s "$tmp/well.gcap") bytes"

# A capture whose program was cut off in the middle of a chunk.
cp "$tmp/well.gcap" "$tmp/cut.gcap"
truncate -s -40 "$tmp/cut.gcap"
status 2 "$ATOLL" replay --quiet "$tmp/cut.gcap"

# Two programs at once, each with its capture, and two devices of one run.
"$ATOLL" run --log 0 --capture "$tmp/one.gcap" -- "$test_drm" count >/dev/null &
one=$!
status 3 "$ATOLL" run --log 0 --chip polaris10 --capture "$tmp/two.gcap" -- "$test_drm" count
wait $one
[ $? = 3 ] || fail "one of two programs at once"
[ "$(last_word "$tmp/one.gcap")$(last_word "$tmp/two.gcap")" = 300300 ] || fail "two programs at once disturbed each other"
status 3 "$ATOLL" run --log 0 --capture "$tmp/many.gcap" -- sh -c "$test_drm count; $test_drm count"
[ "$(last_word "$tmp/many.gcap")$(last_word "$tmp/many.gcap.2")" = 300300 ] || fail "captures of two processes"

[ $bad = 0 ] && echo "check-drm: ok"
exit $bad
