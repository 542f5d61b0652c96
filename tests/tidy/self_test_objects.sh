# The rules of tidy.sh for what was built: a part of self_test.sh, whose functions it uses.

# ---- objects -------------------------------------------------------------------------------------

# library NAME TEXT [FLAG...]: a static library of one object.
library() {
    name=$1
    printf '%s\n' "$2" > "$work/$name.c"
    shift 2
    rm -f "$work/lib$name.a"
    ${CC:-cc} -std=c17 -O1 -fPIC -w "$@" -c -o "$work/$name.o" "$work/$name.c" &&
        ar rc "$work/lib$name.a" "$work/$name.o"
}

# bad_object RULE TEXT [FLAG...]: the rule finds it in a core of this text.
bad_object() {
    rule=$1
    shift
    library bad "$@"
    expect 1 "^$rule: .*bad" sh "$here/tidy.sh" objects "$work/libbad.a" "$work/libgood.a" "$work/libgood.a"
}

# bad_pure RULE TEXT: the rule finds it in a session library and in a client library of this text.
bad_pure() {
    library bad "$2"
    expect 1 "^$1: .*bad" sh "$here/tidy.sh" objects "$work/libgood.a" "$work/libbad.a" "$work/libgood.a"
    expect 1 "^$1: .*bad" sh "$here/tidy.sh" objects "$work/libgood.a" "$work/libgood.a" "$work/libbad.a"
}

library good '#include <string.h>
#include <stdint.h>
static const char *const names[] = { "a", "b" };
typedef struct block { uint64_t words[8]; } block;
int iso_other(void);
void iso_copy(block *to, const block *from, unsigned n) { *to = *from; memcpy(to + 1, from, n * sizeof *to); }
const char *iso_name(int i) { return names[i]; }
int iso_use(int a, unsigned b) { return iso_other() + a / (int) b; }
__int128 iso_wide(__int128 a, __int128 b) { return a / b; }'
library core 'int fix16_mul(int a, int b); int iso_other(void) { return fix16_mul(1, 2); }'
expect 0 '' sh "$here/tidy.sh" objects "$work/libcore.a" "$work/libgood.a" "$work/libgood.a"
expect 1 '^the library exists and holds code: .*libnone.a' \
    sh "$here/tidy.sh" objects "$work/libcore.a" "$work/libnone.a" "$work/libgood.a"

rule='no writable static data'
for text in 'static int counter; int iso_f(void) { return ++counter; }' \
    'int iso_table[4] = { 1, 2 }; int iso_f(void) { return iso_table[1]; }' \
    '_Thread_local int iso_slot; int *iso_f(void) { return &iso_slot; }' \
    'int iso_f(void) { static long calls = 3; return (int) ++calls; }'; do
    bad_object "$rule" "$text"
    bad_pure "$rule" "$text"
done
bad_object "$rule" 'int iso_common; int iso_f(void) { return iso_common; }' -fcommon

rule='no function of libfixmath that keeps a cache'
for name in sin cos tan asin acos atan atan2 exp log log2 slog2 sin_parabola; do
    bad_object "$rule" "int fix16_$name(int a); int iso_f(int a) { return fix16_$name(a); }"
done

rule='nothing but the core, mem[*] and the allowed part of libfixmath is called'
bad_object "$rule" 'void *malloc(unsigned long n); void *iso_f(void) { return malloc(3); }'
bad_pure "$rule" 'void *malloc(unsigned long n); void *iso_f(void) { return malloc(3); }'
bad_pure "$rule" 'int fix16_mul(int a, int b); int iso_f(int a) { return fix16_mul(a, a); }'
bad_pure "$rule" 'long clock(void); long iso_f(void) { return clock(); }'

