# SPDX-License-Identifier: GPL-2.0-only
#
# The build outside an ns-3 source tree: library, test runner, examples, benchmarks, install.

set(IWARP_NS3 "wheel" CACHE STRING "where ns-3 comes from: wheel (PyPI) or debian (libns3-dev)")
set_property(CACHE IWARP_NS3 PROPERTY STRINGS wheel debian)
option(IWARP_PCH "precompile the headers of ns-3" ON)
option(IWARP_UNITY "compile files in batches, in half the time that one by one takes" ON)
include(cmake/unity.cmake)
option(IWARP_EXTRAS "build the benchmarks and the fuzz targets, too" ON)
if(NOT IWARP_EXTRAS)
  set(IWARP_BENCHES)
endif()
set(IWARP_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "kind of build" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(IWARP_NS3_MODULES
    core
    network
    stats
    bridge
    traffic-control
    internet
    point-to-point
    applications
)
if(NOT IWARP_NS3 MATCHES "^(wheel|debian)$")
  message(FATAL_ERROR "IWARP_NS3 is \"${IWARP_NS3}\": it has to be wheel or debian.")
endif()
set(IWARP_NS3_WHEEL "" CACHE PATH "folder of the ns3 Python package (empty: look for it)")
include(cmake/ns3-${IWARP_NS3}.cmake)

set(CMAKE_CXX_STANDARD ${IWARP_CXX_STANDARD} CACHE STRING "C++ standard")
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # without these ccache passes over whatever uses a precompiled header
  set(sloppiness pch_defines,time_macros,include_file_mtime,include_file_ctime)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=${sloppiness} ${CCACHE})
endif()

if(IWARP_NS3 STREQUAL "wheel")
  # The wheel ships part of an old Boost among its headers: the system's comes before it. A link has
  # to say so, since compilers ignore an option that puts a system folder at another place.
  find_path(IWARP_BOOST_INCLUDE boost/crc.hpp PATHS /usr/include NO_DEFAULT_PATH)
  find_path(IWARP_BOOST_INCLUDE boost/crc.hpp)
  mark_as_advanced(IWARP_BOOST_INCLUDE)
  if(NOT IWARP_BOOST_INCLUDE)
    message(FATAL_ERROR "Boost's headers are not found: install libboost-dev.")
  endif()
  set(IWARP_BOOST_LINK "${PROJECT_BINARY_DIR}/boost/boost")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/boost")
  file(CREATE_LINK "${IWARP_BOOST_INCLUDE}/boost" "${IWARP_BOOST_LINK}" SYMBOLIC)
  foreach(module ${ns3_modules})
    target_include_directories(ns3::${module} BEFORE INTERFACE "${PROJECT_BINARY_DIR}/boost")
  endforeach()
endif()

# Headers are reached as ns3/<file>.h, as in an ns-3 tree
file(GLOB linked RELATIVE "${PROJECT_BINARY_DIR}/include/ns3" "${PROJECT_BINARY_DIR}/include/ns3/*")
foreach(header ${IWARP_HEADERS})
  get_filename_component(name ${header} NAME)
  if(name IN_LIST names)
    message(FATAL_ERROR "two headers are named ${name}: ns-3 flattens folders, rename one.")
  endif()
  list(APPEND names ${name})
  if(NOT name IN_LIST linked)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include/ns3")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${header}" "${PROJECT_BINARY_DIR}/include/ns3/${name}"
         SYMBOLIC
    )
  endif()
  # a link made before its header moved
  if(NOT EXISTS "${PROJECT_BINARY_DIR}/include/ns3/${name}")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${header}" "${PROJECT_BINARY_DIR}/include/ns3/${name}"
         SYMBOLIC
    )
  endif()
endforeach()
foreach(name ${linked})
  if(NOT name IN_LIST names)
    file(REMOVE "${PROJECT_BINARY_DIR}/include/ns3/${name}")
  endif()
endforeach()

# What every target of this build is compiled with
add_library(iwarp-flags INTERFACE)
# one precompiled header serves library and programs only if all are compiled alike
target_compile_options(iwarp-flags INTERFACE -Wall -Wpedantic -fPIC -fno-semantic-interposition)
if(IWARP_SANITIZE)
  target_compile_options(
    iwarp-flags INTERFACE -fsanitize=${IWARP_SANITIZE} -fno-sanitize-recover=undefined
                          -fno-omit-frame-pointer -g1 -O1
  )
  target_link_options(iwarp-flags INTERFACE -fsanitize=${IWARP_SANITIZE})
endif()

if(IWARP_PCH)
  add_library(iwarp-pch OBJECT cmake/precompiled.cc)
  target_include_directories(iwarp-pch PRIVATE "${PROJECT_BINARY_DIR}/include")
  foreach(module ${IWARP_NS3_MODULES})
    target_link_libraries(iwarp-pch PRIVATE ns3::${module})
  endforeach()
  target_link_libraries(iwarp-pch PRIVATE iwarp-flags)
  target_precompile_headers(iwarp-pch PRIVATE cmake/precompiled.h)
endif()
function(iwarp_compile_settings target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:iwarp-flags>)
  if(IWARP_PCH)
    target_precompile_headers(${target} REUSE_FROM iwarp-pch)
  endif()
endfunction()

add_library(iwarp SHARED ${IWARP_SOURCES})
add_library(iwarp::iwarp ALIAS iwarp)
target_include_directories(iwarp BEFORE PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
foreach(module ${IWARP_NS3_MODULES})
  target_link_libraries(iwarp PUBLIC ns3::${module})
endforeach()
target_link_libraries(iwarp PRIVATE ${IWARP_EXTERNAL_LIBRARIES})
target_compile_definitions(iwarp PRIVATE ${IWARP_PRIVATE_DEFINITIONS})
target_compile_features(iwarp PUBLIC cxx_std_${IWARP_CXX_STANDARD})
set_target_properties(
  iwarp
  PROPERTIES DEFINE_SYMBOL ""
             VERSION ${PROJECT_VERSION}
             SOVERSION 0
             LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
)
iwarp_compile_settings(iwarp)
iwarp_unity(iwarp)

# name of a program, its sources
function(iwarp_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE iwarp)
  iwarp_compile_settings(${target})
endfunction()

iwarp_program(iwarp-test test/test-runner.cc ${IWARP_TESTS})
iwarp_unity(iwarp-test)
# at -O3 the many assertions of a suite take four times as long to compile, and gain nothing
target_compile_options(iwarp-test PRIVATE $<$<CONFIG:Release>:-O1>)
if(NOT IWARP_HAVE_FD_NET_DEVICE)
  list(REMOVE_ITEM IWARP_EXAMPLES examples/iwarp-live.cc)
endif()
set(benches)
foreach(kind EXAMPLES BENCHES)
  foreach(source ${IWARP_${kind}})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(folder ${source} DIRECTORY)
    iwarp_program(${name} ${source})
    set_target_properties(
      ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}"
    )
    if(kind STREQUAL "BENCHES")
      list(APPEND benches ${name})
    endif()
  endforeach()
endforeach()
if(IWARP_HAVE_FD_NET_DEVICE)
  target_link_libraries(iwarp-live PRIVATE ns3::fd-net-device)
endif()
add_custom_target(iwarp-benches DEPENDS ${benches})

include(cmake/tests.cmake)
include(cmake/install.cmake)
if(IWARP_EXTRAS)
  add_subdirectory(test/fuzz)
endif()
