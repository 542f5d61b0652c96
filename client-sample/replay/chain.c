/// The files of one session.
#include "chain.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

/// The parts of a file's name.
typedef struct chain_name {
    size_t stem_size; // NAME-UIDPREFIX-
    uint64_t epoch;
    uint64_t number; // of the file in its epoch, from 1
    bool is_part;
} chain_name;

static bool parse_digits(const char **at, uint64_t *value) {
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    char *end;
    *value = strtoull(*at, &end, 10);
    *at = end;
    return true;
}

static bool parse_name(const char *text, chain_name *name) {
    const char *dash = strrchr(text, '-');
    if (dash == NULL || dash == text) {
        return false;
    }
    *name = (chain_name){.stem_size = (size_t)(dash + 1 - text), .number = 1};
    const char *at = dash + 1;
    if (!parse_digits(&at, &name->epoch)) {
        return false;
    }
    if (*at == '.' && isdigit((unsigned char)at[1])) {
        ++at;
        parse_digits(&at, &name->number);
    }
    name->is_part = strcmp(at, ".isr.part") == 0;
    return name->is_part || strcmp(at, ".isr") == 0;
}

static int compare_names(const chain_name *a, const chain_name *b) {
    if (a->epoch != b->epoch) {
        return a->epoch < b->epoch ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int compare_paths(const void *a, const void *b) {
    chain_name x, y;
    parse_name(base_of(*(char *const *)a), &x);
    parse_name(base_of(*(char *const *)b), &y);
    return compare_names(&x, &y);
}

static bool add(replay_chain *chain, const char *folder, size_t folder_size, const char *name) {
    char **paths = realloc(chain->paths, (chain->count + 1) * sizeof *paths);
    char *path = malloc(folder_size + strlen(name) + 1);
    if (paths != NULL) {
        chain->paths = paths;
    }
    if (paths == NULL || path == NULL) {
        free(path);
        return false;
    }
    memcpy(path, folder, folder_size);
    strcpy(path + folder_size, name);
    chain->paths[chain->count++] = path;
    return true;
}

/// Adds the files that come after the last one.
static bool follow_names(replay_chain *chain) {
    const char *last = chain->paths[chain->count - 1];
    const char *base = base_of(last);
    const size_t folder_size = (size_t)(base - last);
    chain_name own;
    if (!parse_name(base, &own)) {
        return true;
    }
    char *folder = malloc(folder_size + 2);
    if (folder == NULL) {
        return false;
    }
    memcpy(folder, folder_size > 0 ? last : ".", folder_size > 0 ? folder_size : 1);
    folder[folder_size > 0 ? folder_size : 1] = 0;
    DIR *dir = opendir(folder);
    free(folder);
    const uint32_t first = chain->count;
    bool ok = true;
    for (struct dirent *entry = dir != NULL ? readdir(dir) : NULL; ok && entry != NULL; entry = readdir(dir)) {
        chain_name name;
        if (parse_name(entry->d_name, &name) && name.stem_size == own.stem_size &&
            strncmp(entry->d_name, base, own.stem_size) == 0 && compare_names(&name, &own) > 0) {
            ok = add(chain, chain->paths[first - 1], folder_size, entry->d_name);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    qsort(chain->paths + first, chain->count - first, sizeof *chain->paths, compare_paths);
    return ok;
}

/// A file and the content of its header.
typedef struct chain_file {
    char *path;
    uint32_t place; // among the arguments
    bool is_readable;
    replay_identity identity;
} chain_file;

static int compare_files(const void *a, const void *b) {
    const chain_file *x = a, *y = b;
    if (x->is_readable != y->is_readable) {
        return x->is_readable ? 1 : -1;
    }
    if (x->identity.epoch != y->identity.epoch) {
        return x->identity.epoch < y->identity.epoch ? -1 : 1;
    }
    if (x->identity.first_tick != y->identity.first_tick) {
        return x->identity.first_tick < y->identity.first_tick ? -1 : 1;
    }
    const int uid = memcmp(x->identity.uid, y->identity.uid, sizeof x->identity.uid);
    return uid != 0 ? uid : (x->place > y->place) - (x->place < y->place);
}

/// A shell sorts epoch 10 before epoch 2, and people rename files: only headers determine the order. A file of another
/// session comes between the others, so that it is found early.
static bool sort_by_headers(replay_chain *chain) {
    if (chain->count < 2) {
        return true;
    }
    chain_file *files = calloc(chain->count, sizeof *files);
    if (files == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < chain->count; ++i) {
        files[i].path = chain->paths[i];
        files[i].place = i;
        files[i].is_readable = iso__replay_file_identify(chain->paths[i], &files[i].identity);
    }
    qsort(files, chain->count, sizeof *files, compare_files);
    for (uint32_t i = 0; i < chain->count; ++i) {
        chain->paths[i] = files[i].path;
    }
    free(files);
    return true;
}

bool iso__replay_chain_make(replay_chain *chain, char *const *paths, int count, bool follow) {
    *chain = (replay_chain){0};
    bool ok = true;
    for (int i = 0; ok && i < count; ++i) {
        ok = add(chain, "", 0, paths[i]);
    }
    return ok && sort_by_headers(chain) && (!follow || follow_names(chain));
}

void iso__replay_chain_free(replay_chain *chain) {
    for (uint32_t i = 0; i < chain->count; ++i) {
        free(chain->paths[i]);
    }
    free(chain->paths);
    *chain = (replay_chain){0};
}

uint32_t iso__replay_chain_missing(const iso_recording_header *before, const iso_recording_header *next) {
    return next->epoch > before->epoch ? next->epoch - before->epoch - 1 : 0;
}

bool iso__replay_chain_is_ahead(const replay_file *before, const replay_file *next) {
    return before->recording.header.epoch == next->recording.header.epoch &&
           before->recording.last_tick > next->recording.last_tick;
}

/// What the headers say.
static replay_link check_headers(const iso_recording *before, const iso_recording *next) {
    const iso_recording_header *a = &before->header, *b = &next->header;
    if (memcmp(a->uid, b->uid, sizeof a->uid) != 0 || b->epoch < a->epoch) {
        return REPLAY_LINK_SESSION;
    }
    if (!iso_fingerprint_equal(&a->fingerprint, &b->fingerprint)) {
        return REPLAY_LINK_VERSION;
    }
    if (b->first_tick < a->first_tick) {
        return REPLAY_LINK_STATE;
    }
    return b->first_tick <= before->last_tick ? REPLAY_LINK_GOES_ON : REPLAY_LINK_GAP;
}

/// Whether the first state of the next file is one of the other file's. @return ISO_OK; ISO_ERR_DESYNC; or why that
/// cannot be determined
static iso_status check_state(const iso_recording *before, const iso_recording *next) {
    const uint64_t tick = next->header.first_tick;
    iso_recording_keyframe first;
    iso_recording_find_keyframe(next, tick, &first);
    replay_walk walk;
    iso_status status = iso__replay_walk_make(&walk, before);
    status = status == ISO_OK ? iso__replay_walk_seek(&walk, tick) : status;
    if (status == ISO_OK && iso_world_root(walk.world.world) != first.root) {
        status = ISO_ERR_DESYNC;
    }
    iso__replay_walk_free(&walk);
    return status;
}

iso_status iso__replay_chain_check(const replay_file *before, const replay_file *next, replay_link *link) {
    *link = check_headers(&before->recording, &next->recording);
    const iso_status status = *link == REPLAY_LINK_GOES_ON ? check_state(&before->recording, &next->recording) : ISO_OK;
    if (status == ISO_ERR_DESYNC) {
        *link = REPLAY_LINK_STATE;
        return ISO_OK;
    }
    return status;
}

uint64_t iso__replay_chain_overlap(const replay_file *before, const replay_file *next) {
    const iso_recording *a = &before->recording, *b = &next->recording;
    // Within an epoch two files have some ticks in common, and they are the same.
    const bool goes_back = b->header.epoch > a->header.epoch && b->header.first_tick < a->last_tick;
    return goes_back ? a->last_tick - b->header.first_tick : 0;
}

static void report_version(const replay_file *before, const replay_file *next) {
    const iso_recording_header *a = &before->recording.header, *b = &next->recording.header;
    iso_print(stderr,
              "isostep-replay: %s was recorded by '%s' (simulation version %u, of the game %u), %s by '%s' (%u, %u): "
              "another version, which computes other states; verify each by the program of its version\n",
              next->path, b->build, b->fingerprint.simulation_version, b->fingerprint.game_version, before->path,
              a->build, a->fingerprint.simulation_version, a->fingerprint.game_version);
}

static const char *why_not(const iso_recording *before, const iso_recording *next, replay_link link) {
    if (link == REPLAY_LINK_SESSION) {
        return memcmp(before->header.uid, next->header.uid, sizeof before->header.uid) != 0
                   ? "it is of another session"
                   : "it is of an earlier epoch";
    }
    if (link == REPLAY_LINK_STATE) {
        return next->header.first_tick < before->header.first_tick ? "it begins before it"
                                                                   : "its first state is another one";
    }
    return before->is_degraded ? "there are ticks between them, since its recording had ended early: a disk error"
                               : "there are ticks between them";
}

void iso__replay_chain_report(const replay_file *before, const replay_file *next, replay_link link) {
    const iso_recording *a = &before->recording, *b = &next->recording;
    const uint64_t overlap = iso__replay_chain_overlap(before, next);
    if (link == REPLAY_LINK_GOES_ON && overlap > 0) {
        iso_print(stderr,
                  "isostep-replay: %s (epoch %u) goes back to tick %llu of %s (epoch %u): of that the last %llu "
                  "tick%s, up to tick %llu, %s of another branch\n",
                  next->path, b->header.epoch, (unsigned long long)b->header.first_tick, before->path, a->header.epoch,
                  (unsigned long long)overlap, iso_text_plural(overlap), (unsigned long long)a->last_tick,
                  overlap == 1 ? "is" : "are");
    } else if (link == REPLAY_LINK_VERSION) {
        report_version(before, next);
    } else if (link != REPLAY_LINK_GOES_ON) {
        iso_print(stderr,
                  "isostep-replay: %s (epoch %u, from tick %llu) does not continue %s (epoch %u, to tick %llu): %s\n",
                  next->path, b->header.epoch, (unsigned long long)b->header.first_tick, before->path, a->header.epoch,
                  (unsigned long long)a->last_tick, why_not(a, b, link));
    }
}

/// An epoch can have left no file: a server that dies before its first keyframe is whole.
void iso__replay_chain_report_missing(const iso_recording_header *before, const iso_recording_header *next) {
    const bool is_same = memcmp(before->uid, next->uid, sizeof before->uid) == 0;
    const uint32_t count = is_same ? iso__replay_chain_missing(before, next) : 0;
    if (count == 1) {
        iso_print(stderr, "isostep-replay: of epoch %u there is no file\n", next->epoch - 1);
    } else if (count > 1) {
        iso_print(stderr, "isostep-replay: of epochs %u to %u there is no file\n", before->epoch + 1, next->epoch - 1);
    }
}
