#!/bin/sh
# Shows versions.sh red: each way to change roots or version alone, planted into a copy. versions_test.sh SOURCE_DIR
# WORK_DIR
set -eu
source=$1 work=$2
tree=$work/tree
failures=0

make_tree() {
  rm -rf "$tree"
  mkdir -p "$tree/tests/golden" "$tree/core/src/plane" "$tree/core/src/space"
  cp "$source/tests/golden/hashes.sh" "$source/tests/golden/versions.sh" "$source/tests/golden/kinds.txt" \
    "$tree/tests/golden/"
  printf '/// A copy.\n#define SIMULATION_VERSION 3u\n' > "$tree/core/src/plane/plane.c"
  printf 'version 3\nfall 60 aa bb\nfall 120 cc dd\nslide 60 ee ff\n' > "$tree/tests/golden/roots.txt"
  fall=$(printf 'fall 60 aa bb\nfall 120 cc dd\n' | sha256sum | cut -c 1-16)
  slide=$(printf 'slide 60 ee ff\n' | sha256sum | cut -c 1-16)
  printf '# comment\n2 fall 0123456789abcdef\n2 slide %s\n3 fall %s\n' "$slide" "$fall" \
    > "$tree/tests/golden/versions.txt"
  # Another kind of worlds, with a version of its own.
  printf '#define SIMULATION_VERSION 1u\n' > "$tree/core/src/space/space.c"
  printf 'version 1\nspin 60 ab cd\n' > "$tree/tests/golden/roots3.txt"
  spin=$(printf 'spin 60 ab cd\n' | sha256sum | cut -c 1-16)
  printf '1 spin %s\n' "$spin" > "$tree/tests/golden/versions3.txt"
}
# expect STATUS TEXT
expect() {
  got=0
  GIT_CEILING_DIRECTORIES=$work sh "$tree/tests/golden/versions.sh" "$tree" > "$work/out" 2>&1 || got=$?
  if [ "$got" -ne "$1" ] || ! grep -q "$2" "$work/out"; then
    echo "expected status $1 with \"$2\", got $got:" >&2
    cat "$work/out" >&2
    failures=$((failures + 1))
  fi
}
edit() { # FILE SED
  sed "$2" "$tree/$1" > "$work/edited"
  cp "$work/edited" "$tree/$1"
}
commit() {
  git -C "$tree" -c user.name=test -c user.email=test@localhost commit -q -a -m "$1"
}

mkdir -p "$work"
make_tree; expect 0 "plane: 2 scenes have the roots of version 3"
make_tree; expect 0 "space: 1 scenes have the roots of version 1"
make_tree; edit tests/golden/roots.txt 's/cc dd/cc de/'; expect 1 "the roots of fall are not those of version 3"
make_tree; edit tests/golden/roots.txt '$d'; expect 0 "1 scenes" # a scene that is gone changes no roots
make_tree; edit tests/golden/roots.txt 's/^version 3/version 4/'; expect 1 "roots.txt:1: version 4"
make_tree; edit tests/golden/roots.txt 1d; expect 1 "roots.txt:1: expected"
make_tree; edit core/src/plane/plane.c 's/3u/4u/'; expect 1 "simulation version 4, but versions.txt ends with 3"
make_tree; echo "fresh 60 11 22" >> "$tree/tests/golden/roots.txt"; expect 1 "the roots of fresh"
make_tree; echo "3 fall 1111111111111111" >> "$tree/tests/golden/versions.txt"; expect 1 "changed within version 3"
make_tree; echo "2 slide 1111111111111111" >> "$tree/tests/golden/versions.txt"; expect 1 "versions fall"
make_tree; echo "4 slide $slide" >> "$tree/tests/golden/versions.txt"; expect 1 "version 4 changes no roots"
make_tree; edit tests/golden/roots3.txt 's/ab cd/ab ce/'; expect 1 "the roots of spin are not those of version 1"
make_tree; edit tests/golden/roots3.txt 1d; expect 1 "roots3.txt:1: expected"
make_tree; edit core/src/space/space.c 's/1u/2u/'
expect 1 "space.c: simulation version 2, but versions3.txt ends with 1"
make_tree; echo "2 spin $spin" >> "$tree/tests/golden/versions3.txt"
expect 1 "versions3.txt: version 2 changes no roots"
if command -v git > /dev/null; then
  # The last line rewritten instead of a new one added, in a commit and before it.
  make_tree
  git -C "$tree" init -q
  git -C "$tree" add .
  commit "Accept"
  expect 0 "2 scenes"
  changed=$(printf 'fall 60 aa bb\nfall 120 cc de\n' | sha256sum | cut -c 1-16)
  edit tests/golden/roots.txt 's/cc dd/cc de/'
  edit tests/golden/versions.txt "s/$fall/$changed/"
  expect 1 "a line is gone: 3 fall $fall"
  commit "Rewrite"
  expect 1 "the history has taken a line back: 3 fall $fall"
  make_tree
  git -C "$tree" init -q
  git -C "$tree" add .
  commit "Accept"
  edit tests/golden/versions3.txt 's/spin .*/spin 1111111111111111/'
  expect 1 "versions3.txt: a line is gone: 1 spin $spin"
