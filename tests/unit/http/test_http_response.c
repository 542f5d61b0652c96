/// Heads of answers, and the files in memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http/files.h"
#include "http/response.h"

static void test_head_has_type_size_and_end(void **state) {
    (void)state;
    char bytes[ISO__HTTP_ANSWER_HEAD_MAX + 1] = "";
    const iso__http_head head = {.status = 404, .type = "text/plain", .size = 12, .lines = "X: y\r\n", .ends = true};
    const size_t size = iso__http_head_write(&head, bytes);
    assert_int_equal(size, strlen(bytes));
    assert_string_equal(bytes, "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n"
                               "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX: y\r\n"
                               "Connection: close\r\n\r\n");
}

static void test_not_modified_has_no_size(void **state) {
    (void)state;
    char bytes[ISO__HTTP_ANSWER_HEAD_MAX + 1] = "";
    const iso__http_head head = {.status = 304, .size = 12, .cache = "no-cache"};
    iso__http_head_write(&head, bytes);
    assert_null(strstr(bytes, "Content-Length"));
    assert_non_null(strstr(bytes, "Cache-Control: no-cache\r\n"));
}

static void test_head_that_does_not_fit_is_told(void **state) {
    (void)state;
    char bytes[ISO__HTTP_ANSWER_HEAD_MAX + 1], lines[ISO__HTTP_ANSWER_HEAD_MAX];
    memset(lines, 'x', sizeof lines - 1);
    lines[sizeof lines - 1] = '\0';
    assert_int_equal(iso__http_head_write(&(iso__http_head){.status = 200, .lines = lines}, bytes), 0);
}

static void test_file_is_found_by_path_and_encoding(void **state) {
    (void)state;
    static const iso__http_file files[] = {
        {"/a/index.html", "text/html", "\"1\"", NULL, "no-cache", NULL, 0},
        {"/x.wasm", "application/wasm", "\"2\"", "br", "no-cache", NULL, 0},
        {"/x.wasm", "application/wasm", "\"3\"", "gzip", "no-cache", NULL, 0},
        {"/x.wasm", "application/wasm", "\"4\"", NULL, "no-cache", NULL, 0},
    };
    assert_ptr_equal(iso__http_file_find(files, 4, "/a/", NULL), &files[0]);
    assert_null(iso__http_file_find(files, 4, "/a", NULL));
    assert_null(iso__http_file_find(files, 4, "/", NULL));
    assert_ptr_equal(iso__http_file_find(files, 4, "/x.wasm", "gzip, br"), &files[1]);
    assert_ptr_equal(iso__http_file_find(files, 4, "/x.wasm", "gzip"), &files[2]);
    assert_ptr_equal(iso__http_file_find(files, 4, "/x.wasm", NULL), &files[3]);
    assert_ptr_equal(iso__http_file_find(files, 4, "/x.wasm", "br;q=0, gzip;q=0.5"), &files[2]);
    assert_ptr_equal(iso__http_file_find(files, 4, "/x.wasm", "br; q=0.0, gzip;q=0.000"), &files[3]);
    assert_ptr_equal(iso__http_file_find(files, 4, "/x.wasm", "deflate, BR;q=1"), &files[1]);
    assert_ptr_equal(iso__http_file_find(files, 4, "/x.wasm", "brotli, xgzip"), &files[3]);
}

extern const iso__http_file test_files[]; // of the folder site
extern const size_t test_file_count;

static const iso__http_file *find(const char *path, const char *accepted) {
    return iso__http_file_find(test_files, test_file_count, path, accepted);
}

static void test_folder_becomes_a_table(void **state) {
    (void)state;
    const iso__http_file *page = find("/", NULL), *packed = find("/", "gzip, br");
    assert_non_null(page);
    assert_string_equal(page->path, "/index.html");
    assert_string_equal(page->type, "text/html; charset=utf-8");
    assert_string_equal(page->cache, "no-cache");
    assert_memory_equal(page->bytes, "<!doctype html>\n", 16);
    assert_int_equal(page->tag[0], '"');
    assert_int_equal(strlen(page->tag), 18);
    // gzip made it; the tags differ, since the bytes do.
    assert_string_equal(packed->encoding, "gzip");
    assert_memory_equal(packed->bytes, "\x1F\x8B", 2);
    assert_true(packed->size < page->size);
    assert_string_not_equal(packed->tag, page->tag);

    const iso__http_file *module = find("/assets/module-B1c_D3-x.wasm", "br");
    assert_string_equal(module->type, "application/wasm");
    assert_string_equal(module->cache, "public, max-age=31536000, immutable");
    assert_string_equal(module->encoding, "br");
    assert_memory_equal(module->bytes, "brotli", module->size);
    module = find("/assets/module-B1c_D3-x.wasm", "gzip"); // not worth it
    assert_null(module->encoding);
    assert_memory_equal(module->bytes, "\0asm\1\0\0\0", 8);
    assert_string_equal(find("/assets/module-B1c_D3-x.js", NULL)->type, "text/javascript; charset=utf-8");
    assert_null(find("/assets/module-B1c_D3-x.js.map", NULL));
    assert_null(find("/assets/module-B1c_D3-x.wasm.br", NULL));
    assert_null(find("/assets/", NULL));
}

static void test_server_has_a_page(void **state) {
    (void)state;
    assert_non_null(iso__http_file_find(iso__http_files, iso__http_file_count, "/", NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_has_type_size_and_end),
        cmocka_unit_test(test_not_modified_has_no_size),
        cmocka_unit_test(test_head_that_does_not_fit_is_told),
        cmocka_unit_test(test_file_is_found_by_path_and_encoding),
        cmocka_unit_test(test_folder_becomes_a_table),
        cmocka_unit_test(test_server_has_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
