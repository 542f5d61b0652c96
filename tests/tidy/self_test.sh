#!/bin/sh
# Shows each rule of tidy.sh red: a clean miniature of the repository passes, and with one planted violation the
# rule finds it, at its place. A rule that found nothing here would find nothing in the repository.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failures=0
cases=0
lines_rule= # the rule whose lines stand in the tree

make_tree() {
    lines_end
    rm -rf "$tree"
    for folder in core/src/math core/src/base core/include/isostep core/games/include/isostep proto/codec proto/wire \
        proto/recording proto/scene proto/scenes/include/isostep proto/include/isostep/proto server/session \
        server/recorder server/base server/transport server/http server/host client-sample/lib/include/isostep \
        client-sample/uv/transport client-sample/cli client-sample/replay/render tests docker .ci; do
        mkdir -p "$tree/$folder"
    done
    cat > "$tree/core/src/math/fixmath.c" << 'END'
/* A float in a comment, 1.5 of them */ // double
#include <libfixmath/fix16.h>
static const char text[] = "float 1.5 // \" time(0)"; int iso_multiply(int a); // 'double'
/* over
   several float lines */ int iso_multiply(int a) { return text[a] == '"' ? a : 0x1e5; }
END
    echo 'int iso_body_index(void);' > "$tree/core/include/isostep/body.h"
    echo '#include "isostep/body.h"' > "$tree/core/src/base/pool.c"
    echo 'int iso_games_count(void);' > "$tree/core/games/include/isostep/games.h"
    printf '#include "isostep/games.h"\n#include "isostep/body.h"\n' > "$tree/core/games/ball.c"
    echo '#include <protobuf-c/protobuf-c.h>' > "$tree/proto/codec/codec.c"
    echo '#include "isostep/body.h"' > "$tree/proto/include/isostep/proto/messages.h"
    echo 'int iso_frame(void);' > "$tree/proto/include/isostep/proto/framing.h"
    echo 'int iso_recording(void);' > "$tree/proto/include/isostep/proto/recording.h"
    echo 'int iso__utf8(void);' > "$tree/proto/wire/utf8.h"
    echo '#include "isostep/proto/framing.h"' > "$tree/proto/wire/framing.c"
    printf '#include "wire/utf8.h"\n#include "isostep/proto/recording.h"\n' > "$tree/proto/recording/recording.c"
    echo '#include "isostep/body.h"' > "$tree/proto/scene/scene.c"
    echo 'int iso_scene(void);' > "$tree/proto/include/isostep/proto/scene.h"
    printf '#include <string.h>\n#include "state.h"\n#include "isostep/proto/messages.h"\n' \
        > "$tree/server/session/session.c"
    echo 'int x(void) { return iso_time(2) + s->time(3); }' >> "$tree/server/session/session.c"
    echo 'int iso_session_count(void);' > "$tree/server/session/state.h"
    printf '#include <string.h>\n#include "isostep/proto/recording.h"\n' > "$tree/server/recorder/recorder.c"
    echo 'int iso_recorder_count(void);' > "$tree/server/recorder/recorder.h"
    printf '#include "session/state.h"\n#include "recorder/recorder.h"\n' > "$tree/server/host/host.c"
    echo 'int host_count(void);' > "$tree/server/host/host.h"
    echo 'int iso__buffer_count(void);' > "$tree/server/base/buffer.h"
    echo '#include "base/buffer.h"' > "$tree/server/transport/stream.h"
    printf '#include "transport/stream.h"\n#include <netinet/tcp.h>\nuv_tcp_t tcp;\n' > "$tree/server/transport/tcp.c"
    printf '#include "state.h"\n#include "isostep/client.h"\n' > "$tree/client-sample/lib/client.c"
    echo 'int iso_client_state(void);' > "$tree/client-sample/lib/state.h"
    echo 'int iso_client_count(void);' > "$tree/client-sample/lib/include/isostep/client.h"
    printf '#include <time.h>\n#include "isostep/client.h"\n#include "transport/stream.h"\n' \
        > "$tree/client-sample/cli/main.c"
    echo '#include "isostep/proto/framing.h"' > "$tree/client-sample/uv/transport/stream.h"
    cp "$tree/server/transport/tcp.c" "$tree/client-sample/uv/transport/tcp.c"
    echo 'int cli_count(void);' > "$tree/client-sample/cli/app.h"
    printf '#include "isostep/scenes.h"\n#include "render/picture.h"\n' > "$tree/client-sample/replay/render.c"
    echo 'int replay_count(void);' > "$tree/client-sample/replay/replay.h"
    echo '#include "isostep/body.h"' > "$tree/client-sample/replay/render/picture.h"
    echo 'int iso_builtin(void);' > "$tree/proto/scenes/include/isostep/scenes.h"
    find "$tree" -name '*.[ch]' -exec sed -i '1s|^|/// Here.\n|' {} +
}

