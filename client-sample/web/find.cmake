# Whether the browser client is built: ISO_WEB. Included before the server, which serves its page from ISO_WEB_SITE.
#
# It is built where clang, lld and binaryen for wasm32 and Node are found and `npm ci` was run in this folder, so that a
# build never asks a registry. -DISO_WEB=OFF does without, -DISO_WEB=ON says what is missing.
find_program(ISO_WEB_CLANG NAMES clang clang-14)
find_program(ISO_WEB_LLD NAMES wasm-ld wasm-ld-14)
find_program(ISO_WEB_OPT NAMES wasm-opt)
find_program(ISO_WEB_NODE NAMES node nodejs)
set(ISO_WEB_MISSING)
foreach(need CLANG=clang LLD=lld OPT=binaryen NODE=nodejs)
  string(REGEX MATCH "^(.+)=(.+)$" need ${need})
  if(NOT ISO_WEB_${CMAKE_MATCH_1})
    list(APPEND ISO_WEB_MISSING "the package ${CMAKE_MATCH_2}")
  endif()
endforeach()
if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/node_modules/vite OR NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/node_modules/three)
  list(APPEND ISO_WEB_MISSING "`npm ci` in client-sample/web")
endif()
# Not an option of CMake: that would keep the OFF of a build before `npm ci`.
set(ISO_WEB AUTO CACHE STRING
  "Build the browser client: ON, OFF, or AUTO where clang, lld, binaryen, node and npm's packages are")
if(ISO_WEB STREQUAL "AUTO")
  set(ISO_WEB ON)
  if(ISO_WEB_MISSING OR NOT PROJECT_IS_TOP_LEVEL OR CMAKE_CROSSCOMPILING OR ISO_SANITIZE OR ISO_FUZZ)
    set(ISO_WEB OFF)
  endif()
endif()
if(ISO_WEB AND ISO_WEB_MISSING)
  list(JOIN ISO_WEB_MISSING ", " ISO_WEB_MISSING)
  message(FATAL_ERROR "The browser client lacks ${ISO_WEB_MISSING}. -DISO_WEB=OFF does without it.")
endif()
set(ISO_WEB_SITE ${PROJECT_BINARY_DIR}/client-sample/web/site)
