# The paths of the table in the section "Files to touch to add X" of a document: ROW|HOW|PATH, with HOW
#   must  of the second column
#   may   of its parts, between semicolons, that say "if"
#   then  of the third column
# and ROW|row| for each row. A path begins with a folder of the tree, or is a document beside them.
/^#/ {
    if ($0 ~ /^## /) {
        within = $0 == "## Files to touch to add X"
    }
}
within && /^[|] / && !/^[|] to add / {
    count = split($0, cells, / *[|] */)
    row = cells[2]
    print row "|row|"
    parts = split(cells[3], part, /;/)
    for (i = 1; i <= parts; ++i) {
        tell(part[i], part[i] ~ /(^| )if / ? "may" : "must")
    }
    for (i = 4; i <= count; ++i) {
        tell(cells[i], "then")
    }
}
function tell(text, how, path) {
    while (match(text, /`[^`]*`/)) {
        path = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        if (path ~ /^(core|proto|server|client-sample|tests)\/[A-Za-z0-9_.\/-]*$/ || path == "README.md") {
            print row "|" how "|" path
        }
    }
}
