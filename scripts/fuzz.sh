#!/bin/sh
# Runs each libFuzzer target for the given number of seconds, starting from the seeds in test/fuzz/seeds. A crash ends it with the input's name.
set -eu
seconds=${1:-60}
cmake --preset fuzz
cmake --build --preset fuzz -j "$(nproc)"
for target in build-fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    kind=$(basename "$target" | sed 's/^fuzz_//')
    mkdir -p "build-fuzz/corpus-$kind"
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -artifact_prefix="build-fuzz/$kind-" "build-fuzz/corpus-$kind" "test/fuzz/seeds/$kind"
done
