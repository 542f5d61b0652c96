# Finds includes against the arrows between the parts of the tree: what each may know is the table below.
#
# Input: first the paths of all headers, from the root of the tree, then lines FILE:LINE:#include "NAME". A name
# belongs to every part that has a header whose path ends in it; an include is wrong when no part that the file
# may know has it and another part does. Public headers of proto belong to a room each, as rooms says.
BEGIN {
    # part: itself and what it may know. The part of a file is the longest that its path begins with.
    knows["core"] = ""
    knows["core/games"] = "core"
    knows["proto/wire"] = "core"
    knows["proto/codec"] = "core proto/wire"
    knows["proto/recording"] = "core proto/wire"
    knows["proto/scene"] = "core"
    knows["proto/scenes"] = ""
    proto = "proto/wire proto/codec proto/recording proto/scene proto/scenes"
    knows["server/session"] = "core proto/wire proto/codec proto/recording"
    knows["server/recorder"] = "core proto/wire proto/recording"
    knows["server/base"] = "core"
    knows["server/http"] = "server/base core"
    knows["server/transport"] = "server/base server/http core proto/wire proto/codec"
    knows["server/include"] = "core proto/scenes"
    knows["server/host"] = "server/include server/base server/http server/transport server/session server/recorder " \
        "core core/games " proto
    knows["client-sample/lib"] = "core proto/wire proto/codec"
    knows["client-sample/uv/transport"] = "core proto/wire proto/codec"
    knows["client-sample/uv"] = "client-sample/uv/transport client-sample/lib core proto/wire proto/codec"
    knows["client-sample/cli"] = "client-sample/uv client-sample/uv/transport client-sample/lib core core/games " \
        "proto/wire proto/codec proto/recording"
    knows["client-sample/web/wasm"] = "client-sample/lib client-sample/replay/compare core core/games proto/wire " \
        "proto/codec proto/recording"
    knows["client-sample/replay/compare"] = "core proto/recording"
    knows["client-sample/replay/render"] = "core proto/wire"
    knows["client-sample/replay"] = "client-sample/replay/compare client-sample/replay/render core core/games " \
        "proto/wire proto/recording proto/scene proto/scenes"

    # The room of each public header of proto: include/isostep/proto/NAME.h
    rooms["compression"] = rooms["crc32c"] = rooms["diff_text"] = rooms["environment"] = rooms["event_text"] = \
        rooms["framing"] = rooms["text"] = rooms["version"] = rooms["wipe"] = "proto/wire"
    rooms["codec"] = rooms["messages"] = "proto/codec"
    rooms["recording"] = "proto/recording"
    rooms["nearest"] = rooms["scene"] = rooms["session_request"] = "proto/scene"
}

function part_of(path,    name) {
    if (path ~ /^proto\/include\//) {
        name = path
        gsub(/^.*\/|[.]h$/, "", name)
        return name in rooms ? rooms[name] : "proto/include"
    }
    while (!(path in knows) && sub(/\/[^\/]*$/, "", path)) {
    }
    return path
}

# Stand-ins for headers of the C library, under its names.
/^[^:]*\/freestanding\/[^:]*$/ {
    next
}

/^[^:]*$/ {
    part = part_of($0)
    if (!(part in knows)) {
        print $0 ": belongs to no part that arrows.awk names"
    }
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
    part = part_of(file)
    if (!(part in knows)) {
        print $0 " in a file of no part that arrows.awk names"
        next
    }
    name = $0
    sub(/^[^<"]*[<"]/, "", name)
    sub(/[>"].*$/, "", name)
    while (sub(/^\.\.?\//, "", name)) {
    }
    if (!(name in parts)) {
        next
    }
    count = split(part " " knows[part], own, " ")
    for (i = 1; i <= count; i++) {
        if (index(parts[name], " " own[i] " ")) {
            next
        }
    }
    print $0 ": " part " knows " (knows[part] == "" ? "itself" : knows[part]) " alone (arrows.awk)"
}
