/// A scene with the files that it includes, as one text. Nothing is read here: the caller provides a function that
/// reads files.
///
/// The texts are not rewritten: slices of them, with their comments and numbers unchanged, are inserted at the
/// beginning of the scene's own lists. So an error of the whole text is found again in the file that its slice comes
/// from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

enum { LIST_MATERIALS, LIST_CONSTRAINTS, LIST_BLUEPRINTS, LIST_BODIES, LIST_JOINTS, LIST_COMPOUNDS, LIST_COUNT };

static const struct {
    const char *name;
    bool is_array;
} lists[LIST_COUNT] = {{"materials", false}, {"constraints", false}, {"blueprints", true},
                       {"bodies", true},     {"joints", true},       {"compounds", true}};

/// A part of a text, without its brackets.
typedef struct source_slice {
    size_t start, size;
    uint32_t count; // of elements or members
    bool is_present;
} source_slice;

typedef struct source_file {
    char path[ISO_SCENE_PATH_MAX + 1];
    char *text;
    size_t size;
    source_slice slices[LIST_COUNT];
} source_file;

/// A piece of the whole text, and where it comes from.
typedef struct source_piece {
    size_t start;               // in the whole text
    size_t offset;              // in the file
    uint32_t file;              // the scene itself is 0
    uint32_t first[LIST_COUNT]; // the index in the whole list of the file's element 0
} source_piece;

#define PIECES_MAX (ISO_SCENE_FILES_MAX * LIST_COUNT + 2 * LIST_COUNT + 4)

struct iso_scene_source {
    source_file files[ISO_SCENE_FILES_MAX];
    uint32_t file_count;
    uint32_t order[ISO_SCENE_FILES_MAX]; // each file behind those that it includes
    uint32_t order_count;
    uint32_t chain[ISO_SCENE_INCLUDE_MAX + 1]; // the files that are read now, each included by the one before
    size_t size_total;
    source_slice include; // of the scene itself
    const iso_scene_files *access;
    iso_scene_error *error;

    char *text;
    size_t size;
    source_piece pieces[PIECES_MAX];
    uint32_t piece_count;
};

// ---- paths ---------------------------------------------------------------------------------------

/// The path of a file that is named in another one, from the scene's folder. @return NULL, or what was expected
static const char *path_join(const char *from, const char *name, char path[ISO_SCENE_PATH_MAX + 1]) {
    static const char expected[] = "the path of a file from the including one's, with \"/\" between its parts";
    const char *slash = strrchr(from, '/');
    size_t length = slash != NULL ? (size_t)(slash - from) : 0;
    memcpy(path, from, length);
    if (*name == '/' || strchr(name, '\\') != NULL) {
        return expected;
    }
    for (const char *at = name;; ++at) {
        const size_t part = strcspn(at, "/");
        for (size_t i = 0; i < part; ++i) {
            if ((unsigned char)at[i] < 0x20 || at[i] == 0x7F) {
                return expected;
            }
        }
        if (part == 0) {
            return expected;
        }
        if (part == 2 && memcmp(at, "..", 2) == 0) {
            if (length == 0) {
                return "a path that stays within the scene's folder";
            }
            while (length > 0 && path[--length] != '/') {
            }
        } else if (part != 1 || *at != '.') {
            if (length + 1 + part > ISO_SCENE_PATH_MAX) {
                return "a path of at most 255 bytes";
            }
            path[length] = '/';
            length += length > 0;
            memcpy(path + length, at, part);
            length += part;
        }
        at += part;
        if (*at == 0) {
            path[length] = 0;
            return length > 0 ? NULL : expected;
        }
    }
}

// ---- files ---------------------------------------------------------------------------------------

static bool source_visit(iso_scene_source *s, uint32_t index, uint32_t depth, iso_status *status);

/// Says that a file includes one that is being read.
static void circle_invalid(const iso_scene_source *s, iso__scene_reader *reader, const iso__scene_node *node,
                           uint32_t from, uint32_t depth) {
    char expected[sizeof reader->error->expected] = "no circle: ";
    for (uint32_t i = from; i <= depth; ++i) {
        const char *path = s->files[s->chain[i]].path;
        iso__scene_append(expected, sizeof expected, path, strlen(path));
        iso__scene_append(expected, sizeof expected, " includes ", 10);
    }
    const char *path = s->files[s->chain[from]].path;
    iso__scene_append(expected, sizeof expected, path, strlen(path));
    iso__scene_invalid(reader, node, expected);
}

