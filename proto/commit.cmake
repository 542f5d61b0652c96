# Writes a C file with the commit that is built, as of each build, and touches it only when that has changed.
#
#   cmake -DSOURCE=FOLDER -DTO=FILE -P commit.cmake
#
# Without git, or of a source that is not the top of a repository (a tarball, a part of another project), the text is
# empty.
cmake_minimum_required(VERSION 3.25)
set(text "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} source)
  if(NOT failed AND top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --abbrev=8 --format=%cs\ %h OUTPUT_VARIABLE text
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changed
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(text AND changed)
      string(APPEND text " changed")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${TO} CONTENT "const char iso__commit[] = \"@text@\";\n" @ONLY)
