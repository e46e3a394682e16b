# cmake -DPORT=DIR -DPACKAGES=DIR -DBUILD=DIR -P vcpkg_stand_in.cmake: runs the portfile without vcpkg, with functions that
# do what vcpkg's of the same names do for it. It checks what the port says, not vcpkg.
cmake_minimum_required(VERSION 3.22)
set(PORT_DIRECTORY "${PORT}")
set(PORT midend)
set(CURRENT_PACKAGES_DIR "${PACKAGES}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "SOURCE_PATH" "OPTIONS")
  run("${CMAKE_COMMAND}" -S "${given_SOURCE_PATH}" -B "${BUILD}" "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${given_OPTIONS}
      -DCMAKE_INSTALL_MESSAGE=NEVER)
endfunction()

function(vcpkg_cmake_install)
  run("${CMAKE_COMMAND}" --install "${BUILD}")
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "CONFIG_PATH" "")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/midend.moved")
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/cmake")
  file(RENAME "${CURRENT_PACKAGES_DIR}/share/midend.moved" "${CURRENT_PACKAGES_DIR}/share/${PORT}")
  # The files are one folder nearer to the prefix now.
  set(targets "${CURRENT_PACKAGES_DIR}/share/${PORT}/midend-targets.cmake")
  file(READ "${targets}" text)
  set(step "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
  string(REPLACE "${step}${step}" "${step}" text "${text}")
  file(WRITE "${targets}" "${text}")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" "FILE_LIST")
  configure_file("${given_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" COPYONLY)
endfunction()

include("${PORT_DIRECTORY}/portfile.cmake")
