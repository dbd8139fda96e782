#!/bin/sh
# Writes names.md and api.md into a folder, or with --check compares the folder's with those that it would write:
#   scripts/docs.sh build/sinew docs [--check]
set -eu
here=$(dirname "$0")
command=$1 folder=$2 check=${3:-}

names() {
    echo '# Names'
    echo
    echo 'Written by `make docs` from `sinew list`.'
    "$command" list | sed -E 's/^([a-z].*)$/\n## \1\n| name | what |\n| --- | --- |/; s/^  ([^ ]+) +(.*)$/| `\1` | \2 |/'
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
names >"$out/names.md"
python3 "$here/api.py" "$here"/../include/sinew/*.h >"$out/api.md"

if [ "$check" = --check ]; then
    status=0
    for file in names.md api.md; do
        diff -u "$folder/$file" "$out/$file" || { status=1; echo "$folder/$file is not up to date; \`make docs\` writes it" >&2; }
    done
    exit $status
fi
cp "$out/names.md" "$out/api.md" "$folder"
echo "$folder/names.md $folder/api.md"
