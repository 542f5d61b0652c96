# Reads core/SOURCES.md and prints, as FILE NAME LINE, each name that its tables say is in a file. A row is
#
#   | property | `name`, `name` | `file` | remark |        or        | property | not here | | remark |
#
# Prints !LINE: ROW for a row of another form: one that nobody would check. A bar within a cell is written \|.
/^[|]/ {
    row = $0
    gsub(/\\[|]/, "", row)
    count = split(row, cells, /[|]/)
    for (i = 1; i <= count; ++i) {
        gsub(/^ +| +$/, "", cells[i])
    }
    if (row == "| property | here | file | remark |" || row ~ /^[|](-+[|])+$/) {
        next
    }
    if (count != 6 || cells[2] == "" || cells[2] ~ /`/ || cells[5] ~ /`/) {
        print "!" FNR ": " $0
    } else if (cells[3] == "not here" && cells[4] == "") {
        ++rows
    } else if (cells[3] ~ /^`[A-Za-z_][A-Za-z0-9_]*`(, `[A-Za-z_][A-Za-z0-9_]*`)*$/ &&
               cells[4] ~ /^`[A-Za-z0-9_.\/-]+`$/) {
        ++rows
        gsub(/[` ]/, "", cells[3])
        gsub(/`/, "", cells[4])
        names = split(cells[3], each, /,/)
        for (i = 1; i <= names; ++i) {
            print cells[4], each[i], FNR
        }
    } else {
        print "!" FNR ": " $0
    }
}

END {
    if (rows == 0) {
        print "!1: no rows"
    }
}