# expect STATUS PATTERN COMMAND...: the command ends with the status and, unless 0, with a line of the pattern.
expect() {
    want=$1
    pattern=$2
    shift 2
    cases=$((cases + 1))
    "$@" > "$work/out" 2>&1
    got=$?
    if [ "$got" -ne "$want" ] || { [ "$want" -ne 0 ] && ! grep -qE "$pattern" "$work/out"; }; then
        failures=$((failures + 1))
        echo "not found: $pattern (status $got)"
        sed 's/^/    /' "$work/out" | head -5
    fi
}

# planted RULE FILE TEXT: with the text at the end of the file the rule finds it there.
planted() {
    make_tree
    printf '%s\n' "$3" >> "$tree/$2"
    expect 1 "^$1: $2:[0-9]+" sh "$here/tidy.sh" source "$tree"
}

# lines RULE FILE TEXT: the same for a rule that looks at each line by itself. One run looks at all lines of a rule,
# each of which must be found at its place (a run reads all files for all rules).
lines() {
    [ "$lines_rule" = "$1" ] || lines_end
    [ -n "$lines_rule" ] || { make_tree; : > "$work/lines"; }
    lines_rule=$1
    printf '%s\n' "$3" >> "$tree/$2"
    echo "^$1: $2:$(wc -l < "$tree/$2")([^0-9]|\$)" >> "$work/lines"
}
lines_end() {
    [ -n "$lines_rule" ] || return 0
    lines_rule=
    sh "$here/tidy.sh" source "$tree" > "$work/lines.out"
    while read -r pattern; do
        expect 1 "$pattern" says_lines
    done < "$work/lines"
}
says_lines() {
    cat "$work/lines.out"
    return 1
}

# ---- source --------------------------------------------------------------------------------------

make_tree
expect 0 '' sh "$here/tidy.sh" source "$tree"

rule='no floating point in core'
for text in 'float x;' 'static double y(int a);' 'int z = (int) 1.5;' 'int z = 3.;' 'int z = .25f;' 'int z = 1e9;' \
    '#include <math.h>' 'int a; /* float */ long double b;' 'int e = FLT_MAX;' '_Float32 h;' \
    "int c = '\"'; double d; // \""; do
    lines "$rule" core/src/base/pool.c "$text"
done
lines "$rule" core/include/isostep/body.h 'float iso_body_mass(void);'
# The header for the literals of users' programs names their type; no other file does, whatever its name.
make_tree
printf '/// Here.\n#define ISO_FIX16(literal) ((int)(double)((literal) * 65536.0))\n' \
    > "$tree/core/include/isostep/literal.h"
expect 0 '' sh "$here/tidy.sh" source "$tree"
for file in core/include/isostep/my_literal.h core/src/base/literal.h core/games/include/isostep/literal.h; do
    lines "$rule" $file 'int z = (int)(double)1;'
done