/// Reads the file of a path. @return its index; 0 when it is wrong or has been read before
static uint32_t source_open(iso_scene_source *s, iso__scene_reader *reader, const iso__scene_node *node,
                            const char *path, uint32_t depth) {
    for (uint32_t i = 0; i <= depth; ++i) {
        if (strcmp(s->files[s->chain[i]].path, path) == 0) {
            circle_invalid(s, reader, node, i, depth);
            return 0;
        }
    }
    for (uint32_t i = 0; i < s->file_count; ++i) {
        if (strcmp(s->files[i].path, path) == 0) {
            return 0;
        }
    }
    if (s->file_count == ISO_SCENE_FILES_MAX || depth == ISO_SCENE_INCLUDE_MAX) {
        iso__scene_invalid(reader, node,
                           depth == ISO_SCENE_INCLUDE_MAX ? "at most 8 files that include each other in a row"
                                                          : "at most 64 files, the scene's own among them");
        return 0;
    }
    source_file *file = &s->files[s->file_count];
    const char *why = "";
    if (!s->access->read(s->access->user, path, &file->text, &file->size, &why)) {
        char expected[sizeof reader->error->expected];
        snprintf(expected, sizeof expected, "a file that can be read (%s: %s)", path, why);
        iso__scene_invalid(reader, node, expected);
        return 0;
    }
    snprintf(file->path, sizeof file->path, "%s", path);
    s->size_total += file->size;
    ++s->file_count;
    if (file->size > ISO_SCENE_SIZE_MAX || s->size_total > ISO_SCENE_SIZE_MAX) {
        iso__scene_invalid(reader, node, "files of at most 67108864 bytes together");
        return 0;
    }
    return s->file_count - 1;
}

/// Reads what a file includes. @return false after an error of another file, which is already reported
static bool source_includes(iso_scene_source *s, iso__scene_reader *reader, const iso__scene_node *root, uint32_t index,
                            uint32_t depth, iso_status *status) {
    const iso__scene_node node = iso__scene_member(root, "include");
    const size_t count = node.is_present ? iso__scene_array(reader, &node, 0, SIZE_MAX) : 0;
    for (size_t i = 0; i < count && reader->status == ISO_OK; ++i) {
        char path[ISO_SCENE_PATH_MAX + 1];
        const iso__scene_node item = iso__scene_item(&node, i);
        const char *name = iso__scene_string(reader, &item, ISO_SCENE_PATH_MAX, "the path of a file");
        const char *expected = reader->status == ISO_OK ? path_join(s->files[index].path, name, path) : NULL;
        if (expected != NULL) {
            iso__scene_invalid(reader, &item, expected);
        }
        const uint32_t file = reader->status == ISO_OK ? source_open(s, reader, &item, path, depth) : 0;
        if (file != 0 && !source_visit(s, file, depth + 1, status)) {
            return false;
        }
    }
    return true;
}

/// Finds the insides of the lists of a file.
static void source_slices(iso__scene_reader *reader, const iso__scene_node *root, source_file *file) {
    for (int i = 0; i < LIST_COUNT && reader->status == ISO_OK; ++i) {
        const iso__scene_node node = iso__scene_member(root, lists[i].name);
        if (!node.is_present) {
            continue;
        }
        if (!json_object_is_type(node.json, lists[i].is_array ? json_type_array : json_type_object)) {
            iso__scene_invalid(reader, &node, lists[i].is_array ? "an array" : "an object");
            return;
        }
        char path[16];
        size_t start, end;
        snprintf(path, sizeof path, "/%s", lists[i].name);
        iso__scene_find(file->text, file->size, path, &start, &end);
        const size_t count =
            lists[i].is_array ? json_object_array_length(node.json) : (size_t)json_object_object_length(node.json);
        file->slices[i] = (source_slice){start + 1, end - start - 2, (uint32_t)count, true};
    }
}

