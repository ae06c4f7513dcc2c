# SPDX-License-Identifier: GPL-2.0-only
#
# Registers tests with CTest: each suite of the test runner, the Python tests, and the scripts
# test/*.sh and test/*.py. A script ends with 0 if it passes and with 77 if it has to be skipped; it
# finds the build in IWARP_BUILD_DIR and the repository in IWARP_SOURCE_DIR.

enable_testing()

# The runner itself says which suites it has, once it is built
set(IWARP_SUITES "${PROJECT_BINARY_DIR}/iwarp-suites.cmake")
add_custom_command(
  TARGET iwarp-test
  POST_BUILD
  COMMAND ${CMAKE_COMMAND} -DRUNNER=$<TARGET_FILE:iwarp-test> -DOUT=${IWARP_SUITES}
          -DSANITIZE=${IWARP_SANITIZE} -P ${PROJECT_SOURCE_DIR}/cmake/list-suites.cmake
  VERBATIM
)
file(
  WRITE "${PROJECT_BINARY_DIR}/iwarp-suites-include.cmake"
  "if(EXISTS \"${IWARP_SUITES}\")\n  include(\"${IWARP_SUITES}\")\nelse()\n"
  "  add_test(iwarp-test_NOT_BUILT iwarp-test_NOT_BUILT)\nendif()\n"
)
set_property(
  DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${PROJECT_BINARY_DIR}/iwarp-suites-include.cmake"
)

find_program(BASH bash)
if(IWARP_NS3 STREQUAL "wheel")
  get_filename_component(python "${ns3_wheel}/../../../../bin/python" ABSOLUTE)
endif()
if(NOT EXISTS "${python}")
  find_program(IWARP_PYTHON3 python3)
  set(python ${IWARP_PYTHON3})
endif()

set(environment
    "IWARP_BUILD_DIR=${PROJECT_BINARY_DIR}" "IWARP_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    "PYTHONPATH=${PROJECT_SOURCE_DIR}/python" "IWARP_PYTHON=${python}" "IWARP_RECORD_REQUIREMENTS=1"
)
iwarp_glob(scripts test/*.sh test/*.py)
list(FILTER scripts EXCLUDE REGEX "/ranks_scenarios\\.py$") # ranks-test.sh runs it
if(NOT IWARP_NS3 STREQUAL "wheel") # the package's, and a table of its ns-3's TCP
  list(FILTER scripts EXCLUDE REGEX "/(ranks-test\\.sh|(recorded_scenarios|tcp_scripts_test)\\.py)$")
endif()
foreach(script ${scripts})
  get_filename_component(name ${script} NAME_WE)
  set(when "")
  set(timeout 600)
  if(name STREQUAL "ranks-test") # in a source tree with MPI, which IWARP_NS3_TREE names
    set(when CONFIGURATIONS nightly)
    set(timeout 3000)
  endif()
  if(script MATCHES "\\.py$")
    add_test(NAME ${name} COMMAND ${python} ${PROJECT_SOURCE_DIR}/${script} ${when})
  else()
    add_test(NAME ${name} COMMAND ${BASH} ${PROJECT_SOURCE_DIR}/${script} ${when})
  endif()
  set_tests_properties(
    ${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout} ENVIRONMENT "${environment}" LABELS script
  )
endforeach()

# The Python package needs cppyy, which comes with the wheel
if(IWARP_NS3 STREQUAL "wheel" AND EXISTS "${PROJECT_SOURCE_DIR}/python/tests")
  iwarp_glob(files python/tests/test_*.py python/tests/nightly_*.py)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    string(REPLACE "_" "-" name "python-${name}")
    string(REPLACE "python-test-" "python-" name "${name}")
    set(when "")
    if(name MATCHES "^python-nightly-")
      set(when CONFIGURATIONS nightly)
    endif()
    add_test(NAME ${name} COMMAND ${python} -m pytest -q -rA -p no:cacheprovider
                                  ${PROJECT_SOURCE_DIR}/${file} ${when}
    )
    set(timeout 900)
    if(name STREQUAL "python-nightly-fuzz") # takes an hour
      set(timeout 4000)
    elseif(name STREQUAL "python-nightly-interop") # ten minutes on a quiet machine, which this is not
      set(timeout 4000)
    elseif(name STREQUAL "python-nightly-mutants") # a build, and half an hour
      set(timeout 7200)
    elseif(name STREQUAL "python-nightly-release") # compiles the library twice
      set(timeout 6000)
    elseif(name STREQUAL "python-nightly-laws") # an hour and a half
      set(timeout 6000)
    elseif(name MATCHES "^python-nightly-(figures|second-seed)$")
      set(timeout 3000)
    endif()
    set_tests_properties(
      ${name} PROPERTIES TIMEOUT ${timeout} ENVIRONMENT "${environment}" LABELS python
                         WORKING_DIRECTORY "${PROJECT_BINARY_DIR}"
    )
  endforeach()
endif()

# Those that take long begin first, so that none of them is left for one processor at the end
file(STRINGS "${PROJECT_SOURCE_DIR}/test/slow-tests.txt" slow REGEX "^[a-z]")
foreach(name ${slow})
  if(TEST ${name}) # suites are not known here
    set_tests_properties(${name} PROPERTIES COST 1)
  endif()
endforeach()
