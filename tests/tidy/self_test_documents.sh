# The rules of tidy.sh for documents: a part of self_test.sh, whose functions it uses.

make_tree
row='| a | `core/src/base/NAME.c`, `core/src/base/pool.c`, `core/src/none/NAME.c`, `core/src/base/none.c` |'
printf '## Files to touch to add X\n%s\n' "$row" > "$tree/core/ARCHITECTURE.md"
expect 1 '^what a document names exists: core/ARCHITECTURE.md: core/src/base/none.c' sh "$here/tidy.sh" source "$tree"
expect 1 '^what a document names exists: core/ARCHITECTURE.md: core/src/none/' sh "$here/tidy.sh" source "$tree"
sed -i 's|, `core/src/none/.*none.c`||' "$tree/core/ARCHITECTURE.md"
expect 0 '' sh "$here/tidy.sh" source "$tree"
make_tree
printf 'See `pool.c`, `base/pool.c` and `base/pool_SET.c`.\n' > "$tree/core/ARCHITECTURE.md"
expect 0 '' sh "$here/tidy.sh" source "$tree"
printf 'See `whirlpool.c` and `math/pool.c`.\n' > "$tree/core/ARCHITECTURE.md"
for path in whirlpool.c math/pool.c; do
    expect 1 "^what a document names exists: core/ARCHITECTURE.md: $path" sh "$here/tidy.sh" source "$tree"
done
make_tree
printf 'See [all](core/src/base/pool.c), [one](core/none.md#here) and <https://example.org>.\n' > "$tree/README.md"
expect 1 '^what a document names exists: README.md: ./core/none.md' sh "$here/tidy.sh" source "$tree"
make_tree
mkdir "$tree/.github"
printf 'See `core/src/base/pool.c`, [one](../core/src/base/pool.c).\n' > "$tree/.github/CONTRIBUTING.md"
expect 0 '' sh "$here/tidy.sh" source "$tree"
printf 'See `core/src/base/none.c`, [two](STYLE.md), `.github/none.md`.\n' >> "$tree/.github/CONTRIBUTING.md"
for path in core/src/base/none.c .github/STYLE.md .github/none.md; do
    expect 1 "^what a document names exists: .github/CONTRIBUTING.md: $path" sh "$here/tidy.sh" source "$tree"
done
make_tree
rule='the versions of now stand in the list of changes'
mkdir -p "$tree/.github" "$tree/tests/golden"
printf '/// Here.\n#define ISO_PROTOCOL_VERSION 3\n' > "$tree/proto/include/isostep/proto/version.h"
echo 'version 9' > "$tree/tests/golden/roots3.txt"
printf '| protocol | 3 |\n| simulation in space | 9 |\n### Protocol\n| 3 | a |\n### Simulation in space\n| 9 | b |\n' \
    > "$tree/.github/CHANGELOG.md"
expect 0 '' sh "$here/tidy.sh" source "$tree"
echo 'version 10' > "$tree/tests/golden/roots3.txt"
expect 1 "^$rule: .github/CHANGELOG.md: simulation in space 10 is not" sh "$here/tidy.sh" source "$tree"
sed -i 's/space | 9/space | 10/' "$tree/.github/CHANGELOG.md"
expect 1 "^$rule: .github/CHANGELOG.md: simulation in space 10 has no row" sh "$here/tidy.sh" source "$tree"
sed -i 's/_VERSION 3/_VERSION 9/' "$tree/proto/include/isostep/proto/version.h"
expect 1 "^$rule: .github/CHANGELOG.md: protocol 9 has no row" sh "$here/tidy.sh" source "$tree"
make_tree
rule='the stages of a step are those of ISO_PROFILE_STAGE_LIST'
cat > "$tree/core/include/isostep/world.h" << 'END'
/// Here.
#define ISO_PROFILE_STAGE_LIST(X) \
    X(pairs, "pairs") \
    X(rows, "rows")

/// More.
#define OTHER(X) X(none, "no")
END
printf '| stage | what |\n|---|---|\n| `pairs` | them |\n| `rows` | them |\n\n| `more` | no |\n' \
    > "$tree/core/ARCHITECTURE.md"
expect 0 '' sh "$here/tidy.sh" source "$tree"
sed -i 's/`rows`/`row`/' "$tree/core/ARCHITECTURE.md"
expect 1 "^$rule: core/ARCHITECTURE.md: the rows of its table of stages have to be pairs rows" \
    sh "$here/tidy.sh" source "$tree"