/// Reads the lists of a file and, before them, what it includes. @return false: *status and the error say why
static bool source_visit(iso_scene_source *s, uint32_t index, uint32_t depth, iso_status *status) {
    source_file *file = &s->files[index];
    iso__scene_reader reader = {.error = s->error, .error_capacity = 1};
    json_object *json = NULL;
    s->chain[depth] = index;
    reader.status = iso__scene_parse_text(file->text, file->size, false, &json, s->error);
    const iso__scene_node root = {NULL, NULL, 0, json, true};
    if (index > 0 && reader.status == ISO_OK) {
        iso__scene_object(&reader, &root,
                          "format description include materials constraints blueprints bodies joints compounds");
    }
    // iso_scene_parse reports all errors of a scene that includes nothing.
    const bool is_alone = index == 0 && !iso__scene_member(&root, "include").is_present;
    const bool has_told = reader.status == ISO_OK && !source_includes(s, &reader, &root, index, depth, status);
    if (!is_alone && !has_told) {
        source_slices(&reader, &root, file);
    }
    json_object_put(json);
    if (has_told) {
        return false;
    }
    s->order[s->order_count++] = index;
    *status = reader.status;
    if (reader.status == ISO_ERR_SCENE_INVALID) {
        iso_scene_error_locate(s->error, file->text, file->size);
        snprintf(s->error->file, sizeof s->error->file, "%s", index > 0 ? file->path : "");
    }
    return reader.status == ISO_OK;
}

// ---- the whole text ------------------------------------------------------------------------------

static void write_bytes(iso_scene_source *s, const char *bytes, size_t size) {
    memcpy(s->text + s->size, bytes, size);
    s->size += size;
}

static void write_text(iso_scene_source *s, const char *text) {
    write_bytes(s, text, strlen(text));
}

static source_piece *write_piece(iso_scene_source *s, uint32_t file, size_t start, size_t end) {
    source_piece *piece = &s->pieces[s->piece_count++];
    *piece = (source_piece){.start = s->size, .offset = start, .file = file};
    write_bytes(s, s->files[file].text + start, end - start);
    return piece;
}

/// Writes what the included files have for a list. @return how many elements
static uint32_t write_list(iso_scene_source *s, int list) {
    uint32_t count = 0;
    // The last one is the scene itself.
    for (uint32_t i = 0; i + 1 < s->order_count; ++i) {
        const source_slice *slice = &s->files[s->order[i]].slices[list];
        if (slice->count > 0) {
            write_text(s, count > 0 ? ",\n" : "");
            write_piece(s, s->order[i], slice->start, slice->start + slice->size)->first[list] = count;
            count += slice->count;
        }
    }
    return count;
}

/// The scene's lists in the order in which they stand in its text, with "include" among them as LIST_COUNT.
static void sort_lists(const iso_scene_source *s, int order[LIST_COUNT + 1]) {
    for (int i = 0; i <= LIST_COUNT; ++i) {
        const size_t start = i < LIST_COUNT ? s->files[0].slices[i].start : s->include.start;
        int to = i;
        for (; to > 0; --to) {
            const int before = order[to - 1];
            if ((before < LIST_COUNT ? s->files[0].slices[before].start : s->include.start) <= start) {
                break;
            }
            order[to] = before;
        }
        order[to] = i;
    }
}

/// Whether an included file has something for a list that the scene has not.
static bool list_is_due(const iso_scene_source *s, int list) {
    bool is_due = false;
    for (uint32_t i = 0; i + 1 < s->order_count; ++i) {
        is_due = is_due || s->files[s->order[i]].slices[list].count > 0;
    }
    return is_due && !s->files[0].slices[list].is_present;
}

/// Writes the scene's own text, with what it includes in its lists or, where it has none, before all else.
static void write_scene(iso_scene_source *s) {
    const source_file *own = &s->files[0];
    uint32_t first[LIST_COUNT] = {0};
    size_t at, end;
    iso__scene_find(own->text, own->size, "", &at, &end);
    write_piece(s, 0, 0, ++at);
    for (int i = 0; i < LIST_COUNT; ++i) {
        if (list_is_due(s, i)) {
            char key[24];
            snprintf(key, sizeof key, "\"%s\": %c", lists[i].name, lists[i].is_array ? '[' : '{');
            write_text(s, key);
            write_list(s, i);
            write_text(s, lists[i].is_array ? "],\n" : "},\n");
        }
    }
    int order[LIST_COUNT + 1];
    sort_lists(s, order);
    for (int i = 0; i <= LIST_COUNT; ++i) {
        const source_slice *slice = order[i] < LIST_COUNT ? &own->slices[order[i]] : &s->include;
        if (!slice->is_present) {
            continue;
        }
        write_piece(s, 0, at, slice->start);
        at = slice->start;
        if (order[i] == LIST_COUNT) {
            at += slice->size;
        } else {
            first[order[i]] = write_list(s, order[i]);
            write_text(s, first[order[i]] > 0 && slice->count > 0 ? ",\n" : "");
        }
    }
    write_piece(s, 0, at, own->size);
    for (uint32_t i = 0; i < s->piece_count; ++i) {
        if (s->pieces[i].file == 0) {
            memcpy(s->pieces[i].first, first, sizeof first);
        }
    }
}

