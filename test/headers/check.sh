#!/bin/sh
# Each public header compiles by itself, as C17 and as C++17, without a warning, with every compiler that is there; and each is part of sinew.h:
#   test/headers/check.sh include
set -eu
include=$1
tried=0
failed=0

# $1: the compiler, the rest: its options
try() {
    command -v "$1" >/dev/null 2>&1 || return 0
    for header in "$include"/sinew/*.h; do
        name=sinew/$(basename "$header")
        # Twice: a header that lacks its guard does not compile.
        printf '#include <%s>\n#include <%s>\nint one_definition;\n' "$name" "$name" |
            "$@" -I"$include" -Wall -Wextra -Wpedantic -Werror -fsyntax-only - || { failed=1; echo "$name does not compile by itself: $*" >&2; }
        tried=$((tried + 1))
    done
}
for compiler in gcc clang; do try $compiler -std=c17 -x c; done
for compiler in g++ clang++; do try $compiler -std=c++17 -x c++; done
[ $tried -gt 0 ] || { echo "no compiler of gcc, clang, g++, clang++ is there" >&2; exit 1; }

for header in "$include"/sinew/*.h; do
    name=$(basename "$header")
    [ "$name" = sinew.h ] || grep -q "#include \"$name\"" "$include/sinew/sinew.h" || { failed=1; echo "sinew.h does not include $name" >&2; }
done
exit $failed
