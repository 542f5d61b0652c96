#!/bin/sh
# The bans of this codebase, enforced on its text and on what was built from it.
#
#   tidy.sh source ROOT                  what the text of the sources may hold
#   tidy.sh format ROOT                  the C files stand as .clang-format says (CLANG_FORMAT, version 14)
#   tidy.sh headers ROOT                 public headers compile alone, as C17 and as C++17 (CC, CXX)
#   tidy.sh objects CORE ARCHIVE...      what the static libraries may hold and refer to
#   tidy.sh names ARCHIVE...             what installed libraries may add to a program's names
#   tidy.sh unused ROOT OBJECT...        external functions that no other file of the product uses
#   tidy.sh calls PART OBJECT...         which files of a part of the tree (core, session and so on) may call which
#   tidy.sh --self-test                  plants a violation of each rule and wants to see it found
#
# Prints one line per violation, RULE: PLACE, and exits with 1 when there is any.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Notes the violations that stand on standard input under the name of a rule.
report() {
    sed "s|^|$1: |" >> "$work/violations"
}

# Ends with 1 and all violations when there are any.
finish() {
    if [ -s "$work/violations" ]; then
        cat "$work/violations"
        exit 1
    fi
    exit 0
}

# The lines of the C files below the given folders whose code matches the pattern.
code() {
    pattern=$1
    shift
    find "$@" -name '*.[ch]' 2> /dev/null | sort | xargs -r awk -v pattern="$pattern" -f "$here/strip.awk"
}

# A pattern for whole words: what stands before and after is no part of an identifier.
words() {
    printf '(^|[^A-Za-z0-9_])(%s)([^A-Za-z0-9_]|$)' "$1"
}

# The folders of the core, each of which knows those before it; and those of other parts. See floors.awk.
proto_floors='wire: generated: codec:wire,generated recording:wire scene:'
replay_floors='render: compare: .:render,compare'
uv_floors='transport: .:transport'
server_floors='base transport host/watch host/recordings host/start host/sessions host/peers host/web host'
core_floors='base simd math symbolic world solver state step'
for wing in plane space; do
    # A wing's rooms know the ground floor and the wing's rooms before them, never the other wing.
    known=base,simd,math,symbolic,world,solver,state,step
    for room in collide world query joint compound command dynamics snapshot draw; do
        core_floors="$core_floors $wing/$room:$known,$wing/$room"
        known=$known,$wing/$room
    done
    core_floors="$core_floors $wing:$known,$wing"
done
core_floors="$core_floors command border"
# The border calls public functions of the wings, but includes nothing of their rooms: it names their tables alone.
core_includes="${core_floors% border} border:base,simd,math,symbolic,world,solver,state,step,plane,space"

# ---- source --------------------------------------------------------------------------------------

