# SPDX-License-Identifier: GPL-2.0-only
#
# The build as contrib/iwarp of an ns-3 source tree. All the rest is ns-3's own.

foreach(definition ${IWARP_PRIVATE_DEFINITIONS})
  add_compile_definitions(${definition})
endforeach()

# ns-3 leaves a header alone that includes the module's one from where it was before it moved
foreach(header ${IWARP_HEADERS})
  get_filename_component(name ${header} NAME)
  set(forward ${CMAKE_HEADER_OUTPUT_DIRECTORY}/${name})
  if(EXISTS ${forward} AND NOT IS_SYMLINK ${forward})
    file(READ ${forward} content)
    if(NOT content MATCHES "/${header}\"")
      file(REMOVE ${forward})
    endif()
  endif()
endforeach()