# Twenty lines about the plane and about space are found whatever their indentation, comments, includes and digits;
# nineteen are not, nor are twenty of two files about the plane, nor of texts.
rule='no 20 equal lines in the plane and in space'
# twins COUNT OTHER LINE: so many lines in math/twin.c and in OTHER, begun otherwise; `&` stands for the line's number.
twins() {
    make_tree
    mkdir -p "$tree/$(dirname "$2")"
    { echo '/// first'; seq "$1" | sed "s/.*/$3 \/\/ here/"; } > "$tree/core/src/math/twin.c"
    {
        printf '/// other\n\n#include "isostep/body.h"\n'
        seq "$1" | sed "s/.*/    $3/;s/iso_line/iso_line3/;s/ /  /g;11s/^/#include <string.h>\n/"
    } > "$tree/$2"
}
for other in core/src/math3/twin.c core/src/math/twin3.c core/src/math/twin3_rows.h core/games/space.c; do
    twins 19 $other 'int iso_line_&(int a);'
    expect 0 '' sh "$here/tidy.sh" source "$tree"
    twins 20 $other 'int iso_line_&(int a);'
    expect 1 "^$rule: $other:4: as core/src/math/twin.c:2$" sh "$here/tidy.sh" source "$tree"
done
for other in core/src/math4/twin.c core/src/math/twin32.c core/games/spaceship.c; do
    twins 20 $other 'int iso_line_&(int a);'
    expect 0 '' sh "$here/tidy.sh" source "$tree"
done
twins 20 core/src/math/twin3.c '{"a name", "number &"},'
expect 0 '' sh "$here/tidy.sh" source "$tree"
# Between the wings fifteen are found, also where only the wings' names differ; but not among shapes.
rule='no 15 equal lines in the wings'
wings() {
    make_tree
    for wing in plane space; do
        mkdir -p "$tree/core/src/$wing/$2"
        { echo '/// Here.'; seq "$1" | sed "s/.*/int iso__${wing}_line_&(int a);/"; } > "$tree/core/src/$wing/$2/twin.c"
    done
}
wings 14 world
expect 0 '' sh "$here/tidy.sh" source "$tree"
for room in world dynamics; do
    wings 15 $room
    expect 1 "^$rule: core/src/space/$room/twin.c:2: as core/src/plane/$room/twin.c:2" sh "$here/tidy.sh" source "$tree"
done
wings 15 collide
expect 0 '' sh "$here/tidy.sh" source "$tree"

rule='a lock file of npm holds no addresses'
make_tree
mkdir "$tree/client-sample/web"
echo '"integrity": "sha512-a"' > "$tree/client-sample/web/package-lock.json"
echo 'omit-lockfile-registry-resolved=true' > "$tree/client-sample/web/.npmrc"
expect 0 '' sh "$here/tidy.sh" source "$tree"
echo '  "resolved": "a"' >> "$tree/client-sample/web/package-lock.json"
expect 1 "^$rule: client-sample/web/package-lock.json:2" sh "$here/tidy.sh" source "$tree"
sed -i '$d' "$tree/client-sample/web/package-lock.json"
rm "$tree/client-sample/web/.npmrc"
expect 1 "^$rule: client-sample/web/package-lock.json:1" sh "$here/tidy.sh" source "$tree"

rule='only core/src/math/fixmath.c includes libfixmath'
lines "$rule" core/src/base/pool.c '#include <libfixmath/fix16.h>'
lines "$rule" server/host/host.h '#include <fix16.h>'
rule='only proto/codec includes protobuf-c'
lines "$rule" proto/include/isostep/proto/messages.h '#include <protobuf-c/protobuf-c.h>'
lines "$rule" server/session/session.c '#include "isostep/v1/tick.pb-c.h"'

