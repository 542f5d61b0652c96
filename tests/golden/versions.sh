#!/bin/sh
# Roots that change without the simulation version, or a version that changes without roots: versions.sh SOURCE_DIR
#
# For each kind of worlds (kinds.txt) its versions file remembers of each scene the hash of its roots and the version
# with which they came; its lines are only ever added to. So a checkout alone shows when the roots say something else
# than what was accepted under their version. That somebody rewrote the last line instead of adding one, only the
# history shows: it is read where there is one.
set -u
source=$(cd "$1" && pwd)
here=$source/tests/golden
failures=0
fail() {
  echo "$*" >&2
  failures=$((failures + 1))
}

# check ROOTS VERSIONS KERNEL: one kind of worlds.
check() {
  stored=$(sed -n '1s/^version \([0-9][0-9]*\)$/\1/p' "$here/$1")
  built=$(sed -n 's/^#define SIMULATION_VERSION \([0-9][0-9]*\)u$/\1/p' "$source/$3")
  last=$(awk '!/^#/ { last = $1 } END { print last }' "$here/$2")
  [ -n "$stored" ] || fail "$1:1: expected: version NUMBER"
  [ "$stored" = "$last" ] || fail "$1:1: version $stored, but $2 ends with $last"
  [ "$built" = "$last" ] || fail "$3: simulation version $built, but $2 ends with $last: run accept.sh"

  awk '/^#/ { next }
    NF != 3 || $1 !~ /^[0-9]+$/ || $3 !~ /^[0-9a-f]+$/ || length($3) != 16 { print "not a line: " $0; next }
    $1 + 0 < last { print "versions fall: " $0 }
    ($1, $2) in seen { print "roots of " $2 " changed within version " $1 }
    { changed = ($2 in hash) && hash[$2] != $3; if (($2 in hash) && !changed) print "no change: " $0
      raised[$1] += changed; seen[$1, $2] = 1; hash[$2] = $3; if (!first) first = $1; last = $1 + 0 }
    END { for (v in raised) if (v != first && !raised[v]) print "version " v " changes no roots" }' \
    "$here/$2" > "${TMPDIR:-/tmp}/golden-versions.$$"
  while read -r line; do fail "$2: $line"; done < "${TMPDIR:-/tmp}/golden-versions.$$"
  rm -f "${TMPDIR:-/tmp}/golden-versions.$$"

  hashes=$(sh "$here/hashes.sh" "$here/$1")
  known=$(echo "$hashes" | awk '
    FNR == NR { if (!/^#/) known[$2] = $3; next }
    known[$1] != $2 { print $1 }' "$here/$2" -)
  for scene in $known; do
    fail "the roots of $scene are not those of version $stored: run accept.sh, which raises the version"
  done

  if git -C "$source" rev-parse -q --verify HEAD > /dev/null 2>&1; then
    git -C "$source" log --format= -p --no-renames -- "tests/golden/$2" 2> /dev/null | grep '^-[0-9]' |
      while read -r line; do echo "$2: the history has taken a line back: ${line#-}" >&2; exit 1; done ||
      failures=$((failures + 1))
    git -C "$source" show "HEAD:tests/golden/$2" 2> /dev/null | grep -v '^#' |
      while read -r line; do grep -qxF "$line" "$here/$2" || { echo "$2: a line is gone: $line" >&2; exit 1; }; done ||
      failures=$((failures + 1))
  fi
  said="$said$kind: $(echo "$hashes" | wc -l) scenes have the roots of version $stored
"
}
said=
while read -r kind roots versions kernel; do
  [ "$kind" = "#" ] || check "$roots" "$versions" "$kernel" < /dev/null
done < "$here/kinds.txt"

[ "$failures" -eq 0 ] || exit 1
printf %s "$said"