/// @return ISO_OK; ISO_ERR_MEMORY
static iso_status source_write(iso_scene_source *s) {
    size_t end;
    const bool has_include = iso__scene_find(s->files[0].text, s->files[0].size, "/include", &s->include.start, &end);
    // Keys, brackets and commas beside the texts themselves.
    s->text = malloc(s->size_total + 2 * PIECES_MAX + 32 * LIST_COUNT);
    if (s->text == NULL) {
        return ISO_ERR_MEMORY;
    }
    if (has_include) {
        s->include = (source_slice){s->include.start + 1, end - s->include.start - 2, 0, true};
        write_scene(s);
    } else {
        write_piece(s, 0, 0, s->files[0].size);
    }
    return ISO_OK;
}

iso_status iso_scene_source_make(const char *text, size_t size, const iso_scene_files *files, iso_scene_source **source,
                                 iso_scene_error *error) {
    iso_scene_source *s = calloc(1, sizeof *s);
    char *copy = malloc(size + 1);
    if (s == NULL || copy == NULL) {
        free(s);
        free(copy);
        return ISO_ERR_MEMORY;
    }
    memset(error, 0, sizeof *error);
    memcpy(copy, text, size);
    s->access = files;
    s->error = error;
    s->files[0].text = copy;
    s->files[0].size = size;
    snprintf(s->files[0].path, sizeof s->files[0].path, "%s", files->name);
    s->file_count = 1;
    s->size_total = size;
    iso_status status = ISO_OK;
    if (source_visit(s, 0, 0, &status)) {
        status = source_write(s);
    }
    if (status != ISO_OK) {
        iso_scene_source_free(s);
        return status;
    }
    *source = s;
    return ISO_OK;
}

const char *iso_scene_source_text(const iso_scene_source *source, size_t *size) {
    *size = source->size;
    return source->text;
}

void iso_scene_source_free(iso_scene_source *source) {
    for (uint32_t i = 0; source != NULL && i < source->file_count; ++i) {
        free(source->files[i].text);
    }
    if (source != NULL) {
        free(source->text);
    }
    free(source);
}

// ---- places --------------------------------------------------------------------------------------

/// Where a line and a column are in the whole text.
static size_t source_offset(const iso_scene_source *s, const iso_scene_error *error) {
    size_t at = 0;
    for (uint32_t line = 1; line < error->line && at < s->size; ++at) {
        line += s->text[at] == '\n';
    }
    return at + error->column - 1;
}

/// Makes an index of the whole list one of the file's own.
static void shift_path(iso_scene_error *error, const source_piece *piece) {
    for (int i = 0; i < LIST_COUNT; ++i) {
        const size_t size = strlen(lists[i].name);
        const bool is_list = lists[i].is_array && strncmp(error->path + 1, lists[i].name, size) == 0;
        if (error->path[0] != '/' || !is_list || error->path[1 + size] != '/') {
            continue;
        }
        char *end;
        const unsigned long index = strtoul(error->path + size + 2, &end, 10);
        if (index < piece->first[i]) {
            return;
        }
        char rest[sizeof error->path];
        snprintf(rest, sizeof rest, "%s", end);
        error->path[size + 1] = 0;
        iso__scene_append_index(error->path, sizeof error->path, index - piece->first[i]);
        iso__scene_append(error->path, sizeof error->path, rest, strlen(rest));
        return;
    }
}

void iso_scene_source_locate(const iso_scene_source *source, iso_scene_error *error) {
    if (error->line == 0) {
        return;
    }
    const size_t at = source_offset(source, error);
    uint32_t i = source->piece_count - 1;
    while (i > 0 && source->pieces[i].start > at) {
        --i;
    }
    const source_piece *piece = &source->pieces[i];
    const source_file *file = &source->files[piece->file];
    iso__scene_place(file->text, file->size, piece->offset + (at - piece->start), error);
    shift_path(error, piece);
    snprintf(error->file, sizeof error->file, "%s", piece->file > 0 ? file->path : "");
}