if objdump -f "$work/libgood.a" | grep -q 'elf64-x86-64'; then
    rule='no floating point in objects'
    bad_object "$rule" 'int iso_f(int a) { return (int) (a * 1.5); }'
    bad_object "$rule" 'float iso_f(float a, float b) { return a + b; }'
    bad_object "$rule" 'double iso_f(double a, double b) { return a / b; }' -mavx
    bad_object "$rule" 'int iso_f(double a, double b) { return a < b; }'
    bad_object "$rule" 'double iso_f(double a) { return __builtin_sqrt(a); }' -ffast-math
    bad_object "$rule" 'double iso_f(long a) { return (double) a; }'
    bad_object "$rule" 'long double iso_f(long double a) { return a * a; }'
    bad_object "$rule" 'double iso_f(double a, double b, double c) { return a * b + c; }' -mfma -ffast-math
    bad_object "$rule" 'void iso_f(float *a, const float *b) { for (int i = 0; i < 64; i++) a[i] -= b[i]; }' -O3 -mavx2
    bad_object "$rule" 'double iso_f(double a, double b) { return a > b ? a : b; }' -ffast-math
    bad_object "$rule" '__float128 iso_f(__float128 a) { return a + a; }' -std=gnu17
    # Integer code that uses the same registers is none.
    library core '#include <immintrin.h>
int iso_other(void) { return 1; }
void iso_f(__m256i *a, __m256i b) { a[0] = _mm256_max_epi32(a[0], b); a[1] = _mm256_mul_epi32(a[1], b);
  __m256 first = _mm256_castsi256_ps(a[0]), second = _mm256_castsi256_ps(a[1]), other = _mm256_castsi256_ps(b);
  a[2] = _mm256_castps_si256(_mm256_blendv_ps(first, other, second)); a[3] = _mm256_cmpgt_epi64(a[3], b);
  a[4] = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a[4]), other, 0x88)); }' \
        -mavx2
    expect 0 '' sh "$here/tidy.sh" objects "$work/libcore.a" "$work/libgood.a" "$work/libgood.a"
fi

# ---- calls ---------------------------------------------------------------------------------------

# part FILE TEXT: an object of a library with this text.
part() {
    mkdir -p "$work/it.dir/$(dirname "$1")"
    printf '%s\n' "$2" | ${CC:-cc} -std=c17 -O1 -w -c -o "$work/it.dir/$1.c.o" -x c -
}

part src/base/pool 'int iso__pool(void) { return 1; }'
part src/world/body 'int iso__pool(void); static int iso__shape_count;
    int iso__plane_body(void) { return iso__pool(); }'
part src/world/shape 'int iso__plane_body(void); int iso__plane_shape(void) { return iso__plane_body(); }'
objects="$work/it.dir/src/base/pool.c.o $work/it.dir/src/world/body.c.o $work/it.dir/src/world/shape.c.o"
expect 0 '' sh "$here/tidy.sh" calls core $objects
rule='a call in core against its floors, or in a circle'
part src/base/pool 'int iso__plane_shape(void); int iso__pool(void) { return 1; }
    int iso__up(void) { return iso__plane_shape(); }'
expect 1 "^$rule: base/pool calls iso__plane_shape of world/shape" sh "$here/tidy.sh" calls core $objects
part src/base/pool 'int iso__pool(void) { return 1; }'
part src/world/body 'int iso__pool(void); int iso__plane_shape(void);
    int iso__plane_body(void) { return iso__pool(); } int iso__back(void) { return iso__plane_shape(); }'
expect 1 "^$rule: world/body is called by what it calls" sh "$here/tidy.sh" calls core $objects
expect 1 '^there are objects' sh "$here/tidy.sh" calls core "$work/none.o"

part wire/framing 'int iso__frame(void) { return 1; }'
part generated/tick 'int isostep__tick(void) { return 1; }'
part codec/codec 'int iso__frame(void); int isostep__tick(void);
    int iso__codec(void) { return iso__frame() + isostep__tick(); }'
part recording/recording 'int iso__frame(void); int iso__recording(void) { return iso__frame(); }'
part scene/scene 'int iso__scene(void) { return 1; }'
objects=$(for file in wire/framing generated/tick codec/codec recording/recording scene/scene; do
    echo "$work/it.dir/$file.c.o"
done)
expect 0 '' sh "$here/tidy.sh" calls proto $objects
rule='a call in proto against its floors, or in a circle'
part recording/recording 'int isostep__tick(void); int iso__recording(void) { return isostep__tick(); }'
expect 1 "^$rule: recording/recording calls isostep__tick of generated/tick" sh "$here/tidy.sh" calls proto $objects
part recording/recording 'int iso__codec(void); int iso__recording(void) { return iso__codec(); }'
expect 1 "^$rule: recording/recording calls iso__codec of codec/codec" sh "$here/tidy.sh" calls proto $objects
part recording/recording 'int iso__recording(void) { return 1; }'
part scene/scene 'int iso__frame(void); int iso__scene(void) { return iso__frame(); }'
expect 1 "^$rule: scene/scene calls iso__frame of wire/framing" sh "$here/tidy.sh" calls proto $objects