check_source() {
    cd "$1" || exit 2
    pure="server/session server/recorder client-sample/lib"

    # The one header that makes integers of the literals in users' programs has to name these literals' type. Whoever
    # used it in the core for anything else would be found by the literal, and by the instructions of the objects.
    {
        code "$(words 'float|double|_Float[0-9]+x?|_Complex|__float128|(FLT|DBL|LDBL)_[A-Z_]+|FP_[A-Z]+')" core
        code '(^|[^A-Za-z0-9_.])([0-9]+[.][0-9]*|[.][0-9]+|[0-9]+[eE][-+]?[0-9]+)' core
    } | grep -v '^core/include/isostep/literal[.]h:' | report 'no floating point in core'
    code '#[ \t]*include[ \t]*[<"](math|float|fenv|complex|tgmath)[.]h' core | report 'no floating point in core'

    code '#[ \t]*include[ \t]*[<"](libfixmath/|fixmath[.]h|fix16[.]h|fract32[.]h|uint32[.]h)' \
        core proto server client-sample |
        grep -v '^core/src/math/fixmath[.]c:' | report 'only core/src/math/fixmath.c includes libfixmath'
    code '#[ \t]*include[ \t]*[<"](protobuf-c/|.*[.]pb-c[.]h)' core proto server client-sample |
        grep -v '^proto/codec/' | report 'only proto/codec includes protobuf-c'

    {
        find core proto server client-sample -name '*.h' 2> /dev/null | sort
        code '#[ \t]*include' core proto server client-sample
    } | awk -f "$here/arrows.awk" | report 'an include against the arrows between the parts of the tree'

    code '#[ \t]*include' core/src | awk -v floors="$core_includes" -f "$here/floors.awk" |
        report 'an include of the core against its floors, core_floors in tidy.sh'
    code '#[ \t]*include' server/base server/transport server/host |
        awk -v floors="$server_floors" -v root=server/ -v outside='^(isostep|http|session|recorder)/' \
            -f "$here/floors.awk" |
        report 'an include of the server against its floors, server_floors in tidy.sh'

    {
        code "$(words 'uv_tcp_[a-z]+|IPPROTO_TCP|TCP_[A-Z_]+')" server client-sample
        code '#[ \t]*include[ \t]*<netinet/tcp[.]h>' server client-sample
        # A client has no other sockets.
        code "$(words 'SOCK_[A-Z]+|(uv_)?(free|get)?addrinfo|uv_getaddrinfo_t|uv_(stream|connect|shutdown|write)_t')" \
            client-sample
        code '#[ \t]*include[ \t]*<(sys/socket|netdb|netinet/in|arpa/inet|poll)[.]h>' client-sample
    } | grep -vE '^(server|client-sample/uv)/transport/tcp' |
        report 'what goes over TCP only a transport knows'
    # It is given listeners and streams (transport/stream.h), and picks a transport in transport/transport.h.
    {
        code "$(words 'iso__tcp_[a-z_]*')" server/host
        code '(->|[.])tcp([.]|->)|#[ \t]*include[ \t]*"transport/tcp[a-z_]*[.]h"' server/host
    } | report 'nothing in host depends on TCP'

    # Signals of the process are its first thread's: these two block them in the threads that they make.
    code "$(words 'pthread_create|uv_thread_create[a-z_]*|thrd_create')" core server client-sample |
        grep -vE '^(server/base/thread|core/threads/threads)[.]c:' |
        report 'a thread is made by iso__thread_start of server/base/thread.h, which blocks its signals'

    # What works with any world: the border calls the kernel, the rest the border. What a client shows has a dimension.
    space='iso_vec2|iso_vec2_wide|iso_(body|shape|joint)_(def|view|params|create|get|set|next)[a-z_]*'
    space="$space|iso_query3?_[a-z_]*|iso__(plane|space)_[a-z_]*|body_derived|shape_derived"
    above='core/src/base core/src/state core/src/border server/session server/recorder'
    {
        code "$(words "$space")" $above core/src/world/slots.c client-sample/lib
        code '(->|[.])(bodies|shapes|joints|contacts|gravity)([^A-Za-z0-9_]|$)' $above client-sample/lib
    } | grep -vE '^client-sample/lib/((places|poses)3?[.][ch]|include/)' |
        grep -vE '^core/src/(state/snapshot_check|border/kernels)[.]' |
        report 'no place, shape or joint above the border of a world'

    # What is below the wings knows bodies, shapes, joints and contacts by their ids alone.
    code "$(words 'iso__(plane|space)(_[a-z0-9_]*)?|ISO__(PLANE|SPACE)_[A-Z0-9_]*')" core/src/base core/src/math \
        core/src/simd core/src/symbolic core/src/world core/src/solver core/src/state core/src/step |
        report 'what stands below the wings names nothing of them'

    code '#[ \t]*include[ \t]*<' $pure |
        grep -vE '<((float|iso646|limits|stdalign|stdarg|stdbool|stddef|stdint|stdnoreturn|string)[.]h)>' |
        report 'session, recorder and client library include freestanding headers and string.h only'

    calls='clock|clock_gettime|time|gettimeofday|localtime|gmtime|nanosleep|usleep|sleep|rand|rand_r|srand|random'
    calls="$calls|srandom|drand48|getrandom|getentropy|arc4random[a-z_]*|__rdtsc|__builtin_ia32_rdtsc"
    calls="$calls|__builtin_readcyclecounter|uv_hrtime|uv_now"
    code "(^|[^A-Za-z0-9_.>])($calls)[ \t]*[(]" core $pure | report 'no clock, time or random numbers from outside'
    code "$(words '__TIME__|__DATE__|__TIMESTAMP__')" core $pure |
        report 'no clock, time or random numbers from outside'
    code '#[ \t]*include[ \t]*[<"](time|sys/time|sys/random)[.]h' core $pure |
        report 'no clock, time or random numbers from outside'

    # Progress lines move a terminal's cursor on purpose, and hold numbers alone.
    code '(^|[^A-Za-z0-9_])v?fprintf[ \t]*[(][ \t]*(stderr|$)' client-sample/cli client-sample/replay |
        grep -vE '^client-sample/(cli/summary|replay/progress)[.]c:' | report 'messages go through iso_print'

    # npm writes whence a package came into its lock file, unless .npmrc forbids it.
    find . -name node_modules -prune -o -name build -prune -o -name package-lock.json -print | sort |
        while read -r lock; do
            grep -nE '"resolved"[ \t]*:' "$lock" | cut -d: -f1 | sed "s|^|${lock#./}:|"
            grep -qx 'omit-lockfile-registry-resolved=true' "${lock%/*}/.npmrc" 2> /dev/null ||
                echo "${lock#./}:1: without .npmrc"
        done | report 'a lock file of npm holds no addresses'

    # A path that a document names is there. Of NAME.c, which is to be made, the folder counts.
    documents README.md .github core proto server client-sample tests docker |
        while read -r document; do
            {
                grep -oE '`([.]github|core|proto|server|client-sample|tests|docker)/[A-Za-z0-9_./-]*`' "$document" |
                    tr -d '`' | sed 's|[^/]*NAME[^/]*$||'
                grep -oE '\]\([^)#:]+[)#]' "$document" | sed "s|^](\(.*\)[)#]$|$(dirname "$document")/\1|"
            } | sort -u | while read -r path; do
                [ -e "$path" ] || echo "$document: $path"
            done
        done | report 'what a document names exists'
    # Of a file whose folder is left out, or a part of it, the end counts: `dynamics/step.c`. Capitals stand for others.
    find core proto server client-sample tests docker -name node_modules -prune -o -type f -print 2> /dev/null \
        > "$work/all"
    documents README.md .github core proto server tests |
        while read -r document; do
            grep -oE '`[a-z0-9_.-]+(/[a-z0-9_.-]+)*[.](c|h|sh|awk|mjs|proto|cmake)`' "$document" | tr -d '`' |
                sed 's|^[.][.]/||' | sort -u | sed "s|^|$document |"
        done | awk '
            FNR == NR {
                path = "/" $0
                for (at = 1; at <= length(path); ++at) {
                    if (substr(path, at, 1) == "/") ends[substr(path, at + 1)] = 1
                }
                next
            }
            !($2 in ends) { print $1 ": " $2 }' "$work/all" - | report 'what a document names exists'

    # Who adds a thing is told each file that it needs.
    if [ -e tests/tidy/recipes.txt ]; then
        sh "$here/recipes.sh" . core/ARCHITECTURE.md tests/tidy/recipes.txt |
            report 'a recipe names the files of its thing'
    fi

    # Who looks up what changed finds the versions of now. FILE NUMBER TEXT: the line of the document that has them.
    changes=.github/CHANGELOG.md
    if [ -e "$changes" ]; then
        {
            sed -n 's/^#define ISO_PROTOCOL_VERSION \([0-9]*\).*/\1 protocol/p' proto/include/isostep/proto/version.h
            sed -n 's/^version \([0-9]*\)$/\1 simulation in the plane/p' tests/golden/roots.txt
            sed -n 's/^version \([0-9]*\)$/\1 simulation in space/p' tests/golden/roots3.txt
        } 2> /dev/null | while read -r number name; do
            grep -q "^| $name | $number |" "$changes" || echo "$changes: $name $number is not in the table of versions"
            awk -v title="### $name" -v row="| $number |" '
                /^#/ { within = tolower($0) == tolower(title) }
                within && index($0, row) == 1 { found = 1 }
                END { exit !found }' "$changes" || echo "$changes: $name $number has no row of its own"
        done
    fi | report 'the versions of now stand in the list of changes'

    # The stages of a step are one list: the document names those, in their order.
    if [ -e core/include/isostep/world.h ] && grep -q ISO_PROFILE_STAGE_LIST core/include/isostep/world.h; then
        sed -n '/define ISO_PROFILE_STAGE_LIST/,/[^\\]$/s/^ *X(\([a-z_]*\), ".*/\1/p' \
            core/include/isostep/world.h > "$work/stages"
        sed -n '/^| stage | /,/^$/s/^| `\([a-z_]*\)` | .*/\1/p' core/ARCHITECTURE.md | cmp -s - "$work/stages" ||
            echo "core/ARCHITECTURE.md: the rows of its table of stages have to be $(tr '\n' ' ' < "$work/stages")" |
            report "the stages of a step are those of ISO_PROFILE_STAGE_LIST"
    fi

    # What the page of source documents says is in a file, is in its code.
    if [ -e core/SOURCES.md ]; then
        awk -f "$here/sources.awk" core/SOURCES.md > "$work/named"
        cut -d' ' -f1 "$work/named" | grep -v '^!' | sort -u | while read -r file; do
            [ ! -e "$file" ] || case $file in
            *.[ch]) awk -v pattern=. -f "$here/strip.awk" "$file" | sed 's|^[^:]*:[0-9]*:||' ;;
            *) cat "$file" ;;
            esac | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u | sed "s|^|$file |"
        done > "$work/words"
        awk '
            FILENAME ~ /words$/ { is_there[$1 " " $2] = 1; next }
            /^!/ { print "core/SOURCES.md:" substr($0, 2); next }
            !(($1 " " $2) in is_there) { print "core/SOURCES.md:" $3 ": " $2 " in " $1 }' "$work/words" "$work/named" |
            report 'a name of a source document is in its file'
    fi
    # The sign is none of the fifteen.
    text 'Q16[.]16|Q32[.]32' | grep -v '^tests/tidy/' | report 'a format is called Q15.16 or Q31.32'
    text '^(<{7}|>{7}|[|]{7}) ' | report 'a merge was not finished'
    [ "$(cat README.md 2> /dev/null | wc -l)" -le 150 ] || echo README.md | report 'README.md has at most 150 lines'

    # Where functions that other files call say what they take for granted. What has nothing to say is listed, with why.
    asserting="server/session server/recorder server/base server/transport server/http server/host
        proto/codec proto/wire proto/recording client-sample/lib client-sample/uv"
    exempt=$(sed -n 's|^\(core/[^ #]*\).*|\1|p' tests/tidy/assertions.txt 2> /dev/null)
    silent='a function that others give a pointer or an index asserts more than that it is not NULL'
    silent="$silent, or stands in tests/tidy/assertions.txt"
    find core/src/solver core/src/step core/src/plane/joint core/src/plane/dynamics core/src/space/joint \
        core/src/space/dynamics -name '*.[ch]' 2> /dev/null | sort |
        xargs -r awk -v internal=1 -v exempt="$exempt" -f "$here/assertions.awk" | report "$silent"
    exempt=$(sed -n '/^core/d; s|^\([^ #][^ ]*\).*|\1|p' tests/tidy/assertions.txt 2> /dev/null)
    find $asserting -name '*.[ch]' 2> /dev/null | sort |
        xargs -r awk -v exempt="$exempt" -f "$here/assertions.awk" | report "$silent"

    place='[*]?[A-Za-z_][A-Za-z0-9_]*((->|[.])[A-Za-z0-9_]+|\\[[^]]*\\])*'
    code "^[ \t]*$place([+][+]|--)[;,]|for .*[;,] $place([+][+]|--)([)]|, )" core proto server client-sample tests |
        report 'a count goes up by ++i, not by i++'

    # A field reads as a statement about what has it. Options and the switches of a definition carry the name that users
    # write.
    switches='json|interpolate|help|version|list|verbose|verify|force|follow|salvage|keep_roots|overlay|no_grid|png'
    switches="$switches|allow_plaintext|allow_unlocked|limit_loopback|collide_connected|enabled"
    switches="$switches|(limit|motor|spring|sleep)_enabled|remove|remove_on_break|fixed_rotation|lock_(turn_)?[xyz]"
    switches="$switches|bullet"
    code '^[ \t]+bool [a-z_0-9]+([[][^]]*[]])?(, [a-z_0-9]+([[][^]]*[]])?)*;' core proto server client-sample |
        awk -v good="^((is|has|can|was|may)_.*|.*_(is|was)_.*|[a-z]+s(_.*)?|$switches)\$" '
            {
                names = $0
                sub(/^.*bool /, "", names)
                sub(/;.*/, "", names)
                count = split(names, each, /, /)
                for (i = 1; i <= count; ++i) {
                    sub(/[[].*/, "", each[i])
                    if (each[i] !~ good) {
                        print
                        next
                    }
                }
            }' |
        report 'a boolean is named is_, has_, can_ or as a verb: keeps_spawned'

    # What works in the plane and in space is written once. A file about space has it or a 3 in its name or a folder's.
    in_space='(^|[/_.])space[/_.]|[^0-9]3[/_.]'
    c_files core proto server client-sample tests > "$work/files"
    { grep -E "$in_space" "$work/files"; grep -vE "$in_space" "$work/files"; } |
        xargs -r awk -v pattern=. -f "$here/strip.awk" |
        awk -v space="$in_space" -v count=20 -f "$here/twins.awk" |
        report 'no 20 equal lines in the plane and in space'
    # Between the wings fewer are too many, but for shapes, which are alike by nature.
    grep -E '^core/src/(plane|space)/' "$work/files" | grep -v '/collide/' > "$work/wings"
    { grep '^core/src/space/' "$work/wings"; grep '^core/src/plane/' "$work/wings"; } |
        xargs -r awk -v pattern=. -f "$here/strip.awk" |
        awk -v space="$in_space" -v count=15 -f "$here/twins.awk" |
        report 'no 15 equal lines in the wings'

    c_files core proto server client-sample tests docker |
        xargs -r awk -v pattern=. -f "$here/strip.awk" | awk -f "$here/braces.awk" |
        report 'braces stand around each statement of if, else, for, while and do'

    # Who opens a file is told what it is for: by it, or by the header of the same name, which it includes first.
    find core proto server client-sample tests -name node_modules -prune -o \
        \( -name '*.[ch]' -o -name '*.cpp' \) -print 2> /dev/null | sort |
        xargs -r awk '
            FNR == 1 { is_told = 0 }
            is_told || /^$/ { next }
            {
                is_told = 1
                name = FILENAME
                sub(/.*\//, "", name)
                sub(/[.][^.]*$/, "", name)
                if ($0 ~ /^\/[\/*]/) next
                if (FILENAME ~ /[.]h$/ || $0 !~ ("^#include \"(.*/)?" name "[.]h\"$")) print FILENAME ":" FNR
            }' | report 'a file begins with what it is for'

    # In C clang-format leaves comments alone. Rows of macros and tables that it is switched off for are aligned.
    {
        listing CMakeLists.txt core proto server client-sample tests docker .ci
        find core proto server client-sample tests docker .ci -name node_modules -prune -o -type f \
            \( -name '*.cpp' -o -name '*.in' -o -name '*.css' -o -name '*.html' -o -name '*.yaml' -o -name Dockerfile \
            -o -path .ci/run \) -print 2> /dev/null | sort
    } | xargs -r awk '
        FNR == 1 { is_off = 0; is_c = FILENAME ~ /[.](c|h|cpp)$/ }
        /clang-format on/ { is_off = 0 }
        /clang-format off/ { is_off = is_c }
        { gsub(/[\200-\277]/, "") }
        length($0) > 120 && !is_off && !(is_c && /^#[ ]*define /) { print FILENAME ":" FNR }' |
        report 'a source file has at most 120 columns'
    listing core proto server client-sample tests docker .ci | while read -r file; do
        lines=$(wc -l < "$file")
        [ "$lines" -le 700 ] || echo "$file: $lines lines"
    done | report 'a file has at most 700 lines'
    listing core proto server client-sample tests docker .ci | xargs -r grep -nE "$(words 'TO''DO|FIX''ME|XX''X')" |
        report 'unfinished work is not committed'
    finish
}

# Another version of clang-format breaks lines elsewhere.
check_format() {
    cd "$1" || exit 2
    if ! "$CLANG_FORMAT" --version > /dev/null 2>&1; then
        echo "there is no program $CLANG_FORMAT" | report 'a C file is formatted by clang-format'
        finish
    fi
    c_files core proto server client-sample tests docker |
        xargs -r -n 64 -P 2 "$CLANG_FORMAT" --style=file --dry-run -Werror 2>&1 |
        sed -n 's|^\([^: ]*:[0-9]*\):.*|\1|p' | sort -u | report 'a C file is formatted by clang-format'
    finish
}

# The files that people write, below the given folders.
listing() {
    find "$@" -name node_modules -prune -o -type f \
        \( -name '*.[ch]' -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name '*.js' -o -name '*.mjs' \
        -o -name '*.ts' -o -name '*.proto' -o -name '*.cmake' -o -name CMakeLists.txt \) -print 2> /dev/null | sort
}
c_files() {
    listing "$@" | grep '[.][ch]$'
}

# The documents below the given folders, and those given.
documents() {
    find "$@" -name node_modules -prune -o -name '*.md' -print 2> /dev/null | sort
}

# FILE:LINE of each line of any text of the repository that matches the pattern.
text() {
    grep -rnIE --exclude-dir=.git --exclude-dir=node_modules --exclude-dir=build "$1" . | cut -d: -f1,2 |
        sed 's|^[.]/||'
}

# ---- headers -------------------------------------------------------------------------------------

check_headers() {
    cd "$1" || exit 2
    includes=""
    for folder in core/include core/games/include proto/include proto/scenes/include server/include \
        client-sample/lib/include client-sample/uv/include client-sample/cli/include client-sample/replay/include; do
        [ ! -d "$folder" ] || includes="$includes -I$folder"
    done
    flags="-fsyntax-only -Wall -Wextra -Wpedantic -Werror $includes"
    count=0
    for header in $(find core proto server client-sample -path '*/include/*' -name '*.h' | sort); do
        count=$((count + 1))
        # A header may hold macros alone, a translation unit may not.
        printf '#include "%s"\ntypedef int iso_alone;\n' "$(pwd)/$header" > "$work/alone.c"
        # An extern "C" block around nothing would be right, too: only what C++ refuses counts.
        cp "$work/alone.c" "$work/alone.cpp"
        ${CC:-cc} -std=c17 $flags "$work/alone.c" > "$work/out" 2>&1 ||
            sed "s|^|$header: |" "$work/out" | report 'a public header compiles alone as C17'
        ${CXX:-c++} -std=c++17 $flags "$work/alone.cpp" > "$work/out" 2>&1 ||
            sed "s|^|$header: |" "$work/out" | report 'a public header compiles alone as C++17'
    done
    [ "$count" -gt 0 ] || echo "$1" | report 'there are public headers'
    finish
}

# ---- calls ---------------------------------------------------------------------------------------

check_calls() {
    part=$1
    shift
    case $part in
    core) floors=$core_floors ;;
    proto) floors=$proto_floors ;;
    replay) floors=$replay_floors ;;
    uv) floors=$uv_floors ;;
    server) floors=$server_floors ;;
    cli | client_lib | http | session | recorder) floors=.: ;;
    *)
        echo "tidy: $part has no floors" >&2
        exit 2
        ;;
    esac
    nm -A -P "$@" > "$work/symbols" 2> /dev/null
    awk -v floors="$floors" -f "$here/floors.awk" "$work/symbols" | sort |
        report "a call in $part against its floors, or in a circle"
    [ -s "$work/symbols" ] || echo "$*" | report 'there are objects'
    finish
}

