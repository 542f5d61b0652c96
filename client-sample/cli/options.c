#include "options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "isostep/client.h"
#include "isostep/proto/codec.h"

const char *iso__cli_options_help(void) {
    return "usage: isostep-client HOST:PORT [options]\n"
           "Joins a session, steps the same world as the server and checks every root.\n"
           "\n"
           "  --session NAME      the session to join (main); several for a swarm\n"
           "  --sessions N        the sessions s0 to s(N-1) instead\n"
           "  --name NAME         the member's name, at most 31 bytes of UTF-8 without control characters, 27 for a "
           "swarm, which\n"
           "                      appends numbers (client)\n"
           "  --password TEXT     of a session that has one, at most 63 bytes of UTF-8; others on this machine can see "
           "it in "
           "the list\n"
           "                      of processes\n"
           "  --role ROLE         player or spectator (player)\n"
           "  --bot BOT           who plays: idle, wander, builder, walker, hound, pinball, rally, or griefer (idle).\n"
           "                      The griefer attacks the server in every way that a client can, prints the answers, "
           "and\n"
           "                      ends with 1 if one was wrong; it needs two slots\n"
           "  --ticks N           leave after N confirmed ticks (play until interrupted)\n"
           "  --reconnect SECONDS how long to try to reconnect when the connection breaks, and to connect at first "
           "when the\n"
           "                      server does not run yet or is full, 0: not at all (60)\n"
           "  --seat FILE         keep the member's seat in this file (mode 0600), which a client that was killed "
           "takes again,\n"
           "                      whether or not the session is full; it is removed when the member leaves\n"
           "  --predict FRAMES    predict a second world with the own input, ahead by the round trip, but by no more "
           "than\n"
           "                      this number of ticks, 0 to 16 (0)\n"
           "  --swarm N           N connections, 1 to 1000, spread over the sessions; the first of each verifies (1)\n"
           "  --verify N          only the first N connections of a swarm step the world and check the roots, the "
           "others play\n"
           "                      and acknowledge (one for each session)\n"
           "  --drill flip@TICK   flip one bit of the own world after TICK, or in its first tick when the session is "
           "past TICK;\n"
           "                      the desync must be found. In a swarm it is the first member's world\n"
           "  --sync-test N       every N ticks create a second world from a snapshot of the own one; it is stepped, "
           "too, and\n"
           "                      must stay equal: finds state that a game keeps outside its state block\n"
           "  --dump-state FILE   after a desync write the own state to FILE, for isostep-replay compare RECORDING "
           "FILE; an\n"
           "                      existing file is not replaced\n"
           "  --list              print the list of sessions\n"
           "  --json              the summary as one JSON object on the last line of standard output\n"
           "  --version           what this program was built from and is compatible with\n"
           "  --help              this text\n"
           "\n"
           "SIGINT and SIGTERM leave the session; a second one does not wait for the server's BYE (the same\n"
           "one within 100 ms does not count).\n"
           "ISO_SIMD in the environment names the instruction set: portable, sse4.1, avx2, avx512 or neon; else the\n"
           "fastest.\n"
           "exit codes: 0 done, 1 a desync or a wrong answer was found, 2 usage, 4 the connection failed or was "
           "refused\n";
}

/// Decimal digits only: no sign, no blank, nothing after them.
static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number) {
    uint64_t value = 0;
    if (*text == 0) {
        return false;
    }
    for (; *text != 0; ++text) {
        if (*text < '0' || *text > '9' || value > (UINT64_MAX - 9u) / 10u) {
            return false;
        }
        value = value * 10u + (uint64_t)(*text - '0');
    }
    *number = value;
    return value >= min && value <= max;
}

static bool parse_address(iso__cli_options *options, const char *text, char *message, size_t capacity) {
    const char *colon = strrchr(text, ':');
    const char *begin = text;
    const char *end = colon;
    uint64_t port;
    if (colon != NULL && text[0] == '[' && colon > text + 1 && colon[-1] == ']') {
        begin = text + 1;
        end = colon - 1;
    } else if (colon != NULL && memchr(text, ':', (size_t)(colon - text)) != NULL) {
        colon = NULL; // an IPv6 address without brackets
    }
    if (colon == NULL || end == begin || (size_t)(end - begin) > ISO__CLI_HOST_MAX ||
        !parse_number(colon + 1, 1, 65535, &port)) {
        snprintf(message, capacity,
                 "\"%s\" is not an address: expected HOST:PORT, such as 127.0.0.1:7790 or [::1]:7790", text);
        return false;
    }
    memcpy(options->host, begin, (size_t)(end - begin));
    options->host[end - begin] = 0;
    snprintf(options->port, sizeof(options->port), "%u", (unsigned)port);
    options->address = text;
    return true;
}

