#!/bin/sh
# Installs the missing Debian packages of the named groups: scripts/install.sh build test ...
# Needs neither root nor network when nothing is missing. Without the right to install it prints one line with the command to run.
#   scripts/install.sh --list build test ...    only prints the packages of the groups
set -eu

packages() {
    case $1 in
    build) echo "gcc g++ cmake ninja-build pkg-config libjansson-dev libpng-dev zlib1g-dev libsuitesparse-dev" ;;
    test) echo "libcmocka-dev" ;;
    format) echo "clang-format-14 git" ;;
    python) echo "python3" ;;
    bench) echo "libbullet-dev nodejs npm" ;;
    plots) echo "gnuplot-nox" ;;
    video) echo "ffmpeg" ;;
    calculix) echo "calculix-ccx" ;;
    readers) echo "python3-meshio python3-vtk9" ;;
    fuzz) echo "clang llvm libclang-rt-14-dev" ;;
    clang) echo "clang" ;;
    web) echo "emscripten nodejs npm dpkg-dev ca-certificates" ;;
    browser) echo "chromium" ;;
    view) echo "libcivetweb-dev" ;;
    *)
        echo "install.sh: unknown group '$1'; known are build test format python bench plots video calculix readers fuzz clang web browser view" >&2
        return 2
        ;;
    esac
}

# Another packaging of a program will do; a library must be Debian's, with its headers.
installed() {
    case $1 in
    nodejs) command -v node >/dev/null 2>&1 && return ;;
    npm | python3 | git) command -v "$1" >/dev/null 2>&1 && return ;;
    esac
    case "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" in
    *"install ok installed"*) return 0 ;;
    *) return 1 ;;
    esac
}

list=no
if [ "${1:-}" = --list ]; then list=yes && shift; fi
wanted=""
for group in "$@"; do
    more=$(packages "$group") || exit
    wanted="$wanted $more"
done
if [ $list = yes ]; then
    echo $wanted # unquoted: one space between packages
    exit 0
fi

# On other systems CMake says what it misses.
command -v dpkg-query >/dev/null 2>&1 || exit 0

missing=""
for package in $wanted; do
    case " $missing " in *" $package "*) continue ;; esac
    installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

# As root, or with a sudo that either asks for no password or can ask for one.
root=""
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        root="sudo"
    else
        echo "packages are missing; install them with: sudo apt-get install$missing" >&2
        exit 1
    fi
fi

echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { $root apt-get update -qq && $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$log"; then
    tail -n 20 "$log" >&2
    echo "packages could not be installed; try: sudo apt-get install$missing" >&2
    exit 1
fi
