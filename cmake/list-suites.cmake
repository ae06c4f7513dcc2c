# SPDX-License-Identifier: GPL-2.0-only
#
# Writes to OUT an add_test for each suite that RUNNER has. `ctest -C nightly` runs the long cases too.
# With SANITIZE, the sanitizers that RUNNER is built with, tests have more time and end at a fault.

execute_process(
  COMMAND ${RUNNER} --list
  OUTPUT_VARIABLE suites
  RESULT_VARIABLE result
)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${RUNNER} --list failed: ${result}")
endif()
string(REPLACE "\n" ";" suites "${suites}")
set(content)
set(environment IWARP_RECORD_REQUIREMENTS=1)
set(patience 1)
if(SANITIZE)
  set(patience 5)
  list(APPEND environment ASAN_OPTIONS=detect_stack_use_after_return=1
       UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  )
endif()
foreach(suite ${suites})
  string(STRIP "${suite}" suite)
  if(suite STREQUAL "")
    continue()
  endif()
  foreach(kind quick nightly)
    if(kind STREQUAL "quick")
      set(fullness QUICK)
      math(EXPR timeout "300 * ${patience}")
      string(APPEND content "if(NOT CTEST_CONFIGURATION_TYPE STREQUAL \"nightly\")\n")
    else()
      set(fullness TAKES_FOREVER)
      math(EXPR timeout "7200 * ${patience}")
      string(APPEND content "else()\n")
    endif()
    string(APPEND content "  add_test(${suite} \"${RUNNER}\" --suite=${suite} --fullness=${fullness}"
                          " --verbose)\n"
    )
    string(APPEND content "  set_tests_properties(${suite} PROPERTIES TIMEOUT ${timeout} LABELS suite"
                          " ENVIRONMENT \"${environment}\")\n"
    )
  endforeach()
  string(APPEND content "endif()\n")
endforeach()
file(WRITE "${OUT}" "${content}")
