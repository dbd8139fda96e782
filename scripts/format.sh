#!/bin/sh
# Lays out the tracked C files with clang-format, or with --check names those that it would change and fails.
# Other versions of clang-format lay out differently, so version 14 (of Debian 12) is the only one.
set -eu
cd "$(dirname "$0")/.."

for program in clang-format-14 clang-format; do
    case "$($program --version 2>/dev/null || true)" in
    *"version 14."*) break ;;
    *) program="" ;;
    esac
done
if [ -z "$program" ]; then
    echo "clang-format 14 is missing; install it with: sudo apt-get install clang-format-14" >&2
    exit 1
fi

if [ "${1:-}" != --check ]; then
    git ls-files -z '*.c' '*.h' | xargs -0 "$program" -i
    exit 0
fi
if ! report=$(git ls-files -z '*.c' '*.h' | xargs -0 "$program" --dry-run -Werror 2>&1); then
    wrong=$(echo "$report" | sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error: .*/\1/p' | sort -u)
    printf 'not laid out as clang-format does it (`make format` mends them):\n%s\n' "${wrong:-$report}" >&2
    exit 1
fi
