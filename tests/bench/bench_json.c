/// Results as JSON, written and read. The keys are listed once, for both ways.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json-c/json.h>

#include "bench_report.h"
#include "isostep/proto/text.h"

#define FORMAT        1
#define SIZE_MAX_READ (16u << 20)
#define US_MAX        1e12 // twelve days

// ---- writing -------------------------------------------------------------------------------------

static void write_text(FILE *out, const char *key, const char *text) {
    fprintf(out, "\"%s\":", key);
    iso_print_json_string(out, text);
    fputc(',', out);
}

static void write_time(FILE *out, const char *name, bench_time time) {
    fprintf(out, "\"%s_us\":%.3f,\"%s_low_us\":%.3f,\"%s_high_us\":%.3f,", name, time.median, name, time.low, name,
            time.high);
}

static void write_result(FILE *out, const bench_result *r) {
    fputc('{', out);
    write_text(out, "scene", r->scene);
    write_text(out, "simd", r->simd);
    fprintf(out,
            "\"threads\":%u,\"steps\":%u,\"runs\":%u,\"bodies\":%u,\"joints\":%u,\"contacts\":%u,\"contacts_most\":%u,",
            r->threads, r->steps, r->runs, r->bodies, r->joints, r->contacts, r->contacts_most);
    write_text(out, "root", r->root);
#define WRITE_TIME(name) write_time(out, #name, r->name);
    BENCH_TIME_LIST(WRITE_TIME)
#undef WRITE_TIME
    fprintf(out, "\"step_slowest_us\":%.3f,\"image_bytes\":%zu,\"snapshot_bytes\":%zu,", r->step_slowest, r->image_size,
            r->snapshot_size);
    const char *separator = "";
    if (r->has_stages) {
        fputs("\"stages_us\":{", out);
#define WRITE_STAGE(name, text)                                       \
    fprintf(out, "%s\"" #name "\":%.3f", separator, r->stage_##name); \
    separator = ",";
        BENCH_STAGE_LIST(WRITE_STAGE)
#undef WRITE_STAGE
        fputs("},", out);
    }
    fputs("\"peers\":[", out);
    separator = "";
    for (unsigned i = 0; i < BENCH_PEERS_MAX && r->peers[i].name[0] != 0; ++i) {
        fprintf(out, "%s{", separator);
        write_text(out, "name", r->peers[i].name);
        fprintf(out, "\"step_us\":%.3f}", r->peers[i].step);
        separator = ",";
    }
    fputs("]}", out);
}

bool bench_write_json(const char *path, const bench_results *results) {
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (out != NULL) {
        fprintf(out, "{\"format\":%d,\"results\":[", FORMAT);
        for (size_t i = 0; i < results->count; ++i) {
            fputs(i > 0 ? ",\n" : "\n", out);
            write_result(out, &results->list[i]);
        }
        fputs("\n]}\n", out);
    }
    const bool is_written = out != NULL && fflush(out) == 0 && !ferror(out);
    const int fault = errno;
    if (out != NULL && out != stdout) {
        fclose(out);
    }
    if (!is_written) {
        iso_print(stderr, "isostep-bench: %s: %s\n", path, strerror(fault));
    }
    return is_written;
}

// ---- reading -------------------------------------------------------------------------------------

/// What is missing or of another type is noted by its key; the first one stays.
typedef struct json_reader {
    const char *missing;
} json_reader;

static json_object *get(json_reader *reader, json_object *from, const char *key, json_type type) {
    json_object *value = NULL;
    const bool is_there = json_object_object_get_ex(from, key, &value);
    const json_type own = json_object_get_type(value);
    const bool is_right = is_there && (own == type || (type == json_type_double && own == json_type_int));
    reader->missing = !is_right && reader->missing == NULL ? key : reader->missing;
    return is_right ? value : NULL;
}

static void read_text(json_reader *reader, json_object *from, const char *key, char *to, size_t size) {
    json_object *value = get(reader, from, key, json_type_string);
    const char *text = value != NULL ? json_object_get_string(value) : "";
    bool is_right = strlen(text) < size;
    for (const char *at = text; *at != 0; ++at) {
        is_right = is_right && (unsigned char)*at >= ' ' && *at != 0x7f; // a terminal would obey some of the others
    }
    if (!is_right) {
        reader->missing = key;
        text = "";
    }
    memcpy(to, text, strlen(text) + 1);
}

static unsigned read_count(json_reader *reader, json_object *from, const char *key) {
    json_object *value = get(reader, from, key, json_type_int);
    const int64_t number = value != NULL ? json_object_get_int64(value) : 0;
    if (number < 0 || number > UINT32_MAX) {
        reader->missing = key;
        return 0;
    }
    return (unsigned)number;
}

/// A time. The JSON library reads Infinity and NaN as well, which no picture has room for.
static double read_number(json_reader *reader, json_object *from, const char *key) {
    json_object *value = get(reader, from, key, json_type_double);
    const double number = value != NULL ? json_object_get_double(value) : 0;
    if (!(number >= 0 && number <= US_MAX)) {
        reader->missing = key;
        return 0;
    }
    return number;
}

static bench_time read_time(json_reader *reader, json_object *from, const char *median, const char *low,
                            const char *high) {
    return (bench_time){read_number(reader, from, median), read_number(reader, from, low),
                        read_number(reader, from, high)};
}

static void read_peers(json_reader *reader, json_object *from, bench_result *r) {
    json_object *list = get(reader, from, "peers", json_type_array);
    const size_t count = list != NULL ? json_object_array_length(list) : 0;
    for (size_t i = 0; i < count && i < BENCH_PEERS_MAX; ++i) {
        json_object *peer = json_object_array_get_idx(list, i);
        read_text(reader, peer, "name", r->peers[i].name, sizeof r->peers[i].name);
        r->peers[i].step = read_number(reader, peer, "step_us");
    }
}

static void read_result(json_reader *reader, json_object *from, bench_result *r) {
    *r = (bench_result){.threads = read_count(reader, from, "threads")};
    read_text(reader, from, "scene", r->scene, sizeof r->scene);
    read_text(reader, from, "simd", r->simd, sizeof r->simd);
    read_text(reader, from, "root", r->root, sizeof r->root);
    r->steps = read_count(reader, from, "steps");
    r->runs = read_count(reader, from, "runs");
    r->bodies = read_count(reader, from, "bodies");
    r->joints = read_count(reader, from, "joints");
    r->contacts = read_count(reader, from, "contacts");
    r->contacts_most = read_count(reader, from, "contacts_most");
#define READ_TIME(name) r->name = read_time(reader, from, #name "_us", #name "_low_us", #name "_high_us");
    BENCH_TIME_LIST(READ_TIME)
#undef READ_TIME
    r->step_slowest = read_number(reader, from, "step_slowest_us");
    r->image_size = read_count(reader, from, "image_bytes");
    r->snapshot_size = read_count(reader, from, "snapshot_bytes");
    json_object *stages = NULL;
    r->has_stages = json_object_object_get_ex(from, "stages_us", &stages);
#define READ_STAGE(name, text) r->stage_##name = r->has_stages ? read_number(reader, stages, #name) : 0;
    BENCH_STAGE_LIST(READ_STAGE)
#undef READ_STAGE
    read_peers(reader, from, r);
}

/// The whole file, or NULL after a line on standard error. The caller frees it.
static char *read_file(const char *path) {
    struct stat info;
    FILE *in = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL; // a FIFO might never end
    char *text = in != NULL && info.st_size <= (off_t)SIZE_MAX_READ ? calloc(1, (size_t)info.st_size + 1) : NULL;
    if (text == NULL || fread(text, 1, (size_t)info.st_size, in) != (size_t)info.st_size) {
        iso_print(stderr, "isostep-bench: %s: cannot be read\n", path);
        free(text);
        text = NULL;
    }
    if (in != NULL) {
        fclose(in);
    }
    return text;
}

bool bench_read_json(const char *path, bench_results *results) {
    char *text = read_file(path);
    if (text == NULL) {
        return false;
    }
    json_object *root = json_tokener_parse(text);
    if (root == NULL) {
        iso_print(stderr, "isostep-bench: %s: not JSON, or it ends too early\n", path);
        free(text);
        return false;
    }
    json_reader reader = {NULL};
    json_object *list = get(&reader, root, "results", json_type_array);
    const size_t count = list != NULL ? json_object_array_length(list) : 0;
    const unsigned format = read_count(&reader, root, "format");
    if (reader.missing == NULL && (format != FORMAT || count > BENCH_RESULTS_MAX)) {
        reader.missing = format != FORMAT ? "format" : "results";
    }
    results->count = 0;
    for (size_t i = 0; i < count && reader.missing == NULL; ++i) {
        read_result(&reader, json_object_array_get_idx(list, i), &results->list[results->count++]);
    }
    if (reader.missing != NULL) {
        iso_print(stderr, "isostep-bench: %s: not results of isostep-bench: \"%s\" is missing or wrong\n", path,
                  reader.missing);
    }
    json_object_put(root);
    free(text);
    return reader.missing == NULL;
}
