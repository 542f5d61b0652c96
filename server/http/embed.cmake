# Writes OUTPUT, a C file with the table SYMBOL of http/files.h: all files below FOLDER, with what a server says of
# them.
#
# A file NAME.br or NAME.gz beside NAME is that file, compressed. Where there is no NAME.gz, and GZIP is given, it is
# made, unless that saves less than a tenth. Names with a hash, as bundlers make them below assets/, never change their
# content. Source maps are left out.
cmake_policy(VERSION 3.25)

set(type_html "text/html; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_mjs "${type_js}")
set(type_css "text/css; charset=utf-8")
set(type_json "application/json")
set(type_webmanifest "application/manifest+json")
set(type_wasm "application/wasm")
set(type_svg "image/svg+xml")
set(type_png "image/png")
set(type_ico "image/x-icon")
set(type_woff2 "font/woff2")
set(type_txt "text/plain; charset=utf-8")
set(packed png ico woff2) # which compress no further

set(arrays "")
set(rows "")
set(count 0)

# Adds a row. NAME as the page asks for it, FILE that has the bytes.
macro(add_row name file encoding)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,))"
    "\\1\n" bytes "${bytes}")
  file(SHA256 ${file} tag)
  string(SUBSTRING ${tag} 0 16 tag)
  set(encoding_text NULL)
  if(NOT "${encoding}" STREQUAL "")
    set(encoding_text "\"${encoding}\"")
  endif()
  set(cache "no-cache")
  set(sign "[A-Za-z0-9_-]")
  if("${name}" MATCHES "^assets/.*-${sign}${sign}${sign}${sign}${sign}${sign}${sign}${sign}[.][a-z0-9]+$")
    set(cache "public, max-age=31536000, immutable")
  endif()
  string(APPEND arrays "static const uint8_t file_${count}[] = {\n${bytes}};\n\n")
  string(APPEND rows
    "    {\"/${name}\", \"${type}\", \"\\\"${tag}\\\"\", ${encoding_text}, \"${cache}\", "
    "file_${count}, sizeof file_${count}},\n")
  math(EXPR count "${count} + 1")
endmacro()

file(GLOB_RECURSE names RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT names)
foreach(name IN LISTS names)
  if(name MATCHES "[.](br|gz|map)$")
    continue()
  endif()
  string(REGEX REPLACE "^.*[.]" "" ending "${name}")
  if(NOT DEFINED type_${ending})
    message(FATAL_ERROR "${FOLDER}/${name}: embed.cmake knows no type of .${ending}")
  endif()
  set(type "${type_${ending}}")
  file(SIZE ${FOLDER}/${name} size)
  if(size EQUAL 0)
    message(FATAL_ERROR "${FOLDER}/${name} is empty")
  endif()
  if(EXISTS ${FOLDER}/${name}.br)
    add_row("${name}" ${FOLDER}/${name}.br br)
  endif()
  if(EXISTS ${FOLDER}/${name}.gz)
    add_row("${name}" ${FOLDER}/${name}.gz gzip)
  elseif(GZIP AND NOT ending IN_LIST packed)
    execute_process(COMMAND ${GZIP} -9 -n -c ${FOLDER}/${name} OUTPUT_FILE ${OUTPUT}.gz COMMAND_ERROR_IS_FATAL ANY)
    file(SIZE ${OUTPUT}.gz packed_size)
    math(EXPR limit "${size} * 9 / 10")
    if(packed_size LESS limit)
      add_row("${name}" ${OUTPUT}.gz gzip)
    endif()
    file(REMOVE ${OUTPUT}.gz)
  endif()
  add_row("${name}" ${FOLDER}/${name} "")
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "${FOLDER} has no files")
endif()

file(WRITE ${OUTPUT} "// Made from ${FOLDER} by server/http/embed.cmake.
#include \"http/files.h\"

${arrays}const iso__http_file ${SYMBOL}s[] = {
${rows}};

const size_t ${SYMBOL}_count = sizeof ${SYMBOL}s / sizeof ${SYMBOL}s[0];
")
