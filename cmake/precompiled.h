/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The headers of ns-3 and of the library that most files of the module need. A file still includes
// what it uses: it also compiles without this one (-DIWARP_PCH=OFF, and in an ns-3 tree).

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>
