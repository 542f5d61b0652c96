# With ISO_SHARED_INTERNALS: everything that is ours in one shared library, in a folder of its own and never installed.
# A test that links it is as large as its own source, and a change of the core links one library anew.
if(ISO_SHARED_INTERNALS)
  set(ISO_ARCHIVES isostep isostep-games isostep-threads isostep-proto isostep-scenes isostep-session isostep-recorder
    isostep-server-lib isostep-client-lib isostep-client-uv isostep-replay-lib)
  set(ISO_HIDDEN iso_core_private iso_proto_private iso_host_private iso_client_private iso_uv_private)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/internals/empty.c CONTENT "extern int iso_internals;\n")
  add_library(isostep-internals SHARED ${CMAKE_BINARY_DIR}/internals/empty.c)
  list(TRANSFORM ISO_ARCHIVES REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  list(JOIN files "," archives)
  set(needs "")
  foreach(library ${ISO_ARCHIVES})
    get_target_property(libraries ${library} LINK_LIBRARIES)
    list(APPEND needs ${libraries})
  endforeach()
  list(REMOVE_ITEM needs ${ISO_ARCHIVES} $<BUILD_INTERFACE:iso_flags>)
  list(REMOVE_DUPLICATES needs)
  target_link_libraries(isostep-internals PRIVATE "-Wl,--whole-archive,${archives},--no-whole-archive"
    iso_flags ${needs}
    INTERFACE PkgConfig::LIBUV PkgConfig::SODIUM PkgConfig::PROTOBUF_C PkgConfig::ZSTD PkgConfig::JSON_C
    Threads::Threads)
  if(NOT ISO_SANITIZE) # programs bring what sanitizers call
    target_link_options(isostep-internals PRIVATE -Wl,-z,defs)
  endif()
  set_property(TARGET isostep-internals PROPERTY LINK_DEPENDS ${files})
  set_target_properties(isostep-internals PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/internals)
endif()

# iso_link_libraries(NAME PRIVATE|PUBLIC target…): a test, or what tests share, and what it needs of ours: the archives
# or the shared library.
function(iso_link_libraries name scope)
  set(outside ${ARGN})
  if(ISO_SHARED_INTERNALS)
    list(REMOVE_ITEM outside ${ISO_ARCHIVES} ${ISO_HIDDEN} e2e e2e_recording PkgConfig::JSON_C PkgConfig::SECCOMP
      Threads::Threads m)
  endif()
  # What else there is may have functions wrapped, which works between objects alone.
  if(NOT ISO_SHARED_INTERNALS OR outside)
    target_link_libraries(${name} ${scope} ${ARGN})
    return()
  endif()
  foreach(library ${ARGN})
    if(library IN_LIST ISO_ARCHIVES OR library IN_LIST ISO_HIDDEN)
      target_include_directories(${name} ${scope} $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
      target_compile_definitions(${name} ${scope} $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
    else()
      target_link_libraries(${name} ${scope} ${library})
    endif()
  endforeach()
  target_link_libraries(${name} ${scope} isostep-internals)
  set_target_properties(${name} PROPERTIES ISO_LINKED "${ARGN}" LINK_DEPENDS_NO_SHARED ON)
endfunction()

# iso_link_archives(NAME): a test that has functions wrapped, for the linker replaces them between objects alone.
function(iso_link_archives name)
  get_target_property(linked ${name} ISO_LINKED)
  if(linked)
    get_target_property(libraries ${name} LINK_LIBRARIES)
    list(TRANSFORM libraries REPLACE "^isostep-internals$" "${linked}")
    set_property(TARGET ${name} PROPERTY LINK_LIBRARIES ${libraries})
  endif()
endfunction()
