# The files that `cmake --install` installs: the libraries with their headers, the CMake package and the pkg-config files that
# describe them, and the program with its shell completion and its systemd unit.
include(CMakePackageConfigHelpers)

install(TARGETS holdfast EXPORT holdfast COMPONENT library)
install(DIRECTORY include/holdfast TYPE INCLUDE COMPONENT library FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/holdfast/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/holdfast COMPONENT library)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
configure_package_config_file(cmake/holdfast-config.cmake.in holdfast-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(holdfast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/holdfast-config.cmake ${PROJECT_BINARY_DIR}/holdfast-config-version.cmake
        DESTINATION ${package_folder} COMPONENT library)
install(EXPORT holdfast FILE holdfast-targets.cmake NAMESPACE holdfast:: DESTINATION ${package_folder} COMPONENT library)

# Users of the static library also link its dependencies; users of the shared library do not.
set(pc_private "sqlite3")
if(HOLDFAST_WITH_POSTGRES)
  string(APPEND pc_private ", libpq")
endif()
get_target_property(library_type holdfast TYPE)
if(library_type STREQUAL STATIC_LIBRARY)
  set(pc_requires "nlohmann_json, ${pc_private}")
  set(pc_private "")
  set(pc_libraries "-pthread")
else()
  set(pc_requires "nlohmann_json")
endif()
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/holdfast.pc.in holdfast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/holdfast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

if(HOLDFAST_BUILD_PROGRAM)
  install(TARGETS holdfast_app EXPORT holdfast-app COMPONENT library)
  install(EXPORT holdfast-app FILE holdfast-app-targets.cmake NAMESPACE holdfast:: DESTINATION ${package_folder} COMPONENT library)
  set(pc_app_private "yaml-cpp, fmt, openssl, zlib, prometheus-cpp-core")
  if(library_type STREQUAL STATIC_LIBRARY)
    set(pc_app_requires ", ${pc_app_private}")
    set(pc_app_private "")
  endif()
  configure_file(cmake/holdfast-app.pc.in holdfast-app.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/holdfast-app.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

  install(TARGETS holdfast_program COMPONENT program)
  foreach(service holdfast-worker holdfast-server)
    configure_file(packaging/${service}.service.in ${service}.service @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${service}.service DESTINATION lib/systemd/system COMPONENT program)
  endforeach()
  install(FILES packaging/prometheus/holdfast.rules.yml DESTINATION ${CMAKE_INSTALL_DATADIR}/holdfast/prometheus COMPONENT program)
  install(FILES packaging/grafana/holdfast.json DESTINATION ${CMAKE_INSTALL_DATADIR}/holdfast/grafana COMPONENT program)
  install(FILES ${PROJECT_BINARY_DIR}/completions/holdfast
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${PROJECT_BINARY_DIR}/completions/_holdfast
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
endif()