rule='an include against the arrows between the parts of the tree'
lines "$rule" server/session/session.c '#include "isostep/client.h"'
lines "$rule" server/session/session.c '#include "recorder/recorder.h"'
lines "$rule" server/session/session.c '#include "isostep/proto/scene.h"'
lines "$rule" server/session/session.c '#include "isostep/games.h"'
lines "$rule" server/recorder/recorder.c '#include "session/state.h"'
lines "$rule" server/recorder/recorder.c '#include "isostep/proto/messages.h"'
lines "$rule" server/recorder/recorder.c '#include "host/host.h"'
lines "$rule" server/transport/tcp.c '#include "host/host.h"'
lines "$rule" server/transport/stream.h '#include "session/state.h"'
lines "$rule" server/base/buffer.h '#include "transport/stream.h"'
lines "$rule" server/host/host.h '#include "../../client-sample/lib/state.h"'
lines "$rule" proto/scene/scene.c '#include "isostep/scenes.h"'
lines "$rule" proto/scenes/include/isostep/scenes.h '#include "isostep/proto/scene.h"'
lines "$rule" server/session/session.c '#include "isostep/scenes.h"'
lines "$rule" client-sample/lib/client.c '#include "isostep/scenes.h"'
lines "$rule" client-sample/replay/render/picture.h '#include "replay.h"'
lines "$rule" client-sample/replay/render/picture.h '#include "isostep/proto/recording.h"'
lines "$rule" client-sample/replay/render.c '#include "isostep/client.h"'
lines "$rule" client-sample/cli/main.c '#include "replay.h"'
lines "$rule" client-sample/uv/transport/tcp.c '#include "app.h"'
lines "$rule" client-sample/uv/transport/tcp.c '#include "isostep/client.h"'
lines "$rule" client-sample/lib/client.c '#include "transport/stream.h"'
lines "$rule" client-sample/cli/main.c '#include "host.h"'
lines "$rule" client-sample/lib/client.c '#include "host/host.h"'
lines "$rule" proto/codec/codec.c '#include "host/host.h"'
lines "$rule" core/src/base/pool.c '#include "isostep/proto/messages.h"'
lines "$rule" core/src/base/pool.c '#include "isostep/games.h"'
lines "$rule" proto/codec/codec.c '#include "isostep/games.h"'
lines "$rule" core/games/ball.c '#include "isostep/proto/messages.h"'
lines "$rule" proto/wire/framing.c '#include "isostep/proto/messages.h"'
lines "$rule" proto/wire/framing.c '#include "isostep/proto/recording.h"'
lines "$rule" proto/codec/codec.c '#include "isostep/proto/recording.h"'
lines "$rule" proto/recording/recording.c '#include "isostep/proto/messages.h"'
lines "$rule" proto/scene/scene.c '#include "wire/utf8.h"'
lines "$rule" proto/include/isostep/proto/framing.h '#include "isostep/proto/messages.h"'
# What stands in no part that the table names would be free of it.
make_tree
echo 'int iso_thing(void);' > "$tree/proto/thing.h"
expect 1 "^$rule: proto/thing.h: belongs to no part" sh "$here/tidy.sh" source "$tree"
make_tree
echo 'int iso_thing(void);' > "$tree/proto/include/isostep/proto/thing.h"
expect 1 "^$rule: proto/include/isostep/proto/thing.h: belongs to no part" sh "$here/tidy.sh" source "$tree"
make_tree
echo '#include "isostep/body.h"' > "$tree/proto/thing.c"
expect 1 "^$rule: proto/thing.c:1:.* in a file of no part" sh "$here/tidy.sh" source "$tree"

rule='an include of the core against its floors, core_floors in tidy.sh'
lines "$rule" core/src/base/pool.c '#include "world/world.h"'
lines "$rule" core/src/math/fixmath.c '#include "elsewhere/thing.h"'
# The border includes the wings' tables, but nothing of their rooms.
make_tree
mkdir "$tree/core/src/border"
printf '/// Tables.\n#include "plane/plane.h"\n#include "space/space.h"\n#include "world/kernel.h"\n' \
    > "$tree/core/src/border/kernels.c"
expect 0 '' sh "$here/tidy.sh" source "$tree"
printf '/// Images.\n#include "plane/world/compound.h"\n' > "$tree/core/src/border/image.c"
expect 1 "^$rule: core/src/border/image.c:2:.*: border knows no plane/world" sh "$here/tidy.sh" source "$tree"

rule='an include of the server against its floors, server_floors in tidy.sh'
make_tree
mkdir -p "$tree/server/host/watch" "$tree/server/host/web"
printf '/// Of a page.\nint iso__web_count(void);\n' > "$tree/server/host/web/web.h"
printf '/// Of a log.\nint iso__log_count(void);\n' > "$tree/server/host/watch/log.h"
printf '/// Pages.\n#include "host/watch/log.h"\n#include "transport/stream.h"\n#include "session/state.h"\n' \
    > "$tree/server/host/web/web.c"
