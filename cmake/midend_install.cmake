# Headers, package files for find_package, and a pkg-config file. Everything is relative to the place the files lie at,
# so that the installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(midend_config_dir "${CMAKE_INSTALL_DATADIR}/cmake/midend")
set(midend_pkgconfig_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/midend"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT midend
  FILES_MATCHING
  PATTERN "*.hpp"
)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/midend" COMPONENT midend)

# Pretty printers for debuggers. Packages may leave them out.
foreach(file IN ITEMS gdb/midend_gdb.py natvis/midend.natvis)
  if(EXISTS "${PROJECT_SOURCE_DIR}/tools/${file}")
    install(FILES "${PROJECT_SOURCE_DIR}/tools/${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/midend" COMPONENT midend)
  endif()
endforeach()

install(TARGETS midend_headers EXPORT midend-targets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(
  EXPORT midend-targets
  NAMESPACE midend::
  DESTINATION "${midend_config_dir}"
  COMPONENT midend
)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/midend-config.cmake.in" "${PROJECT_BINARY_DIR}/midend-config.cmake"
  INSTALL_DESTINATION "${midend_config_dir}" NO_SET_AND_CHECK_MACRO
)
# Before 1.0 a minor version may break; the inline namespace says so too.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/midend-config-version.cmake" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT
)
install(
  FILES "${PROJECT_BINARY_DIR}/midend-config.cmake" "${PROJECT_BINARY_DIR}/midend-config-version.cmake"
  DESTINATION "${midend_config_dir}"
  COMPONENT midend
)

# midend::compiled, if asked for: a library, so its files are in the folder of libraries, apart from the headers' package.
if(MIDEND_INSTALL_COMPILED AND TARGET midend_compiled)
  set_target_properties(midend_compiled PROPERTIES EXPORT_NAME compiled)
  install(
    TARGETS midend_compiled
    EXPORT midend-compiled-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT midend_compiled
  )
  install(
    EXPORT midend-compiled-targets
    NAMESPACE midend::
    DESTINATION "${midend_config_dir}"
    COMPONENT midend_compiled
  )
endif()

# The way from the pkg-config file up to the prefix.
file(RELATIVE_PATH midend_pkgconfig_to_prefix "/prefix/${midend_pkgconfig_dir}" "/prefix")
string(REGEX REPLACE "/$" "" midend_pkgconfig_to_prefix "${midend_pkgconfig_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/midend.pc.in" "${PROJECT_BINARY_DIR}/midend.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/midend.pc" DESTINATION "${midend_pkgconfig_dir}" COMPONENT midend)
