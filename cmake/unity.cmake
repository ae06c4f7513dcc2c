# SPDX-License-Identifier: GPL-2.0-only
#
# Compiles files in batches, where IWARP_UNITY says so.

# Batches of a target's files are compiled as one. Each file has its g_log, under a name of its own
# there. A file that logs by a component of another's cannot have it renamed.
function(iwarp_unity target)
  if(NOT IWARP_UNITY)
    return()
  endif()
  set(before
      "#include <boost/preprocessor/cat.hpp>"
      "#include <boost/preprocessor/slot/counter.hpp>"
      "#include BOOST_PP_UPDATE_COUNTER()"
      "#define g_log BOOST_PP_CAT(g_log_, BOOST_PP_COUNTER)"
  )
  list(JOIN before "\n" before)
  set_target_properties(
    ${target}
    PROPERTIES UNITY_BUILD ON
               UNITY_BUILD_BATCH_SIZE 16
               UNITY_BUILD_CODE_BEFORE_INCLUDE "${before}"
               UNITY_BUILD_CODE_AFTER_INCLUDE "#undef g_log"
  )
  # GCC takes a file of a batch for a header; where a file is long it sees copies of strings behind
  # their ends (PR 105651), and with ns-3's Ptr of 3.37 objects that are counted after they are gone,
  # which a count above 0 excludes
  set(quiet -Wno-subobject-linkage -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
            -Wno-stringop-overread -Wno-use-after-free
  )
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:${quiet}>")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^\\$<") # another target's objects
  foreach(source ${sources})
    file(STRINGS ${source} logs REGEX "NS_LOG_")
    if(logs AND NOT logs MATCHES "NS_LOG_COMPONENT_DEFINE")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()
