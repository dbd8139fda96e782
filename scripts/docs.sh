#!/bin/sh
# Writes the tables of the documentation from the command itself: docs.sh SINEW. docs/names.md has every list; docs/mesh-files.md has the table of mesh formats
# between its two marks.
set -eu
sinew=$1
cd "$(dirname "$0")/.."

# "name   text" -> "| `name` | text |"
rows() { sed -nE 's/^  ([^ ]+) +(.*)$/| `\1` | \2 |/p'; }

{
    echo '# Names'
    echo
    echo 'Written by `make docs` from `sinew list`.'
    "$sinew" list kinds | rows | while IFS='`' read -r _ kind text; do
        [ "$kind" != kinds ] || continue
        printf '\n## %s\n%s\n\n| name | what |\n| --- | --- |\n' "$kind" "$(echo "$text" | sed -E 's/^ \| (.*) \|$/\1/')"
        "$sinew" list "$kind" | rows
    done
} > docs/names.md

table=$(mktemp)
{
    printf '| ending | format |\n| --- | --- |\n'
    "$sinew" list formats | rows | sed 's/^| `/| `./'
} > "$table"
sed -i -e '/^<!-- formats -->$/,/^<!-- end of formats -->$/{/^<!--/!d}' -e "/^<!-- formats -->\$/r $table" docs/mesh-files.md
rm "$table"