expect 0 '' sh "$here/tidy.sh" source "$tree"
for text in '#include "host/web/web.h"' '#include "host/host.h"'; do
    printf '/// Lines.\n%s\n' "$text" > "$tree/server/host/watch/log.c"
    expect 1 "^$rule: server/host/watch/log.c:2:.*: host/watch knows no host" sh "$here/tidy.sh" source "$tree"
done

rule='what stands below the wings names nothing of them'
for text in 'void f(iso__plane_body *body);' 'struct iso__space;' 'int n = ISO__SPACE_JOINT_FLAGS;'; do
    lines "$rule" core/src/base/pool.c "$text"
done

rule='no place, shape or joint above the border of a world'
lines "$rule" core/src/base/pool.c 'void f(iso_vec2 place);'
lines "$rule" server/session/session.c 'void f(iso_world *w) { iso_body_get(w, id, &view); }'
lines "$rule" client-sample/lib/client.c 'int n = world->bodies[3].type;'

rule='session, recorder and client library include freestanding headers and string.h only'
lines "$rule" server/session/session.c '#include <stdio.h>'
lines "$rule" server/recorder/recorder.c '#include <stdio.h>'
lines "$rule" client-sample/lib/client.c '#  include <assert.h>'

rule='what goes over TCP only a transport knows'
lines "$rule" server/host/host.c 'uv_tcp_t tcp;'
lines "$rule" server/host/host.c 'int f(void) { return uv_tcp_getpeername(0, 0, 0); }'
lines "$rule" server/transport/stream.h '#include <netinet/tcp.h>'
lines "$rule" server/host/host.c 'int option = TCP_NODELAY;'
lines "$rule" client-sample/cli/main.c 'uv_tcp_t tcp;'
lines "$rule" client-sample/uv/client_uv.c 'uv_tcp_t tcp;'
lines "$rule" client-sample/cli/main.c '#include <sys/socket.h>'
lines "$rule" client-sample/cli/app.h 'const struct addrinfo *address;'
lines "$rule" client-sample/uv/transport/stream.h 'uv_connect_t connect;'
lines "$rule" client-sample/lib/client.c 'int kind = SOCK_STREAM;'
lines "$rule" client-sample/cli/main.c 'int f(void) { return getaddrinfo(0, 0, 0, 0); }'

rule='no clock, time or random numbers from outside'
lines "$rule" core/src/base/pool.c 'long now(void) { return time(0); }'
lines "$rule" server/session/session.c 'int x = rand ();'
lines "$rule" client-sample/lib/client.c 'void w(void) { clock_gettime(1, 0); }'
lines "$rule" core/src/base/pool.c 'const char *built = __DATE__;'
lines "$rule" core/src/base/pool.c '#include <time.h>'

make_tree
yes '// line' | head -n 701 > "$tree/proto/long.c"
expect 1 '^a file has at most 700 lines: proto/long.c: 701 lines' sh "$here/tidy.sh" source "$tree"
sed -i 1d "$tree/proto/long.c"
expect 0 '' sh "$here/tidy.sh" source "$tree"
lines 'a format is called Q15.16 or Q31.32' core/src/base/pool.c '// [m] Q16.16'
lines 'a format is called Q15.16 or Q31.32' README.md 'Numbers are Q32.32.'
lines 'a merge was not finished' README.md '<<''<<<<< HEAD'
lines 'a merge was not finished' core/src/base/pool.c '>>''>>>>> 1234567 (A change)'
rule='a boolean is named is_, has_, can_ or as a verb: keeps_spawned'
make_tree
cat > "$tree/core/src/base/pool.h" << 'END'
/// Here.
struct s {
    bool is_open, has_root[2]; // of it
    bool keeps_it, name_is_known, lock_x;
};
END
expect 0 '' sh "$here/tidy.sh" source "$tree"
lines "$rule" core/src/base/pool.c '    bool open;'
lines "$rule" server/host/host.h '    bool is_open, closed[2];'
lines 'nothing in host depends on TCP' server/host/main.c '#include "transport/tcp.h"'
lines 'nothing in host depends on TCP' server/host/main.c 'static iso__tcp_listener listener;'
lines 'nothing in host depends on TCP' server/host/main.c 'int f(void) { return a->tcp.base; }'
lines 'a thread is made by iso__thread_start of server/base/thread.h, which blocks its signals' server/host/main.c \
    'int f(void) { return pthread_create(&t, NULL, g, NULL); }'
