/// proto/SCENE.md against the parser: its example parses, and it names every key and word that the parser knows.
#include "test_scene_util.h"

static char document[65536];

static void read_document(void)
{
    FILE *file = fopen(ISO_TEST_PROTO_DIR "/SCENE.md", "rb");
    assert_non_null(file);
    const size_t size = fread(document, 1, sizeof document - 1, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof document - 1);
    document[size] = 0;
}

static void test_scene_document_example_parses(void **state)
{
    (void)state;
    read_document();
    const char *start = strstr(document, "```json\n");
    assert_non_null(start);
    start += strlen("```json\n");
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = 0;
    iso_scene *scene = parse_ok(start);
    assert_int_equal(scene->body_count, 10);
    assert_int_equal(scene->joint_count, 9);
    // Hook and ball are where the chain ends.
    assert_int_equal(scene->joints[0].def.anchor_a.y, 0);
    assert_int_equal(scene->joints[8].def.anchor_b.y, 32768);
    iso_scene_free(scene);
}

/// Each word after the colon or "one of" of what was expected must stand in the document as code.
static void check_words(const char *text)
{
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(parse(text, strlen(text), &scene, &error), ISO_ERR_SCENE_INVALID);
    char *list = strstr(error.expected, "one of ");
    assert_non_null(list);
    uint32_t count = 0;
    for (char *word = strtok(list + strlen("one of "), ", "); word != NULL; word = strtok(NULL, ", ")) {
        char code[64];
        snprintf(code, sizeof code, "`%s`", word);
        if (strstr(document, code) == NULL) {
            fail_msg("SCENE.md does not mention %s", code);
        }
        count += 1;
    }
    assert_true(count >= 2);
}

#define HEAD "{\"format\": 1, \"name\": \"t\", "
#define BODIES "\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}], "
#define PAIR "\"body_a\": \"a\", \"body_b\": \"b\", "

static void test_scene_document_names_every_key(void **state)
{
    (void)state;
    read_document();
    check_words("{\"?\": 0}");
    check_words(HEAD "\"capacities\": {\"?\": 0}}");
    check_words(HEAD "\"world\": {\"?\": 0}}");
    check_words(HEAD "\"game\": {\"?\": 0}}");
    check_words(HEAD "\"materials\": {\"m\": {\"?\": 0}}}");
    check_words(HEAD "\"bodies\": [{\"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"type\": \"?\"}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"owner\": \"?\"}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"?\"}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"circle\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"box\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"polygon\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"capsule\", \"?\": 0}]}]}");
    check_words(HEAD "\"bodies\": [{\"name\": \"b\", \"shapes\": [{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"?\": 0}}]}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"?\"}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"row\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"chain\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"grid\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"pyramid\", \"?\": 0}]}");
    check_words(HEAD "\"bodies\": [{\"generator\": \"copies\", \"?\": 0}]}");
    check_words(HEAD "\"joints\": [{\"kind\": \"?\"}]}");
#define CHECK_KIND(name, number, snake, has) check_words(HEAD "\"joints\": [{\"kind\": \"" #snake "\", \"?\": 0}]}");
    ISO_JOINT_KIND_LIST(CHECK_KIND)
#undef CHECK_KIND
    check_words(HEAD "\"bodies\": [{\"generator\": \"chain\", \"name\": \"c\", \"count\": 2, \"step\": [1, 0], \"body\": {}, \"joint\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"revolute\", " PAIR "\"at\": [0, 0], \"limit\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"revolute\", " PAIR "\"at\": [0, 0], \"motor\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"revolute\", " PAIR "\"at\": [0, 0], \"spring\": {\"?\": 0}}]}");
    check_words(HEAD BODIES "\"joints\": [{\"kind\": \"distance\", " PAIR "\"break\": {\"?\": 0}}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_document_example_parses),
        cmocka_unit_test(test_scene_document_names_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