# ---- objects -------------------------------------------------------------------------------------

# Arithmetic, comparison and conversion of x86-64's floating point: x87, SSE, AVX, AVX-512. Moves, shuffles, blends
# and bitwise logic of the same registers are what integer code uses, too. Integer operations start with p or vp.
float_instructions='v?(add|sub|mul|div|min|max|sqrt|rcp|rcp14|rcp28|rsqrt|rsqrt14|rsqrt28|round|rndscale|reduce|range'
float_instructions="$float_instructions|getexp|getmant|scalef|fixupimm|fpclass|hadd|hsub|addsub|dp|exp2)"
float_instructions="$float_instructions(ss|sd|sh|ps|pd|ph)[xyz]?"
float_instructions="$float_instructions|v?cmp[a-z_0-9]*(ss|ps|pd)|v?cmp[a-z_0-9]+sd|v?u?comis[sdh]|v?cvt[a-z0-9]+"
float_instructions="$float_instructions|vf[cn]?m[a-z0-9]+"
float_instructions="$float_instructions|f(add|sub|mul|div|ld|st|ild|ist|iadd|isub|imul|idiv|com|ucom|icom|tst|xam|chs"
float_instructions="$float_instructions|abs|sqrt|sin|cos|ptan|patan|prem|rndint|scale|xtract|yl2x|2xm1|bld|bstp|cmov"
float_instructions="$float_instructions|xch|nstcw|ldcw|ninit)[a-z0-9]*"