part render/svg 'int iso__svg(void) { return 1; }'
part film 'int iso__svg(void); int iso__film(void) { return iso__svg(); }'
part walk 'int iso__film(void); int iso__walk(void) { return iso__film(); }'
objects=$(for file in render/svg film walk; do echo "$work/it.dir/$file.c.o"; done)
expect 0 '' sh "$here/tidy.sh" calls replay $objects
rule='a call in replay against its floors, or in a circle'
part render/svg 'int iso__walk(void); int iso__svg(void) { return 1; } int iso__up(void) { return iso__walk(); }'
expect 1 "^$rule: render/svg calls iso__walk of walk" sh "$here/tidy.sh" calls replay $objects
part render/svg 'int iso__svg(void) { return 1; }'
part film 'int iso__walk(void); int iso__film(void) { return iso__walk(); }'
expect 1 "^$rule: film is called by what it calls" sh "$here/tidy.sh" calls replay $objects
rule='a call in cli against its floors, or in a circle'
part main 'int iso__peer(void); int iso__say(void) { return 1; } int iso__main(void) { return iso__peer(); }'
part peer 'int iso__peer(void) { return 1; }'
objects="$work/it.dir/main.c.o $work/it.dir/peer.c.o"
expect 0 '' sh "$here/tidy.sh" calls cli $objects
part peer 'int iso__say(void); int iso__peer(void) { return iso__say(); }'
expect 1 "^$rule: main is called by what it calls" sh "$here/tidy.sh" calls cli $objects
# Files of one floor.
for part in client_lib session recorder; do
    part main 'int iso__peer(void); int iso__say(void) { return 1; } int iso__main(void) { return iso__peer(); }'
    part peer 'int iso__peer(void) { return 1; }'
    expect 0 '' sh "$here/tidy.sh" calls $part $objects
    part peer 'int iso__say(void); int iso__peer(void) { return iso__say(); }'
    expect 1 "^a call in $part against its floors, or in a circle: main is called by what it calls" \
        sh "$here/tidy.sh" calls $part $objects
done
rule='a call in uv against its floors, or in a circle'
part peer 'int iso__peer(void) { return 1; }'
part transport/tcp 'int iso__tcp(void) { return 1; }'
part peer 'int iso__tcp(void); int iso__peer(void) { return iso__tcp(); }'
objects="$objects $work/it.dir/transport/tcp.c.o"
expect 0 '' sh "$here/tidy.sh" calls uv $objects
part peer 'int iso__peer(void) { return 1; }'
part transport/tcp 'int iso__peer(void); int iso__tcp(void) { return iso__peer(); }'
expect 1 "^$rule: transport/tcp calls iso__peer of peer" sh "$here/tidy.sh" calls uv $objects

# ---- unused --------------------------------------------------------------------------------------

# unused LINE: with the file and the header as they stand the rule finds it. unused: it finds nothing.
make_tree
product=$tree/core/src/base
unused() {
    rm -rf "$work/it.dir"
    for file in one two; do
        mkdir -p "$work/it.dir"
        ${CC:-cc} -std=c17 -O1 -w -c -o "$work/it.dir/$file.c.o" "$product/$file.c"
    done
    expect "$1" "^a function that no other file uses is static or gone: $2\$" \
        sh "$here/tidy.sh" unused "$tree" "$work/it.dir/one.c.o" "$work/it.dir/two.c.o"
}
one() {
    printf '%s\n' '#include "one.h"' 'int iso__used(void) { return 1; }' "$@" > "$product/one.c"
}
echo 'int iso__used(void); int iso__lone(void); int iso_public(void); const extern int iso__table[2];' \
    > "$product/one.h"
