# SPDX-License-Identifier: GPL-2.0-only
#
# ns-3 from Debian's libns3-dev. Its CMake package names a file that is not shipped, so the .pc files
# say where it is; its headers need C++17 and do not compile as C++20.

find_package(PkgConfig REQUIRED)
set(IWARP_CXX_STANDARD 17)
# what only emulation needs: a program that has it links it
set(IWARP_HAVE_FD_NET_DEVICE OFF)
set(ns3_modules ${IWARP_NS3_MODULES})
pkg_check_modules(ns3_fd-net-device QUIET ns3-fd-net-device)
if(ns3_fd-net-device_FOUND)
  set(IWARP_HAVE_FD_NET_DEVICE ON)
  list(APPEND ns3_modules fd-net-device)
endif()
foreach(module ${ns3_modules})
  pkg_check_modules(ns3_${module} QUIET ns3-${module})
  if(NOT ns3_${module}_FOUND)
    message(FATAL_ERROR "ns3-${module} is not found: apt-get install libns3-dev libgsl-dev")
  endif()
  pkg_get_variable(ns3_includedir ns3-${module} includedir)
  pkg_get_variable(ns3_libdir ns3-${module} libdir)
  find_library(IWARP_LIBNS3_${module} ns3-${module} PATHS ${ns3_libdir} NO_DEFAULT_PATH REQUIRED)
  mark_as_advanced(IWARP_LIBNS3_${module})
  # the flags of the .pc files name Python and a folder "/usr;": only the include folder is of use
  add_library(ns3::${module} SHARED IMPORTED)
  set_target_properties(
    ns3::${module} PROPERTIES IMPORTED_LOCATION "${IWARP_LIBNS3_${module}}"
                              INTERFACE_COMPILE_DEFINITIONS "NS3_LOG_ENABLE;NS3_ASSERT_ENABLE"
  )
endforeach()
set(IWARP_NS3_VERSION ${ns3_core_VERSION} CACHE INTERNAL "release of ns-3")
message(STATUS "ns-3 ${IWARP_NS3_VERSION} from ${ns3_libdir}")
