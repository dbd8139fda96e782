#!/bin/sh
# Checks the first minute on a new machine, within seconds and without one: every target of `make help`
# - installs its packages in one go, before its first other command, and
# - names the groups of packages of the tools that its commands use;
# and a plain build configures without the packages of the tests and benchmarks, also in a build tree that a target with tests has left behind.
set -eu
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL MFLAGS 2>/dev/null || true
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
wrong() { echo "check-first: $*" >&2 && failed=1; }

# A word of a command, and the groups of which one must have been installed before.
tools='cmake:build
SINEW_TESTS=ON:test
preset asan:test
preset tsan:test
SINEW_BENCH=ON:bench
peers.sh:bench
python3:python
compare.py:python
docs.sh:python
calculix:calculix
readers.py:readers
preset clang:clang,fuzz
fuzz.sh:fuzz
emcc:web
npm:web
node web:web
node test:browser
clang-format:format
format.sh:format
sinew view:view
experiment run:plots'

check_target() { # $1: the target
    make --no-print-directory -n "$1" BUILD="$scratch/new" >"$scratch/commands" 2>"$scratch/errors" ||
        { wrong "make -n $1 fails: $(cat "$scratch/errors")"; return; }
    first=$(head -n 1 "$scratch/commands")
    case $first in
    "scripts/install.sh "*) groups=${first#scripts/install.sh } ;;
    *) wrong "make $1 begins with '$first' and not with scripts/install.sh"; return ;;
    esac
    [ "$(grep -c '^scripts/install.sh' "$scratch/commands")" = 1 ] || wrong "make $1 installs more than once; name all groups in needs-$1"
    scripts/install.sh --list $groups >/dev/null || wrong "make $1 names a group that scripts/install.sh does not know"
    echo "$tools" | while IFS=: read -r word choices; do
        tail -n +2 "$scratch/commands" | grep -q -e "$word" || continue
        for group in $(echo "$choices" | tr , ' '); do
            case " $groups " in *" $group "*) continue 2 ;; esac
        done
        echo "make $1 uses '$word' and does not install the group $choices"
    done >"$scratch/missing"
    [ ! -s "$scratch/missing" ] || wrong "$(cat "$scratch/missing")"
}

targets=$(sed -n 's/^\([a-z-]*\):.*## .*/\1/p' Makefile | grep -v -x -e clean -e help)
for target in $targets; do check_target "$target"; done

# The configure step of a target as make would run it, where pkg-config knows neither cmocka nor Bullet.
cat >"$scratch/pkg-config" <<'END'
#!/bin/sh
case " $* " in *cmocka* | *bullet*) exit 1 ;; esac
exec pkg-config "$@"
END
chmod +x "$scratch/pkg-config"
configure() { # $1: the target
    command=$(make --no-print-directory -n "$1" BUILD="$scratch/build" | grep '^cmake -S')
    PKG_CONFIG="$scratch/pkg-config" sh -c "$command" >"$scratch/log" 2>&1
}
if configure test; then wrong "make test configures without cmocka; the next check would prove nothing"; fi
configure all || wrong "make all does not configure after make test where cmocka is missing: $(tail -n 15 "$scratch/log")"
rm -r "$scratch/build"
configure all || wrong "make all does not configure where cmocka is missing: $(tail -n 15 "$scratch/log")"

[ $failed = 0 ] && echo "the targets install before they configure: $(echo $targets)"
exit $failed