# Prints MEMBER NAME for each undefined symbol of an archive that no member defines.
undefined() {
    nm -A -P "$1" 2> /dev/null | awk '
        { member = $1; sub(/:$/, "", member) }
        $3 == "U" || $3 == "w" || $3 == "v" { wanted[member " " $2] = $2; next }
        { defined[$2] = 1 }
        END { for (place in wanted) if (!(wanted[place] in defined)) print place }' | sort
}

# Prints the writable static data of an archive. What only relocation writes to (.data.rel.ro) is constant.
writable() {
    objdump -t "$1" | awk -F'\t' '
        /^In archive/ { next }
        /file format/ { member = $1; sub(/:.*/, "", member); next }
        NF == 2 {
            section = $1
            sub(/.* /, "", section)
            size = $2
            sub(/ .*/, "", size)
            name = $2
            sub(/^[^ ]* +/, "", name)
            is_data = section ~ /^[.](data|bss|tdata|tbss|ldata|lbss)([.]|$)/ && section !~ /^[.]data[.]rel[.]ro/
            if ((section == "*COM*" || is_data) && size !~ /^0+$/) print member ": " name " in " section
        }'
    objdump -h "$1" | awk '
        /file format/ { member = $1; sub(/:.*/, "", member); next }
        $2 ~ /^[.](data|bss|tdata|tbss|ldata|lbss)([.]|$)/ && $2 !~ /^[.]data[.]rel[.]ro/ && $3 !~ /^0+$/ {
            print member ": section " $2 " of " $3 " bytes"
        }'
}

