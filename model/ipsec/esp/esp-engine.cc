/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-engine.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EspEngine);

TypeId
EspEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EspEngine").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

} // namespace ns3
