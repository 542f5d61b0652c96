#!/bin/sh
# The unit for systemd: its options are the server's, systemd finds nothing wrong with it, and little is open to it.
#   sh tests/e2e/unit_test.sh SERVER FOLDER-OF-THE-UNIT SCRATCH
set -eu
server=$1 from=$2 scratch=$3
fail() {
    echo "unit_test.sh: $*" >&2
    exit 1
}
unit=$from/isostep-server.service
command=$(sed -n 's|^ExecStart=/usr/bin/isostep-server ||p' "$unit")
[ -n "$command" ] || fail "the unit does not start /usr/bin/isostep-server"
for word in $command; do
    case $word in
    --*) "$server" --help | grep -q -- "^  $word " || fail "the server has no option $word" ;;
    esac
done
grep -q '^Type=notify$' "$unit" || fail "the unit does not wait until the server is ready"
if ! command -v systemd-analyze >/dev/null; then
    echo "systemd-analyze is not here: the unit was compared with --help alone"
    exit 0
fi
rm -rf "$scratch"
mkdir -p "$scratch"
# As root runs it: the user is made by systemd-sysusers.
service=$scratch/isostep-server.service
sed "s|/usr/bin/isostep-server|$server|; s|^User=.*|User=root|; s|^Group=.*|Group=root|" "$unit" >"$service"
said=$(systemd-analyze verify --man=no --recursive-errors=no "$service" 2>&1) || fail "verify: $said"
[ -z "$said" ] || fail "verify: $said"
# From 0 (nothing is open) to 100 (everything).
systemd-analyze security --offline=true --threshold=20 "$unit" >"$scratch/security" ||
    fail "security: $(cat "$scratch/security")"
if command -v systemd-sysusers >/dev/null; then
    mkdir -p "$scratch/root/etc"
    systemd-sysusers --root="$scratch/root" --replace=/usr/lib/sysusers.d/isostep-server.conf \
        "$from/isostep-server.sysusers" >"$scratch/users" 2>&1 ||
        fail "sysusers: $(cat "$scratch/users")"
    grep -q '^isostep:' "$scratch/root/etc/passwd" || fail "sysusers has made no user"
fi
echo "the unit is right"
