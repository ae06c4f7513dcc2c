# SPDX-License-Identifier: GPL-2.0-only
#
# The build as contrib/iwarp of an ns-3 source tree. All the rest is ns-3's own.

foreach(definition ${IWARP_PRIVATE_DEFINITIONS})
  add_compile_definitions(${definition})
endforeach()
add_compile_definitions(IWARP_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
