#!/bin/sh
# Fetches Debian's source package of jansson into FOLDER and unpacks it: web/jansson.sh FOLDER. A private list of package sources is used, made
# from the system's own, which stays as it is.
set -eu
folder=$1
[ -f "$folder/jansson/src/jansson.h" ] && exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/parts"
folder=$(cd "$folder" && pwd)
# The same archives as the system's, for source packages.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >>"$folder/apt/parts/source.list"
done
for list in /etc/apt/sources.list.d/*.sources; do
    [ -f "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$folder/apt/parts/$(basename "$list")"
done
apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/apt/parts" -o Dir::State::lists="$folder/apt/lists" \
        -o APT::Sandbox::User=root "$@"
}
echo "fetching the source of jansson"
apt update
(cd "$folder" && apt source --only-source jansson >/dev/null 2>"$folder/apt/log" || { cat "$folder/apt/log" >&2; exit 1; })
mv "$folder"/jansson-[0-9]* "$folder/jansson"
# What its configure would write; wasm32 with clang has all of it.
sed -e 's/@json_inline@/inline/' -e 's/@json_have_long_long@/1/' -e 's/@json_have_localeconv@/1/' -e 's/@json_have_atomic_builtins@/1/' \
    -e 's/@json_have_sync_builtins@/1/' "$folder/jansson/src/jansson_config.h.in" >"$folder/jansson/src/jansson_config.h"
: >"$folder/jansson/src/jansson_private_config.h"