make_tree
rule='a recipe names the files of its thing'
mkdir -p "$tree/tests/tidy" "$tree/core/src/kinds"
recipe() {
    {
        printf '## Files to touch to add X\n\n| to add | files | then |\n|---|---|---|\n| a kind | %s |\n\n' "$1"
        printf '## More\n\n| to add | files |\n'
    } > "$tree/core/ARCHITECTURE.md"
    printf '# comment\n%s\n' "$2" > "$tree/tests/tidy/recipes.txt"
}
for file in kinds/ball.c base/pool.c math/user.c; do
    printf '/// Here.\nenum { BALL, ISO_BALL };\n' >> "$tree/core/src/$file"
done
printf '/// Here.\nenum { BALLAST };\n' > "$tree/core/src/math/other.c"
good='`core/src/kinds/NAME.c`: it; `core/src/base/`: its line; `core/src/math/fixmath.c` if it turns;'
good="$good "'`core/src/kinds/NAME.h` if it has one | `proto/codec/codec.c`'
thing='a kind | ball | BALL, iso_ball | core/src/math/user.c'
recipe "$good" "$thing"
expect 0 '' sh "$here/tidy.sh" source "$tree"
# What is planted in the row, in the example, and what is said of it.
while IFS='@' read -r change example line; do
    recipe "$(echo "$good" | sed "$change")" "$(echo "$thing" | sed "$example")"
    expect 1 "^$rule: $line" sh "$here/tidy.sh" source "$tree"
done << 'END'
@s/ball |/bell |/@core/ARCHITECTURE.md: a kind: core/src/kinds/bell.c is not there
s/if it turns//@@core/ARCHITECTURE.md: a kind: core/src/math/fixmath.c has nothing of BALL
s|core/src/base/|proto/wire/|@@core/ARCHITECTURE.md: a kind: proto/wire/ has nothing of BALL
s|core/src/base/|core/src/kinds/|@@core/ARCHITECTURE.md: a kind: core/src/base/pool.c is not named
s|codec/codec|codec/none|@@core/ARCHITECTURE.md: a kind: proto/codec/none.c is not there
@s|core/src/math/user.c||@core/ARCHITECTURE.md: a kind: core/src/math/user.c is not named
@s|user.c|user.c core/src/math/fixmath.c|@tests/tidy/recipes.txt: a kind: core/src/math/fixmath.c has nothing of BALL
@s/a kind/a sort/@core/ARCHITECTURE.md: no example in tests/tidy/recipes.txt of: a kind
@s/a kind/a sort/@tests/tidy/recipes.txt: core/ARCHITECTURE.md has no row: a sort
END
recipe "$good" "$(echo "$thing" | sed 's/| BALL.*/| -/')"
expect 0 '' sh "$here/tidy.sh" source "$tree"
make_tree
rule='a name of a source document is in its file'
# sources PROPERTY...: the page with one row of each property, which begins in its third line.
sources() {
    printf '| property | here | file | remark |\n|---|---|---|---|\n' > "$tree/core/SOURCES.md"
    printf '| %s |\n' "$@" >> "$tree/core/SOURCES.md"
}
good='a |b| | `iso_body_index`, `int` | `core/include/isostep/body.h` | differs'
sources "$(echo "$good" | sed 's/|b|/\\|b\\|/')" 'c | not here | |' 'd | `gravity` | `core/scene.json` | '
echo '{"gravity": -10}' > "$tree/core/scene.json"
expect 0 '' sh "$here/tidy.sh" source "$tree"
for row in 'a | `iso_body` | `core/include/isostep/body.h` | ' \
    'a | `iso_body_index`, `slots` | `core/src/base/pool.c` | ' \
    'a | `float` | `core/src/math/fixmath.c` | ' 'a | `iso_body_index` | `core/include/isostep/none.h` | '; do
    sources 'c | not here | | ' "$row"
    expect 1 "^$rule: core/SOURCES.md:4: [a-z_]+ in core/" sh "$here/tidy.sh" source "$tree"
done
for row in "$good" 'a | iso_body_index | `core/include/isostep/body.h` | ' 'a | `iso_body_index` | | ' \
    'a | `int` | `core/include/isostep/body.h`' 'a | not here | `core/include/isostep/body.h` | ' \
    'a | not here | | `iso_body_index`' ' | `int` | `core/include/isostep/body.h` | '; do
    sources 'c | not here | | ' "$row"
    expect 1 "^$rule: core/SOURCES.md:4: [|]" sh "$here/tidy.sh" source "$tree"
done
sources
sed -i 3d "$tree/core/SOURCES.md"
expect 1 "^$rule: core/SOURCES.md:1: no rows" sh "$here/tidy.sh" source "$tree"
make_tree
yes '' | head -n 150 > "$tree/README.md"
expect 0 '' sh "$here/tidy.sh" source "$tree"
echo >> "$tree/README.md"
expect 1 '^README.md has at most 150 lines' sh "$here/tidy.sh" source "$tree"