/// One of the words, by its index; -1 for none.
static int find_word(const char *text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(text, words[i]) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/// In the order of iso__cli_bot_kind.
static const char *const bots[] = {"idle", "wander", "builder", "griefer", "walker", "hound", "pinball", "rally"};

const char *iso__cli_options_bot_name(uint8_t bot) {
    return bots[bot];
}

static bool parse_value(iso__cli_options *options, const char *option, const char *value, char *message,
                        size_t capacity) {
    static const char *const roles[] = {"player", "spectator"};
    const char *expected = NULL;
    uint64_t number = 0;
    if (strcmp(option, "--session") == 0) {
        const size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-");
        expected = length > 0 && length <= ISO_SESSION_NAME_MAX && value[length] == 0
                       ? NULL
                       : "1 to 63 characters of a-z, 0-9 and -";
        if (options->session_count == ISO__CLI_SESSIONS_MAX) {
            expected = "no more than 256 sessions";
        } else {
            options->sessions[options->session_count++] = value;
        }
    } else if (strcmp(option, "--sessions") == 0) {
        expected = parse_number(value, 1, ISO__CLI_SESSIONS_MAX, &number) ? NULL : "a number of sessions, 1 to 256";
        options->session_count = (uint32_t)number;
        options->is_numbered = true;
    } else if (strcmp(option, "--name") == 0) {
        options->name = value;
        expected = iso_member_name_is_valid(value) ? NULL : "at most 31 bytes of UTF-8 without control characters";
    } else if (strcmp(option, "--password") == 0) {
        options->password = value;
        expected = iso_password_is_valid(value) ? NULL : "at most 63 bytes of UTF-8 without control characters";
    } else if (strcmp(option, "--seat") == 0) {
        options->seat = value;
        expected = value[0] != 0 ? NULL : "the name of a file";
    } else if (strcmp(option, "--role") == 0) {
        const int role = find_word(value, roles, 2);
        options->role = role == 1 ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER;
        expected = role >= 0 ? NULL : "player or spectator";
    } else if (strcmp(option, "--bot") == 0) {
        const int bot = find_word(value, bots, sizeof bots / sizeof bots[0]);
        options->bot = (uint8_t)(bot >= 0 ? bot : 0);
        expected = bot >= 0 ? NULL : "idle, wander, builder, walker, hound, pinball, rally or griefer";
    } else if (strcmp(option, "--ticks") == 0) {
        expected = parse_number(value, 1, ISO_TICK_END - 1u, &options->ticks) ? NULL : "a number of ticks, 1 or more";
    } else if (strcmp(option, "--reconnect") == 0) {
        expected = parse_number(value, 0, 86400, &number) ? NULL : "a number of seconds, 0 to 86400";
        options->reconnect = (uint32_t)number;
    } else if (strcmp(option, "--predict") == 0) {
        expected = parse_number(value, 0, ISO_CLIENT_PREDICT_MAX, &number) ? NULL : "a number of ticks, 0 to 16";
        options->predict = (uint8_t)number;
    } else if (strcmp(option, "--swarm") == 0) {
        expected = parse_number(value, 1, ISO__CLI_SWARM_MAX, &number) ? NULL : "a number of connections, 1 to 1000";
        options->swarm = (uint32_t)number;
    } else if (strcmp(option, "--verify") == 0) {
        expected = parse_number(value, 1, ISO__CLI_SESSIONS_MAX, &number) ? NULL : "a number of connections, 1 to 256";
        options->verify = (uint32_t)number;
    } else if (strcmp(option, "--drill") == 0) {
        const bool flip = strncmp(value, "flip@", 5) == 0;
        expected = flip && parse_number(value + 5, 1, ISO_TICK_END - 1u, &options->flip_tick)
                       ? NULL
                       : "flip@TICK, the tick 1 or more";
    } else if (strcmp(option, "--sync-test") == 0) {
        expected = parse_number(value, 1, 1000000, &number) ? NULL : "a number of ticks, 1 to 1000000";
        options->sync_test = (uint32_t)number;
    } else if (strcmp(option, "--dump-state") == 0) {
        options->dump_state = value;
        expected = value[0] != 0 && access(value, F_OK) != 0 ? NULL : "a file that does not exist yet";
    }
    if (expected != NULL) {
        snprintf(message, capacity, "%s \"%s\": expected %s", option, value, expected);
    }
    return expected == NULL;
}

/// Checks of options together.
static bool check_together(const iso__cli_options *options, char *message, size_t capacity) {
    const char *fault = NULL;
    if (options->role == ISO_ROLE_SPECTATOR && options->predict > 0) {
        fault = "a spectator has no input to be ahead with: --predict needs --role player";
    } else if (options->role == ISO_ROLE_SPECTATOR && options->bot != ISO__CLI_BOT_IDLE) {
        fault = "a spectator gives no inputs: --bot needs --role player";
    } else if (options->is_numbered && options->sessions[0] != NULL) {
        fault = "--session and --sessions name the sessions in two ways: expected one of them";
    } else if (options->session_count > options->swarm) {
        fault = "there are more sessions than connections: expected --swarm of at least as many";
    } else if (options->verify > options->session_count) {
        fault = "only one connection of each session verifies: expected --verify of at most the number of sessions";
    } else if (options->bot == ISO__CLI_BOT_GRIEFER && (options->sync_test > 0 || options->dump_state != NULL)) {
        fault = "the griefer has no world: --bot griefer goes without --sync-test and --dump-state";
    } else if (options->swarm > 1 && strlen(options->name) + 4u > ISO_MEMBER_NAME_MAX) {
        fault = "--name is too long for a swarm, which appends numbers: expected at most 27 bytes";
    } else if (options->bot == ISO__CLI_BOT_GRIEFER && options->swarm > 1) {
        fault = "the griefer makes its connections by itself: --bot griefer goes without --swarm";
    }
    if (fault == NULL && options->seat != NULL &&
        (options->swarm > 1 || options->is_numbered || options->role == ISO_ROLE_SPECTATOR ||
         options->bot == ISO__CLI_BOT_GRIEFER)) {
        fault = "--seat keeps the seat of one player: it goes without --swarm, --sessions, --role spectator and --bot "
                "griefer";
    }
    if (fault != NULL) {
        snprintf(message, capacity, "%s", fault);
    }
    return fault == NULL;
}

bool iso__cli_options_parse(iso__cli_options *options, int argc, char **argv, char *message, size_t capacity) {
    static const char *const with_value[] = {"--session", "--sessions",  "--reconnect",  "--name",     "--role",
                                             "--bot",     "--ticks",     "--predict",    "--swarm",    "--verify",
                                             "--drill",   "--sync-test", "--dump-state", "--password", "--seat"};
    *options = (iso__cli_options){.name = "client", .role = ISO_ROLE_PLAYER, .swarm = 1, .reconnect = 60};
    for (int i = 1; i < argc; ++i) {
        const char *option = argv[i];
        if (strcmp(option, "--json") == 0) {
            options->json = true;
        } else if (strcmp(option, "--list") == 0) {
            options->list = true;
        } else if (strcmp(option, "--help") == 0 || strcmp(option, "--version") == 0) {
            options->help = option[2] == 'h';
            options->version = option[2] == 'v';
            return true;
        } else if (find_word(option, with_value, sizeof(with_value) / sizeof(with_value[0])) >= 0) {
            if (i + 1 == argc) {
                snprintf(message, capacity, "%s needs a value", option);
                return false;
            }
            i += 1;
            if (!parse_value(options, option, argv[i], message, capacity)) {
                return false;
            }
        } else if (option[0] == '-') {
            snprintf(message, capacity, "there is no option \"%s\"", option);
            return false;
        } else if (options->address != NULL) {
            snprintf(message, capacity, "\"%s\" is a second address: expected one HOST:PORT", option);
            return false;
        } else if (!parse_address(options, option, message, capacity)) {
            return false;
        }
    }
    if (options->address == NULL) {
        snprintf(message, capacity, "the server's address is missing: expected HOST:PORT, such as 127.0.0.1:7790");
        return false;
    }
    if (options->session_count == 0) {
        options->sessions[options->session_count++] = "main";
    }
    return check_together(options, message, capacity);
}
