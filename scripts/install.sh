#!/bin/sh
# Installs the Debian packages of the named groups that are missing: scripts/install.sh build test bench ...
# Says what it installs; needs neither root nor network when nothing is missing.
set -eu

packages() {
    case $1 in
    build) echo "gcc g++ cmake ninja-build pkg-config libjansson-dev libpng-dev zlib1g-dev libsuitesparse-dev" ;;
    test) echo "libcmocka-dev" ;;
    bench) echo "libbullet-dev" ;;
    plots) echo "gnuplot-nox" ;;
    video) echo "ffmpeg" ;;
    calculix) echo "calculix-ccx python3" ;;
    fuzz) echo "clang llvm libclang-rt-14-dev" ;;
    clang) echo "clang" ;;
    web) echo "emscripten nodejs npm dpkg-dev" ;;
    browser) echo "chromium" ;;
    view) echo "libcivetweb-dev" ;;
    *) echo "install.sh: unknown group '$1'; known are build test bench plots video calculix fuzz clang web browser view" >&2; exit 2 ;;
    esac
}

wanted=""
for group in "$@"; do wanted="$wanted $(packages "$group")"; done
missing=""
for package in $wanted; do
    case $package in
    nodejs) command -v node >/dev/null 2>&1 && continue ;; # another packaging of it will do
    npm) command -v npm >/dev/null 2>&1 && continue ;;
    esac
    case "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)" in
    *"install ok installed"*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing packages:$missing (no apt-get here: install their counterparts by hand)" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then root=""
elif command -v sudo >/dev/null 2>&1; then root=sudo
else
    echo "missing packages:$missing; run as root or with sudo: apt-get install$missing" >&2
    exit 1
fi
echo "installing:$missing"
$root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