lines 'messages go through iso_print' client-sample/cli/main.c 'void f(void) { fprintf(stderr, "x"); }'
lines 'messages go through iso_print' client-sample/cli/main.c '    fprintf('
lines 'unfinished work is not committed' server/host/host.h '// TO''DO: later'
lines 'unfinished work is not committed' core/src/base/pool.c '// FIX''ME'

rule='a function that others give a pointer or an index asserts more than that it is not NULL'
rule="$rule, or stands in tests/tidy/assertions.txt"
for text in 'int iso_f(const int *p) {
    say("p");
    return *p;
}' 'void iso__f(uint32_t slot) {
    count(slot);
    count(slot);
}' 'int iso_f(const int *p, uint32_t index) {
    return p[index];
}' 'int iso_f(int a, size_t first_index, int b) {
    // ISO_ASSERT(a > b);
    say("ISO_ASSERT(a)");
    return a;
}' 'iso_status iso__a_long_name(iso_session *session, iso__connection *connection,
                            uint64_t tick) {
    begin(session);
    return end(session);
}' 'iso_status
iso__f(uint8_t bytes[4]) {
    say("bytes");
    return 0;
}' 'UNPACK(hello) {
    say("hello");
    return envelope->hello;
}' '__attribute__((format(printf, 2, 3)))
int iso_print(FILE *file, const char *format, ...) {
    say(format);
    return 0;
}' 'int iso_f(const int *p) {
    ISO_ASSERT(p != NULL);
    say("p");
    return *p;
}' 'int iso_f(const struct q *a, struct q *b) {
    ISO_ASSERT(a != NULL && (a->next.all[a->count - 1] != NULL) &&
               b != NULL);
    say("a");
    return a->next;
}' 'int iso_f(const char *text, const uint8_t *bytes, size_t size, char *to) {
    say(text);
    return copy(bytes, size, to);
}' 'int iso_f(int *p) {
    if (*p > 1) {
        return *p;
    }
}'; do
    planted "$rule" server/session/session.c "$text"
done
for file in server/recorder/recorder.c server/base/queue.c server/transport/tcp.c server/http/policy.c \
    server/host/host.c proto/codec/codec.c proto/wire/framing.c proto/recording/recording.c \
    client-sample/lib/client.c client-sample/uv/peer.c; do
    planted "$rule" "$file" 'int iso_f(const int *p) {
    say("p");
    return *p;
}'
done
make_tree
cat >> "$tree/server/session/session.c" << 'END'
int iso__g(const int *p);
static int f(const int *p) {
    say("p");
    return *p;
}
static const struct row rows[] = {
    {1, 2},
};
int iso_a(const int *p, uint32_t index) {
    ISO_ASSERT(index < 3);
    return p[index];
}
int iso_b(const int *p) {
    return *p;
    ISO_VALIDATE_ASSERT(*p == 1);
}
PACK(hello) {
    ISO__ASSERT_KIND(envelope, HELLO);
    say("hello");
}
uint64_t iso_c(uint64_t now_ns, uint32_t count) {
    say("now");
    return now_ns + count;
}
int iso_d(const int *p) {
    return forward(p, 3,
                   4);
}
int iso_e(const int *p) {
    ISO_ASSERT(p != NULL);
    return forward(p);
}
bool iso__is_text(const char *text, const uint8_t *const *lists, const char name[4], size_t size) {
    say(text);
    return size > 3;
}
int iso__h(const int *p, size_t count) {
    ISO_ASSERT(p != NULL ||
               count == 0);
    say("p");
    return *p;
}
END
printf 'int iso_f(const int *p) {\n    say("p");\n    return *p;\n}\n' >> "$tree/proto/scene/scene.c"
expect 0 '' sh "$here/tidy.sh" source "$tree"
# In the core those that are not public.
for room in solver step space/joint space/dynamics plane/dynamics; do
    mkdir -p "$tree/core/src/$room"
    printf '/// Here.\nint iso__f(const int *p) {\n    say("p");\n    return *p;\n}\n' > "$tree/core/src/$room/rule.c"
    expect 1 "^$rule: core/src/$room/rule.c:2: iso__f" sh "$here/tidy.sh" source "$tree"
    rm "$tree/core/src/$room/rule.c"
