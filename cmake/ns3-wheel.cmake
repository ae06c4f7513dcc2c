# SPDX-License-Identifier: GPL-2.0-only
#
# ns-3 from PyPI. The wheel's own CMake package names include and link paths of the machine that it
# was built on, so clean imported targets ns3::<module> are made here from its headers and libraries.

set(ns3_wheel "${IWARP_NS3_WHEEL}")
if(NOT ns3_wheel)
  file(
    GLOB
    candidates
    "${CMAKE_CURRENT_SOURCE_DIR}/.venv/lib/python3*/site-packages/ns3"
    "$ENV{VIRTUAL_ENV}/lib/python3*/site-packages/ns3"
  )
  if(candidates)
    list(GET candidates 0 ns3_wheel)
  else()
    # the Python that pip builds the package with, or else the first on the path
    if(NOT Python_EXECUTABLE)
      find_program(Python_EXECUTABLE python3)
    endif()
    execute_process(
      COMMAND ${Python_EXECUTABLE} -c "import ns3; print(ns3.__path__[0], end='')"
      OUTPUT_VARIABLE ns3_wheel
      ERROR_QUIET
    )
  endif()
endif()
# libns3.44-core.so; before 3.44 the wheels' libraries were named libns3-dev-core.so
file(GLOB ns3_core "${ns3_wheel}/lib64/libns3*-core.so")
if(NOT ns3_core)
  message(
    FATAL_ERROR
      "ns-3 from PyPI is not found. Run ./iwarp build, which installs it in .venv, or give "
      "-DIWARP_NS3_WHEEL=<folder of the ns3 package>, or -DIWARP_NS3=debian for libns3-dev."
  )
endif()
string(REGEX REPLACE ".*/libns(3[.-].+)-core\\.so$" "\\1" IWARP_NS3_VERSION "${ns3_core}")
set(IWARP_NS3_VERSION ${IWARP_NS3_VERSION} CACHE INTERNAL "release of ns-3")
message(STATUS "ns-3 ${IWARP_NS3_VERSION} from ${ns3_wheel}")

# ns-3 is C++20 since 3.42; the headers before are not valid as that
file(STRINGS "${ns3_wheel}/include/ns3/timer-impl.h" ns3_is_cxx20 REGEX "remove_cvref_t")
if(ns3_is_cxx20)
  set(IWARP_CXX_STANDARD 20)
else()
  set(IWARP_CXX_STANDARD 17)
endif()
set(ns3_libdir "${ns3_wheel}/lib64")
# what only emulation needs: a program that has it links it
set(IWARP_HAVE_FD_NET_DEVICE OFF)
set(ns3_modules ${IWARP_NS3_MODULES})
if(EXISTS "${ns3_libdir}/libns${IWARP_NS3_VERSION}-fd-net-device.so")
  set(IWARP_HAVE_FD_NET_DEVICE ON)
  list(APPEND ns3_modules fd-net-device)
endif()
foreach(module ${ns3_modules})
  add_library(ns3::${module} SHARED IMPORTED)
  set_target_properties(
    ns3::${module}
    PROPERTIES
      IMPORTED_LOCATION "${ns3_libdir}/libns${IWARP_NS3_VERSION}-${module}.so"
      IMPORTED_SONAME "libns${IWARP_NS3_VERSION}-${module}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${ns3_wheel}/include"
      # as the wheel was built, so that logs and assertions behave alike on both sides
      INTERFACE_COMPILE_DEFINITIONS "NS3_LOG_ENABLE;NS3_ASSERT_ENABLE;NS3_BUILD_PROFILE_RELEASE"
      # the wheel brings the libraries that its modules need, under names of its own
      INTERFACE_LINK_OPTIONS "-Wl,--allow-shlib-undefined"
  )
endforeach()
