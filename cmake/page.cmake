# The web page: npm builds it in the build directory, and it is embedded in the program. A server without the page says so.

# holdfast_page(TARGET): the layer src/server/page, with the files of the page.
function(holdfast_page target)
  holdfast_layer(${target} src/server/page)
  set(ui ${PROJECT_SOURCE_DIR}/ui)
  if(NOT HOLDFAST_WITH_PAGE OR NOT EXISTS ${ui}/package.json)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/server/page/without/no_files.cc)
    return()
  endif()
  find_program(NPM npm)
  find_program(NODE NAMES node nodejs)
  if(NOT NPM OR NOT NODE)
    message(FATAL_ERROR "The web page needs npm: run scripts/install-deps, or configure with -DHOLDFAST_WITH_PAGE=OFF")
  endif()

  set(made ${PROJECT_BINARY_DIR}/page)
  file(MAKE_DIRECTORY ${made})
  set(tools ${PROJECT_SOURCE_DIR}/cmake)
  add_custom_command(
    OUTPUT ${made}/packages.stamp
    COMMAND ${NODE} ${tools}/page_packages.mjs ${ui} ${NPM} ${made}/packages.stamp
    DEPENDS ${ui}/package-lock.json ${tools}/page_packages.mjs
    COMMENT "Packages of the page" VERBATIM)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${ui}/src/* ${ui}/public/*)
  list(FILTER page_sources EXCLUDE REGEX "\\.test\\.tsx?$")
  add_custom_command(
    OUTPUT ${made}/page.cc ${made}/page.blob
    COMMAND ${NPM} run --silent build -- --outDir ${made}/dist --emptyOutDir --logLevel warn
    COMMAND ${NODE} ${tools}/embed_page.mjs ${made}/dist ${made}/page.blob ${made}/page.cc
    DEPENDS ${page_sources} ${ui}/index.html ${ui}/package.json ${ui}/vite.config.ts ${ui}/tsconfig.json
            ${made}/packages.stamp ${tools}/embed_page.mjs
    WORKING_DIRECTORY ${ui}
    COMMENT "The web page" VERBATIM)
  target_sources(${target} PRIVATE ${made}/page.cc)
  set_property(SOURCE ${made}/page.cc PROPERTY OBJECT_DEPENDS ${made}/page.blob)
endfunction()