echo 'int iso__used(void); int iso_two(void) { return iso__used(); }' > "$product/two.c"
one 'int iso__listed(void) { return 1; }'
unused 0 ''
one 'int iso__lone(void) { return 1; }'
unused 1 'core/src/base/one.c: iso__lone'
one 'int iso__lone(void) { return 1; }' 'int iso_one(void) { return iso__lone(); }'
unused 1 'core/src/base/one.c: iso__lone'
one 'const int iso__table[2] = { 1, 2 };'
unused 1 'core/src/base/one.c: iso__table'
# A comment is no use; code that these builds leave out is.
one 'int iso__lone(void) { return 1; }'
echo '// iso__lone' >> "$product/two.c"
unused 1 'core/src/base/one.c: iso__lone'
printf '#if 0\nint iso_three(void) { return iso__lone(); }\n#endif\n' >> "$product/two.c"
unused 0 ''
sed -i '/#if/,$d' "$product/two.c"
# A test keeps what the file itself needs, and what is public.
echo 'int f(void) { return iso__lone() + iso_public(); }' > "$tree/tests/test.c"
unused 1 'core/src/base/one.c: iso__lone, but tests'
one 'int iso__lone(void) { return 1; }' 'int iso_one(void) { return iso__lone(); }'
unused 0 ''
one 'int iso_public(void) { return 1; }'
unused 0 ''
rm "$tree/tests/test.c"
unused 1 'core/src/base/one.c: iso_public'
echo '`iso_public` is for users.' > "$tree/core/GUIDE.md"
unused 0 ''
expect 1 '^there are objects' sh "$here/tidy.sh" unused "$tree" "$work/none.o"

part host/web/web 'int iso__log(void); int iso__web(void) { return iso__log(); }'
part host/watch/log 'int iso__log(void) { return 1; }'
part host/server 'int iso__web(void); int iso__server(void) { return iso__web(); }'
part host/listen 'int iso__server(void); int iso__listen(void) { return iso__server(); }'
objects=$(for file in host/web/web host/watch/log host/server host/listen; do echo "$work/it.dir/$file.c.o"; done)
expect 0 '' sh "$here/tidy.sh" calls server $objects
rule='a call in server against its floors, or in a circle'
part host/watch/log 'int iso__web(void); int iso__log(void) { return iso__web(); }'
expect 1 "^$rule: host/watch/log calls iso__web of host/web/web" sh "$here/tidy.sh" calls server $objects
part host/watch/log 'int iso__listen(void); int iso__log(void) { return iso__listen(); }'
expect 1 "^$rule: host/watch/log calls iso__listen of host/listen" sh "$here/tidy.sh" calls server $objects
# Two files are a circle already.
part host/watch/log 'int iso__log(void) { return 1; }'
part host/server 'int iso__listen(void); int iso__server(void) { return iso__listen(); }'
expect 1 "^$rule: host/listen is called by what it calls, in the circle of( host/(server|listen)){2}\$" \
    sh "$here/tidy.sh" calls server $objects
part host/signals 'int iso__listen(void); int iso__signals(void) { return iso__listen(); }'
part host/server 'int iso__signals(void); int iso__server(void) { return iso__signals(); }'
expect 1 "^$rule: host/signals is called by what it calls, in the circle of( host/(signals|server|listen)){3}\$" \
    sh "$here/tidy.sh" calls server $objects "$work/it.dir/host/signals.c.o"

# ---- names ---------------------------------------------------------------------------------------

# bad_name RULE TEXT [FLAG...]: the rule finds it in a library of this text that is installed beside a good one.
bad_name() {
    rule=$1
    shift
    library bad "$@"
    expect 1 "^$rule: .*bad" sh "$here/tidy.sh" names "$work/libgood.a" "$work/libbad.a"
}

library other 'int iso__other_count(void) { return 1; } int isostep__v1__other(void) { return 2; }
    static int bare; int *iso_p(void) { return &bare; }'
expect 0 '' sh "$here/tidy.sh" names "$work/libgood.a" "$work/libother.a"
rule='an installed library exports names that begin with iso_ alone'
for text in 'int walker_decide(void) { return 1; }' 'int info_print;' 'const int replay_table[2] = { 1, 2 };' \
    'int isolate(void) { return 1; }' '__attribute__((weak)) int help(void) { return 1; }' \
    '_Thread_local int depth;'; do
    bad_name "$rule" "$text"
done
bad_name "$rule" 'int count;' -fcommon
bad_name 'a name is defined by one installed library' 'int iso_use(int a) { return a; }'
expect 1 '^the library exists and holds code: .*libnone.a' sh "$here/tidy.sh" names "$work/libgood.a" "$work/libnone.a"