check_objects() {
    core=$1
    for archive in "$@"; do
        if ! nm "$archive" > "$work/out" 2> /dev/null || ! grep -q ' T iso_' "$work/out"; then
            echo "$archive" | report 'the library exists and holds code'
            continue
        fi
        writable "$archive" | sed "s|^|${archive##*/}: |" | report 'no writable static data'
        # What compilers call by themselves: wide integer division and the like, strlen for a loop that counts.
        allowed='iso_[a-z0-9_]+|mem(cpy|set|cmp|move)|__mem(cpy|set|move)_chk|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail'
        # clang turns a memcmp that only asks for equality into bcmp.
        allowed="$allowed|strlen|bcmp|__(u?div|u?mod|u?divmod|mul|ashl|ashr|lshr|popcount|clz|ctz|u?cmp)[sdt]i[0-9]"
        if [ "$archive" = "$core" ]; then
            allowed="$allowed|fix16_(mul|div|sqrt|sadd|ssub|smul|sdiv|from_str|to_str)"
        fi
        # What a failed assertion says is written by whoever has a write(2): a weak name of that one file.
        undefined "$archive" | grep -v '[[]assert[.]c[.]o[]] write$' > "$work/undefined" || :
        grep -E ' fix16_(sin|cos|tan|asin|acos|atan|exp|log|slog)[a-z0-9_]*$' "$work/undefined" |
            report 'no function of libfixmath that keeps a cache'
        arithmetic='add|sub|mul|div|neg|fix|fixuns|float|floatun|extend|trunc|eq|ne|lt|le|gt|ge|unord|cmp|pow'
        grep -E " __($arithmetic)[a-z]*[sdxt]f[a-z0-9]*\$" "$work/undefined" | report 'no floating point in objects'
        grep -vE " ($allowed)\$" "$work/undefined" |
            report 'nothing but the core, mem* and the allowed part of libfixmath is called'
    done
    if objdump -f "$core" 2> /dev/null | grep -q 'elf64-x86-64'; then
        objdump -d --no-show-raw-insn "$core" | awk -v pattern="^($float_instructions)\$" '
            /^[^ \t].*file format/ { member = $1; sub(/:.*/, "", member); next }
            /^[0-9a-f]+ <.*>:$/ { name = $2; next }
            /^ +[0-9a-f]+:/ && ($2 ~ pattern || ($2 ~ /^(rep|lock|bnd|notrack|data16|cs|ds)$/ && $3 ~ pattern)) {
                print member ": " name " " $2 " " $3
            }' | report 'no floating point in objects'
    else
        echo "tidy: not x86-64, so instructions were not looked at" >&2
    fi
    finish
}

