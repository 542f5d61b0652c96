# Writes OUTPUT, a C file with the bytes of SCENES (a sorted list of .json files) and their table.
set(arrays "")
set(rows "")
set(byte "(0x[0-9a-f][0-9a-f],)")
foreach(file ${SCENES})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "-" "_" symbol ${name})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(${byte}${byte}?${byte}?${byte}?${byte}?${byte}?${byte}?${byte}?)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const char scene_${symbol}[] = {\n${bytes}0x00};\n\n")
  string(APPEND rows "    {\"${name}\", scene_${symbol}, sizeof scene_${symbol} - 1},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from proto/scenes/*.json by embed.cmake.
#include \"isostep/scenes.h\"

#include <string.h>

${arrays}static const iso_builtin_scene scenes[] = {
${rows}};

const iso_builtin_scene *iso_builtin_scene_list(size_t *count) {
    *count = sizeof scenes / sizeof scenes[0];
    return scenes;
}

const iso_builtin_scene *iso_builtin_scene_find(const char *name) {
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        if (strcmp(scenes[i].name, name) == 0) {
            return &scenes[i];
        }
    }
    return NULL;
}
")