fi
# accept.sh on what a build computes: raises the version when roots of its kind change, once per commit; not for a new
# scene.
make_tree
cp "$source/tests/golden/accept.sh" "$tree/tests/golden/"
mkdir -p "$tree/build/tests"
printf 'exit 0\n' > "$tree/build/tests/golden_make"
printf 'grep "^$1 " "${0%%/*}/computed"\n' > "$tree/build/tests/golden_runner"
sed -i '1i #!/bin/sh' "$tree/build/tests/golden_make" "$tree/build/tests/golden_runner"
chmod +x "$tree/build/tests/golden_make" "$tree/build/tests/golden_runner"
# accept PLANE SPACE WHAT: accepts what stands in `computed`, then expects these versions.
accept() {
  cut -d ' ' -f 1 "$tree/build/tests/computed" | uniq |
    sed '/^spin/!s/$/ 60 60 nobody plane/; /^spin/s/$/ 60 60 nobody space/' > "$tree/tests/golden/scenes.txt"
  GIT_CEILING_DIRECTORIES=$work sh "$tree/tests/golden/accept.sh" "$tree/build" > "$work/out" 2>&1 || true
  for stored in "roots.txt $1" "roots3.txt $2"; do
    grep -q "^version ${stored#* }\$" "$tree/tests/golden/${stored% *}" ||
      { echo "accept: $3: ${stored% *}: not version ${stored#* }" >&2; failures=$((failures + 1)); }
  done
  expect 0 "plane: .* of version $1"
  expect 0 "space: .* of version $2"
}
sed -s 1d "$tree/tests/golden/roots.txt" "$tree/tests/golden/roots3.txt" > "$tree/build/tests/computed"
accept 3 1 "the same roots"
echo "fresh 60 11 22" >> "$tree/build/tests/computed"
accept 3 1 "a new scene"
sed -i 's/cc dd/cc de/' "$tree/build/tests/computed"
accept 4 1 "roots that change"
if command -v git > /dev/null; then
  git -C "$tree" init -q
  git -C "$tree" add .
  commit "Accept"
  sed -i 's/ee ff/ee 00/' "$tree/build/tests/computed"
  accept 5 1 "roots that change after a commit"
  sed -i 's/ee 00/ee 01/' "$tree/build/tests/computed"
  accept 5 1 "roots that change again before the next commit"
  commit "Accept"
  sed -i 's/ab cd/ab ce/' "$tree/build/tests/computed"
  accept 5 2 "roots of space that change"
fi
[ "$failures" -eq 0 ] || exit 1
echo "each change of roots or version alone is found"