done
mkdir -p "$tree/core/src/plane/joint"
printf '/// Here.\nint iso_f(const int *p) {\n    say("p");\n    return *p;\n}\n' > "$tree/core/src/plane/joint/axis.c"
expect 0 '' sh "$here/tidy.sh" source "$tree"
printf 'int iso__f(const int *p) {\n    say("p");\n    return *p;\n}\n' >> "$tree/core/src/plane/joint/axis.c"
expect 1 "^$rule: core/src/plane/joint/axis.c:6: iso__f" sh "$here/tidy.sh" source "$tree"
# Those of the list are left out, each from the run over its part of the tree.
printf '/// Here.\nint iso__f(const int *p) {\n    say("p");\n    return *p;\n}\n' > "$tree/server/base/queue.c"
mkdir -p "$tree/tests/tidy"
printf '# Why.\ncore/src/plane/joint/axis.c:iso__f\n\n# Why.\nserver/base/queue.c:iso__f\n' \
    > "$tree/tests/tidy/assertions.txt"
expect 0 '' sh "$here/tidy.sh" source "$tree"
# What is exempt must be there, and have no assertion.
awk_says() {
    [ "$(awk -v exempt="$1" -f "$here/assertions.awk" "$work/exempt.c")" = "$2" ]
}
cat > "$work/exempt.c" << 'END'
int iso_f(const int *p) {
    say("p");
    return *p;
}
int iso_g(const int *p) {
    ISO_ASSERT(*p);
    return *p;
}
END
says='is exempt from an assertion, and is not there or has one'
expect 0 '' awk_says '' "$work/exempt.c:1: iso_f"
expect 0 '' awk_says "$work/exempt.c:iso_f" ''
expect 0 '' awk_says "$work/exempt.c:iso_f $work/exempt.c:iso_g" "$work/exempt.c:iso_g: $says"
expect 0 '' awk_says "$work/exempt.c:iso_f $work/exempt.c:iso_h" "$work/exempt.c:iso_h: $says"

rule='a count goes up by [+][+]i, not by i[+][+]'
for text in '    i++;' '    world->count[2]--;' 'for (int i = 0; i < 3; i++) {' \
    'for (int i = 0, k = 3; i < 3; ++i, k--) {'; do
    lines "$rule" core/src/base/pool.c "$text"
done
make_tree
echo '    const int index = list->count++;' >> "$tree/core/src/base/pool.c"
expect 0 '' sh "$here/tidy.sh" source "$tree"

rule='a source file has at most 120 columns'
line=$(printf '%121s' | tr ' ' x)
for file in server/host/host.h client-sample/lib/client.c core/src/base/pool.c tests/test.cpp tests/run.sh .ci/run \
    tests/tool.py tests/test.mjs tests/page.js tests/page.ts tests/page.css tests/page.html tests/rule.awk \
    proto/wire/tick.proto CMakeLists.txt proto/CMakeLists.txt server/embed.cmake server/config.cmake.in \
    docker/compose.yaml docker/Dockerfile; do
    lines "$rule" $file "$line"
done
# What C may have is nothing for others.
lines "$rule" tests/run.sh "# define $line"
lines "$rule" tests/rule.awk "# clang-format off
$line"
make_tree
echo "// ${line#xxxx}" >> "$tree/server/host/host.h"
printf '// clang-format off\n// %s\n// clang-format on\n#define A %s\n' "$line" "$line" >> "$tree/core/src/base/pool.c"
printf '# %s\n# \303\266%s\n' "${line#xxx}" "${line#xxxx}" > "$tree/tests/run.sh"
expect 0 '' sh "$here/tidy.sh" source "$tree"

