/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-offload.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MpaOffload);

TypeId
MpaOffload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MpaOffload").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

} // namespace ns3
