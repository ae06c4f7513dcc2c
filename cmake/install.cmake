# SPDX-License-Identifier: GPL-2.0-only
#
# cmake --install: library, headers, data, a CMake package and iwarp.pc. For the Python package (built
# by pip through pyproject.toml, which sets SKBUILD) library, headers and data go inside it instead.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# to: a folder for what is needed of the wheel of ns-3, laid out as there. Its other libraries are those
# that its modules need.
function(iwarp_install_ns3_libraries to)
  foreach(module ${IWARP_NS3_MODULES})
    install(FILES "${ns3_libdir}/libns${IWARP_NS3_VERSION}-${module}.so" DESTINATION "${to}/lib64")
  endforeach()
  foreach(library gsl gslcblas sqlite3)
    file(GLOB found "${ns3_libdir}/lib${library}-*.so*")
    install(FILES ${found} DESTINATION "${to}/lib64")
  endforeach()
endfunction()

if(SKBUILD)
  # What runs need of ns-3 comes along, so that pip compiles nothing: the wheel of ns-3 asks for cppyy.
  # So does ISA-L, under the name that the library asks for.
  iwarp_install_ns3_libraries(iwarp/_ns3)
  file(GLOB licences "${ns3_wheel}/../ns3-*.dist-info/licenses/*" "${ns3_wheel}/../ns3-*.dist-info/LICENSE"
       "${ns3_wheel}/../ns3-*.dist-info/AUTHORS"
  )
  install(FILES ${licences} DESTINATION iwarp/_ns3)
  if(IWARP_HAVE_ISAL IN_LIST IWARP_PRIVATE_DEFINITIONS)
    file(REAL_PATH "${IWARP_ISAL_LIBRARY}" isal)
    get_filename_component(name "${isal}" NAME)
    string(REGEX MATCH "^libisal\\.so\\.[0-9]+" name "${name}")
    if(name)
      install(FILES "${isal}" DESTINATION iwarp/_lib RENAME "${name}")
    endif()
  endif()
  set_target_properties(
    iwarp PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN:$ORIGIN/../_ns3/lib64"
  )
  install(FILES $<TARGET_FILE:iwarp> DESTINATION iwarp/_lib RENAME libiwarp.so)
  install(FILES ${IWARP_HEADERS} DESTINATION iwarp/_include/ns3)
  install(DIRECTORY data/ DESTINATION iwarp/_lib/data)
  return()
endif()

# The headers have a folder of their own, so that they do not mix with those of an installed ns-3
set(IWARP_INSTALL_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}/iwarp")
set(IWARP_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/iwarp")
set(IWARP_INSTALL_DATADIR "${CMAKE_INSTALL_DATADIR}/iwarp/data")
set(IWARP_INSTALL_NS3DIR "${CMAKE_INSTALL_LIBDIR}/iwarp/ns3") # where ns-3 is of the wheel

if(IWARP_NS3 STREQUAL "wheel")
  # The wheel is in the clone's .venv: what is needed of it comes along
  iwarp_install_ns3_libraries("${IWARP_INSTALL_NS3DIR}")
  if(IWARP_HAVE_FD_NET_DEVICE)
    get_target_property(location ns3::fd-net-device IMPORTED_LOCATION)
    install(FILES "${location}" DESTINATION "${IWARP_INSTALL_NS3DIR}/lib64")
  endif()
  install(DIRECTORY "${ns3_wheel}/include/ns3" DESTINATION "${IWARP_INSTALL_NS3DIR}/include")
  set_target_properties(iwarp PROPERTIES INSTALL_RPATH "$ORIGIN/iwarp/ns3/lib64")
  # before the Boost that the wheel ships, as in the build
  install(FILES "${IWARP_BOOST_LINK}" DESTINATION "${IWARP_INSTALL_INCLUDEDIR}")
endif()
install(
  TARGETS iwarp
  EXPORT iwarpTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES
  DESTINATION "${IWARP_INSTALL_INCLUDEDIR}"
)
install(FILES ${IWARP_HEADERS} DESTINATION "${IWARP_INSTALL_INCLUDEDIR}/ns3")
install(DIRECTORY data/ DESTINATION "${IWARP_INSTALL_DATADIR}")
install(FILES examples/iwarp-live.cc DESTINATION "${CMAKE_INSTALL_DATADIR}/iwarp/examples")
install(DIRECTORY examples/live DESTINATION "${CMAKE_INSTALL_DATADIR}/iwarp/examples")
install(EXPORT iwarpTargets NAMESPACE iwarp:: DESTINATION "${IWARP_INSTALL_CMAKEDIR}")
install(FILES cmake/ns3-${IWARP_NS3}.cmake DESTINATION "${IWARP_INSTALL_CMAKEDIR}")
configure_package_config_file(
  cmake/iwarpConfig.cmake.in "${PROJECT_BINARY_DIR}/iwarpConfig.cmake"
  INSTALL_DESTINATION "${IWARP_INSTALL_CMAKEDIR}" PATH_VARS IWARP_INSTALL_NS3DIR
)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/iwarpConfigVersion.cmake" COMPATIBILITY SameMinorVersion
)
install(FILES "${PROJECT_BINARY_DIR}/iwarpConfig.cmake"
              "${PROJECT_BINARY_DIR}/iwarpConfigVersion.cmake"
        DESTINATION "${IWARP_INSTALL_CMAKEDIR}"
)

set(pc_cflags "-std=c++${IWARP_CXX_STANDARD}")
set(pc_libs)
set(pc_emulation)
foreach(module ${ns3_modules})
  get_target_property(location ns3::${module} IMPORTED_LOCATION)
  if(IWARP_NS3 STREQUAL "wheel")
    get_filename_component(name ${location} NAME)
    set(location "\${ns3dir}/lib64/${name}")
  endif()
  if(module STREQUAL "fd-net-device")
    set(pc_emulation "${location}")
  else()
    string(APPEND pc_libs " ${location}")
  endif()
endforeach()
get_target_property(definitions ns3::core INTERFACE_COMPILE_DEFINITIONS)
foreach(definition ${definitions})
  string(APPEND pc_cflags " -D${definition}")
endforeach()
if(IWARP_NS3 STREQUAL "wheel")
  string(APPEND pc_cflags " -isystem \${ns3dir}/include")
  string(APPEND pc_libs " -Wl,-rpath,\${ns3dir}/lib64 -Wl,--allow-shlib-undefined")
endif()
file(RELATIVE_PATH IWARP_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/iwarp.pc.in "${PROJECT_BINARY_DIR}/iwarp.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/iwarp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