rule='braces stand around each statement of if, else, for, while and do'
for text in 'if (a)' '    if (f(a, (b)) && c) return 1;' 'for (int i = 0; i < 3; ++i) ++n;' 'while (next(&a));' \
    'while (a) // {' 'do ++n; while (n < 3);' 'if (a) { b(); } else' 'if (a) { b(); } else c();' \
    'if (a) { if (b) c(); }' '#define F(a) if (a) b();' \
    'void f(void) { do { g(); } while (0); if (a) b(); }' '{ (a); } if (a) b();' 'else /* { */ c();'; do
    planted "$rule" core/src/base/pool.c "$text
    return;"
done
make_tree
cat >> "$tree/core/src/base/pool.c" << 'END'
void f(void) { if (a && (b || c)) { g(); } else if (d) /* here */ { g(); } else { do { ++n; } while (n < 3); } }
#define EACH(a) do { \
        for (;;) { g(a); } \
    } while (0)
void g(void) {
    while (is_there(a,
                    "if (a) b;")) // if (a) b;
    {
#if 1
        LIST(X(a, if (b) c()) X(d, for (;;) e()))
#else
        if_not(a); for_each(b) = while_true;
#endif
    }
}
END
expect 0 '' sh "$here/tidy.sh" source "$tree"

rule='a file begins with what it is for'
for file in core/src/base/pool.c server/session/state.h; do
    make_tree
    sed -i '1s/.*/int first;/' "$tree/$file"
    expect 1 "^$rule: $file:1" sh "$here/tidy.sh" source "$tree"
done
make_tree
echo '/// A pool.' > "$tree/core/src/base/pool.h"
printf '\n#include "base/pool.h"\n' > "$tree/core/src/base/pool.c"
printf '/* A test. */\n' > "$tree/tests/test.cpp"
expect 0 '' sh "$here/tidy.sh" source "$tree"
printf '#include "base/whirlpool.h"\n' > "$tree/core/src/base/pool.c"
expect 1 "^$rule: core/src/base/pool.c:1" sh "$here/tidy.sh" source "$tree"

# ---- format --------------------------------------------------------------------------------------

if command -v clang-format > /dev/null; then
    rule='a C file is formatted by clang-format'
    make_tree
    rm -rf "$tree"/*/
    mkdir -p "$tree/core"
    cp "$here/../../.clang-format" "$tree"
    printf 'int iso_count(void) {\n    return 1;\n}\n' > "$tree/core/count.c"
    expect 0 '' env CLANG_FORMAT=clang-format sh "$here/tidy.sh" format "$tree"
    printf 'int iso_count(void)\n{\n    return 1;\n}\n' > "$tree/core/brace.c"
    expect 1 "^$rule: core/brace.c:1" env CLANG_FORMAT=clang-format sh "$here/tidy.sh" format "$tree"
    expect 1 "^$rule: " env CLANG_FORMAT=no-such-program sh "$here/tidy.sh" format "$tree"
fi

# ---- headers -------------------------------------------------------------------------------------

make_tree
echo '#define ISO_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())' > "$tree/core/include/isostep/assert.h"
expect 0 '' sh "$here/tidy.sh" headers "$tree"
echo 'uint32_t iso_body_size(void);' >> "$tree/core/include/isostep/body.h"
expect 1 '^a public header compiles alone as C17: core/include/isostep/body.h' sh "$here/tidy.sh" headers "$tree"
make_tree
echo 'int iso_body_new(int class);' >> "$tree/core/include/isostep/body.h"
expect 1 '^a public header compiles alone as C[+][+]17: core/include/isostep/body.h' sh "$here/tidy.sh" headers "$tree"
rm -rf "$tree"
mkdir "$tree"
expect 1 '^there are public headers' sh "$here/tidy.sh" headers "$tree"

lines_end
. "$here/self_test_documents.sh"
. "$here/self_test_objects.sh"

echo "$cases cases, $failures failed"
[ "$failures" -eq 0 ]
