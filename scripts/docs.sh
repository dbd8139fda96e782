#!/bin/sh
# Writes the generated pages into a folder, or with --check compares the folder's pages with those that it would write:
#   scripts/docs.sh build/sinew docs [--check]
# names.md has every list of `sinew list`; scene-keys.md has `sinew list options`; mesh-files.md has the table of mesh formats between its two marks; api.md comes from the headers.
set -eu
here=$(dirname "$0")
command=$1 folder=$2 check=${3:-}

# "  name   text" -> "| `name` | text |"
rows() { sed -nE 's/^  ([^ ]+) +(.*)$/| `\1` | \2 |/p'; }

names() {
    echo '# Names'
    echo
    echo 'Written by `make docs` from `sinew list`.'
    "$command" list kinds | rows | while IFS='`' read -r _ kind text; do
        [ "$kind" != kinds ] || continue
        printf '\n## %s\n%s\n\n| name | what |\n| --- | --- |\n' "$kind" "$(echo "$text" | sed -E 's/^ \| (.*) \|$/\1/')"
        "$command" list "$kind" | rows
    done
}

mesh_files() {
    {
        printf '| ending | format |\n| --- | --- |\n'
        "$command" list formats | rows | sed 's/^| `/| `./'
    } >"$out/table"
    sed -e '/^<!-- formats -->$/,/^<!-- end of formats -->$/{/^<!--/!d}' -e "/^<!-- formats -->\$/r $out/table" "$folder/mesh-files.md"
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
names >"$out/names.md"
mesh_files >"$out/mesh-files.md"
"$command" list options >"$out/scene-keys.md"
python3 "$here/api.py" "$here"/../include/sinew/*.h >"$out/api.md"

status=0
for file in names.md mesh-files.md scene-keys.md api.md; do
    if [ "$check" = --check ]; then
        diff -u "$folder/$file" "$out/$file" || { status=1; echo "$folder/$file is not up to date; \`make docs\` writes it" >&2; }
    else
        cp "$out/$file" "$folder/$file"
        echo "$folder/$file"
    fi
done
exit $status
