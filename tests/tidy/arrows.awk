# Finds includes that run against the arrows core <- proto <- server, client-sample.
#
# Input: first the paths of all headers, from the root of the tree, then lines FILE:LINE:#include "NAME". A name
# belongs to every part that has a header whose path ends in it; an include is wrong when no part that the file
# may use has it and another part does.
BEGIN {
    allowed["core"] = "core"
    allowed["proto"] = "core proto"
    allowed["server"] = "core proto server"
    allowed["client-sample"] = "core proto client-sample"
    shared["isostep/scenes.h"] = 1 # data that both link
}

/^[^:]*$/ {
    part = $0
    sub(/\/.*/, "", part)
    for (path = $0; ; path = substr(path, slash + 1)) {
        parts[path] = parts[path] " " part " "
        slash = index(path, "/")
        if (slash == 0) {
            break
        }
    }
    next
}

{
    file = $0
    sub(/:.*/, "", file)
    part = file
    sub(/\/.*/, "", part)
    name = $0
    sub(/^[^<"]*[<"]/, "", name)
    sub(/[>"].*$/, "", name)
    while (sub(/^\.\.?\//, "", name)) {
    }
    if (!(name in parts) || name in shared || !(part in allowed)) {
        next
    }
    count = split(allowed[part], own, " ")
    for (i = 1; i <= count; i++) {
        if (index(parts[name], " " own[i] " ")) {
            next
        }
    }
    print $0
}
