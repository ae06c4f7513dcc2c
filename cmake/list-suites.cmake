# SPDX-License-Identifier: GPL-2.0-only
#
# Writes to OUT an add_test for each suite that RUNNER has. `ctest -C nightly` runs the long cases too.

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
foreach(suite ${suites})
  string(STRIP "${suite}" suite)
  if(suite STREQUAL "")
    continue()
  endif()
  foreach(kind quick nightly)
    if(kind STREQUAL "quick")
      set(fullness QUICK)
      set(timeout 300)
      string(APPEND content "if(NOT CTEST_CONFIGURATION_TYPE STREQUAL \"nightly\")\n")
    else()
      set(fullness TAKES_FOREVER)
      set(timeout 7200)
      string(APPEND content "else()\n")
    endif()
    string(APPEND content "  add_test(${suite} \"${RUNNER}\" --suite=${suite} --fullness=${fullness}"
                          " --verbose)\n"
    )
    string(APPEND content "  set_tests_properties(${suite} PROPERTIES TIMEOUT ${timeout} LABELS suite"
                          " ENVIRONMENT IWARP_RECORD_REQUIREMENTS=1)\n"
    )
  endforeach()
  string(APPEND content "endif()\n")
endforeach()
file(WRITE "${OUT}" "${content}")