# ---- names ---------------------------------------------------------------------------------------

# Prints NAME ARCHIVE MEMBER for each name that an archive gives to whoever links it. Weak and common ones count.
exported() {
    nm -A -P -g "$1" 2> /dev/null | awk -v archive="${1##*/}" '
        $3 ~ /^[TDBRCVWuGSi]$/ {
            member = $1
            sub(/^.*\[/, "", member)
            sub(/\]:$/, "", member)
            print $2, archive, member
        }' |
        sort -u
}

# A program that links our archives has one space of names with them. A function of its own under one of our names
# would take the place of ours without a word: the linker then never looks into the archive.
check_names() {
    for archive in "$@"; do
        exported "$archive" > "$work/out"
        [ -s "$work/out" ] || echo "$archive" | report 'the library exists and holds code'
        # protoc-c makes isostep__v1__ of the package isostep.v1.
        awk '$1 !~ /^(iso_[a-z]|iso__|isostep__v1__)/ { print $2 ": " $1 " in " $3 }' "$work/out" |
            report 'an installed library exports names that begin with iso_ alone'
        cat "$work/out" >> "$work/names"
    done
    sort -u "$work/names" | awk '
        $1 == name && $2 != archive { print archive " and " $2 ": " $1 }
        { name = $1; archive = $2 }' | report 'a name is defined by one installed library'
    finish
}

