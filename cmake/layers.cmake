# How every target of this project is compiled.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache needs this sloppiness to cache files that use precompiled headers. With the base directory, one checkout
  # can use the cached objects of another.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

add_library(holdfast_flags INTERFACE)
target_compile_options(holdfast_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum -Werror
  # g++ 12 sees uninitialised members in moved variants, depending on what it inlines; clang's check is sound.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # clang 14 takes this branch at run time as well, and then copies strings byte by byte.
  $<$<CXX_COMPILER_ID:Clang>:-U__cpp_if_consteval>
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  # When several files are compiled as one, g++ treats all but the outermost as headers.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)
target_include_directories(holdfast_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
if(HOLDFAST_SANITIZE)
  target_compile_options(holdfast_flags INTERFACE -fsanitize=${HOLDFAST_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(holdfast_flags INTERFACE -fsanitize=${HOLDFAST_SANITIZE})
endif()

# holdfast_starts_often(PROGRAM): for programs that tests start hundreds of times. AddressSanitizer's leak check at exit takes
# seconds on some machines, so it is off here; the test programs contain the same code and keep it.
function(holdfast_starts_often program)
  if(HOLDFAST_SANITIZE MATCHES address)
    target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/no_search_for_leaks.cc)
  endif()
endfunction()

# The headers that nearly every file includes, compiled once for all layers. So all layers need the same flags.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "")
add_library(holdfast_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
target_link_libraries(holdfast_precompiled PRIVATE holdfast_flags nlohmann_json::nlohmann_json)
target_precompile_headers(holdfast_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)

# holdfast_layer(NAME FOLDER [LINKS...] [ROOMS ROOM...]): one target per folder, from every .cc in it and in its rooms.
function(holdfast_layer name folder)
  cmake_parse_arguments(PARSE_ARGV 2 layer "" "" "ROOMS")
  list(TRANSFORM layer_ROOMS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/${folder}/\\1/*.cc")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc ${layer_ROOMS})
  add_library(${name} OBJECT ${sources})
  target_link_libraries(${name} PUBLIC holdfast_flags nlohmann_json::nlohmann_json ${layer_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM holdfast_precompiled)
endfunction()

# holdfast_embed_sql(TARGET FOLDER): makes FOLDER/*.sql available as `embedded_migrations()` of store/migration.h.
function(holdfast_embed_sql target namespace folder)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.sql)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}_migrations.cc)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} -DNAMESPACE=${namespace} "-DSCRIPTS=${scripts}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_sql.cmake
    DEPENDS ${scripts} ${PROJECT_SOURCE_DIR}/cmake/embed_sql.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
