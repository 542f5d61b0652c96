# The floors of a part of the tree: which of its folders may know which.
#
# `floors` lists the folders: NAME knows itself and all that stand before it, NAME:A,B itself, A and B alone. The files
# of no folder are those of the folder ".".
#
# Input:
#   FILE:LINE:#include "NAME"   below `root`: prints the line and both folders when it runs upwards; `outside` matches
#                               NAMEs of other parts
#   OBJECT: SYMBOL TYPE ...     what nm -A -P prints of the part's objects: prints calls upwards, and at the end the
#                               files that call each other in a circle
BEGIN {
    if (root == "") {
        root = "core/src/"
    }
    if (outside == "") {
        outside = "^isostep/"
    }
    count = split(floors, names, " ")
    for (i = 1; i <= count; i++) {
        is_listed = split(names[i], row, ":") > 1
        floor[row[1]] = 1
        if (is_listed) {
            number = split(row[2], known, ",")
            for (k = 1; k <= number; k++) {
                knows[row[1], known[k]] = 1
            }
        } else {
            for (name in floor) {
                knows[row[1], name] = 1
            }
        }
    }
}

# The part of a path from its library's root on, without what compilers add.
function source(path) {
    sub(/:.*/, "", path)
    sub(/^.*\.dir\//, "", path)
    sub(/^.*src\//, "", path)
    sub("^" root, "", path)
    sub(/\.[ch](\.o(bj)?)?$/, "", path)
    return path
}

# The room: the path's folder as `floors` lists it, or the one above, or the one above that.
function folder(path) {
    while (sub(/\/[^\/]*$/, "", path)) {
        if (path in floor) {
            return path
        }
    }
    return "."
}

function is_upwards(from, to) {
    return from != to && !((from, to) in knows)
}

/#[ \t]*include/ {
    if (index($0, root) != 1) {
        next
    }
    name = $0
    sub(/^[^"]*"/, "", name)
    if (name == $0 || name !~ /\//) {
        next
    }
    sub(/".*$/, "", name)
    if (name !~ outside && is_upwards(folder(source($0)), folder(name))) {
        print $0 ": " folder(source($0)) " knows no " folder(name)
    }
    next
}

$3 == "U" {
    file = source($1)
    files[file] = 1
    wanted[file, $2] = 1
    next
}

$3 ~ /^[A-TV-Z]$/ {
    file = source($1)
    files[file] = 1
    home[$2] = file
}

# Marks what can be reached from a file along calls.
function reach(from, seen,    n, list, i) {
    n = split(calls[from], list, " ")
    for (i = 1; i <= n; i++) {
        if (!(list[i] in seen)) {
            seen[list[i]] = 1
            reach(list[i], seen)
        }
    }
}

END {
    for (pair in wanted) {
        split(pair, part, SUBSEP)
        to = home[part[2]]
        if (to == "" || to == part[1]) {
            continue
        }
        calls[part[1]] = calls[part[1]] " " to
        if (is_upwards(folder(part[1]), folder(to))) {
            print part[1] " calls " part[2] " of " to
        }
    }
    for (file in files) {
        split("", seen)
        reach(file, seen)
        for (other in seen) {
            reaches[file, other] = 1
        }
    }
    for (file in files) {
        size = 0
        circle = ""
        for (other in files) {
            if (((file, other) in reaches) && ((other, file) in reaches)) {
                ++size
                circle = circle " " other
            }
        }
        if (size > 0) {
            print file " is called by what it calls, in the circle of" circle
        }
    }
}