# ---- unused --------------------------------------------------------------------------------------

# Of what a file gives to others, each name is used by one: an object refers to it, or a source that these builds leave
# out (validation, WebAssembly, another processor) has the word. A test, too, if the file itself calls it. What no
# header has as a word a list declares. What is public may be there for users, if a test or a document has it.
check_unused() {
    cd "$1" || exit 2
    shift
    nm -A -P -g "$@" > "$work/symbols" 2> /dev/null
    [ -s "$work/symbols" ] || echo "$*" | report 'there are objects'
    awk '
        $3 == "U" { used[$2] = 1; next }
        $3 ~ /^[TDBRVWC]$/ && $2 ~ /^iso_/ { defined[$2] = 1 }
        END { for (name in defined) if (!(name in used)) print name }' "$work/symbols" | sort > "$work/alone"
    # FILE:NAME of each of these words, and FILE:NAME for each line of code that has one.
    find core proto server client-sample tests README.md -name node_modules -prune -o \
        \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.ts' -o -name '*.mjs' -o -name '*.md' \) -print 2> /dev/null |
        sort > "$work/files"
    {
        grep '[.]c$' "$work/files" | xargs -r awk -v pattern='iso_' -f "$here/strip.awk" |
            sed 's/^\([^:]*\):[0-9]*:/\1:/'
        grep -v '[.]c$' "$work/files" | xargs -r grep -HoE 'iso_[A-Za-z0-9_]+'
    } | awk -F: -v names="$work/alone" '
        BEGIN { while ((getline name < names) > 0) alone[name] = 1 }
        {
            text = substr($0, length($1) + 2)
            while (match(text, /[A-Za-z0-9_]+/)) {
                word = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                if (word in alone) print word, $1
            }
        }' | awk '
        $2 ~ /^tests\// || $2 ~ /[.]md$/ { told[$1] = 1; next }
        $2 ~ /[.]h$/ { declared[$1] = 1; next }
        {
            lines[$1] += 1
            if (!(($1, $2) in seen)) { files[$1] += 1; file[$1] = $2 }
            seen[$1, $2] = 1
        }
        END {
            for (name in declared) {
                if (files[name] > 1 || (name in told && (lines[name] > 1 || name !~ /^iso__/))) continue
                print file[name] ": " name (name in told ? ", but tests" : "")
            }
        }' | sort | report 'a function that no other file uses is static or gone'
    finish
}

case ${1:-} in
source) check_source "$2" ;;
format) check_format "$2" ;;
headers) check_headers "$2" ;;
objects)
    shift
    check_objects "$@"
    ;;
names)
    shift
    check_names "$@"
    ;;
calls)
    shift
    check_calls "$@"
    ;;
unused)
    shift
    check_unused "$@"
    ;;
--self-test) sh "$here/self_test.sh" ;;
*)
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
