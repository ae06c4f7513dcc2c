/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-part.h"

#include "ns3/util-text.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpScenarioPart);

TypeId
IwarpScenarioPart::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IwarpScenarioPart").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

IwarpScenarioPart::IwarpScenarioPart() = default;
IwarpScenarioPart::~IwarpScenarioPart() = default;

std::vector<std::string>
IwarpScenarioPart::ListNames(const std::string& /* attribute */) const
{
    return {};
}

bool
IwarpScenarioPart::IsList(const std::string& /* attribute */) const
{
    return false;
}

std::string
IwarpScenarioPart::CheckName(const std::string& attribute, const std::string& value) const
{
    const auto names = ListNames(attribute);
    const bool good = names.empty() || std::find(names.begin(), names.end(), value) != names.end();
    return good ? "" : "there is no '" + value + "'; there are " + iwarp::Join(names);
}

std::string
IwarpScenarioPart::Check() const
{
    return "";
}

std::string
IwarpScenarioPart::CheckWith(const iwarp::ScenarioParts& /* parts */) const
{
    return "";
}

std::string
IwarpScenarioPart::CheckRanks(const iwarp::ScenarioParts& /* parts */) const
{
    const TypeId type = GetInstanceTypeId();
    return (type.GetAttributeN() > 0 ? type.GetAttribute(0).name : type.GetName()) +
           ": what it stands for is of one process and cannot be shared out to ranks; leave it "
           "out, or run it in one process";
}

void
IwarpScenarioPart::SetDefaults(iwarp::ScenarioParts& /* parts */) const
{
}

uint32_t
IwarpScenarioPart::CountPairs() const
{
    return 0;
}

std::string
IwarpScenarioPart::CheckNetwork(const iwarp::ScenarioParts& /* parts */,
                                const IwarpNetwork& /* network */,
                                const IwarpTopology::Ends& /* ends */) const
{
    return "";
}

Address
IwarpScenarioPart::Redirect(iwarp::ScenarioNetwork& /* network */,
                            uint32_t /* host */,
                            uint16_t /* port */,
                            const Address& address) const
{
    return address;
}

void
IwarpScenarioPart::Install(iwarp::ScenarioNetwork& /* network */) const
{
}

bool
IwarpScenarioPart::IsBuffering() const
{
    return false;
}

} // namespace ns3
