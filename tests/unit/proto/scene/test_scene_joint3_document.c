/// proto/JOINTS3.md against the code: a section for each kind, in the order of the list, whose examples are of that
/// kind, are read, and build a world that steps.
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "test_scene_util.h"

static char document[32768];

static void read_document(void) {
    read_text("JOINTS3.md", document, sizeof document);
}

/// Builds a scene with one joint, a line of an example.
static void expect_builds(const char *joint, size_t size, uint8_t kind) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": "
        "\"box\", \"half_extents\": [0.3, 0.2, 0.1]}]}, {\"name\": \"b\", \"position\": [1, 0, 0], \"shapes\": "
        "[{\"kind\": \"box\", \"half_extents\": [0.1, 0.2, 0.3]}]}], \"joints\": [%.*s]}",
        (int)size, joint);
    const iso_allocator allocator = iso_heap_allocator();
    iso_scene_error error = {.line = 0};
    iso_scene *scene = parse_ok(text);
    iso_world *world;
    void *memory;
    assert_int_equal(scene->joint_count, 1);
    assert_int_equal(scene->joints3[0].def.kind, kind);
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error), ISO_OK);
    for (int tick = 0; tick < 10; ++tick) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
    free(memory);
    iso_scene_free(scene);
}

/// The section of a kind, up to the next.
static const char *find_section(const char *kind, const char **end) {
    char heading[64];
    snprintf(heading, sizeof heading, "\n## %s\n", kind);
    const char *section = strstr(document, heading);
    if (section == NULL) {
        fail_msg("JOINTS3.md has no section of %s", kind);
        return *end = document; // not reached
    }
    *end = strstr(section + 1, "\n## ");
    *end = *end != NULL ? *end : section + strlen(section);
    return section;
}

static void expect_part(const char *section, const char *end, const char *part) {
    const char *at = strstr(section, part);
    if (at == NULL || at > end) {
        fail_msg("JOINTS3.md: no %s in %.20s", part, section);
    }
}

static uint32_t expect_examples(const char *section, const char *end, uint8_t kind) {
    static const char fence[] = "\n```json\n";
    uint32_t count = 0;
    const char *line = strstr(section, fence);
    assert_true(line != NULL && line < end);
    for (line += strlen(fence); strncmp(line, "```\n", 4) != 0; line = strchr(line, '\n') + 1) {
        assert_true(line < end && strchr(line, '\n') != NULL);
        expect_builds(line, (size_t)(strchr(line, '\n') - line), kind);
        count += 1;
    }
    const char *other = strstr(line, fence);
    assert_true(other == NULL || other > end); // one block in each section
    return count;
}

static void test_joints3_document_has_a_section_for_each_kind(void **state) {
    (void)state;
    read_document();
    const char *before = document, *end;
    uint32_t examples = 0;
#define EXPECT_SECTION(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    {                                                                                  \
        const char *section = find_section(#snake, &end);                              \
        assert_true(section > before);                                                 \
        before = section;                                                              \
        expect_part(section, end, "\n**For** ");                                       \
        expect_part(section, end, "\n**Equations.** ");                                \
        expect_part(section, end, "\n**Limits.** ");                                   \
        examples += expect_examples(section, end, number);                             \
    }
    ISO_JOINT3_KIND_LIST(EXPECT_SECTION)
#undef EXPECT_SECTION
    uint32_t blocks = 0;
    for (const char *at = strstr(document, "```json\n"); at != NULL; at = strstr(at + 1, "```json\n")) {
        blocks += 1;
    }
    assert_int_equal(blocks, 14);
    assert_true(examples >= blocks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints3_document_has_a_section_for_each_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
