#!/bin/sh
# Installs the engines from npm beside which `make bench` measures: scripts/peers.sh BUILD
# They go into BUILD/peers. Where npm is missing or cannot load them, this says so and succeeds: the benchmark then leaves those rows out.
set -eu
cd "$(dirname "$0")/.."
folder=$1/peers
mkdir -p "$folder"
cp bench/peers/package.json bench/peers/package-lock.json bench/*/peer_*.mjs "$folder"

leave_out() {
    echo "peers.sh: $*; make bench leaves MuJoCo and Jolt out" >&2
    exit 0
}
command -v node >/dev/null 2>&1 || leave_out "node is missing (Debian: nodejs)"
command -v npm >/dev/null 2>&1 || leave_out "npm is missing (Debian: npm)"
cmp -s bench/peers/package-lock.json "$folder/installed" && exit 0
(cd "$folder" && npm ci --no-audit --no-fund --loglevel=error) || leave_out "npm could not install MuJoCo and Jolt"
cp bench/peers/package-lock.json "$folder/installed"
