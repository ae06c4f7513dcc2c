/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// An RNIC of one's own: figures of a profile changed, and a stage added that looks each received
// segment up in a table of rules. Prints when the messages have come, without the stage and with
// it.

#include "ns3/command-line.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/iwarp-helper.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-sink.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-server-stage.h"
#include "ns3/util-attribute-text.h"

#include <iostream>
#include <string>

using namespace ns3;

/// A queue whose work grows with the rules that it holds; its attributes besides are those of
/// RnicServerStage.
class MyFilterStage : public RnicServerStage
{
  public:
    /// Get the type ID. @return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::MyFilterStage")
                                .SetParent<RnicServerStage>()
                                .AddConstructor<MyFilterStage>()
                                .AddAttribute("Rules",
                                              "Rules that each segment is compared with",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&MyFilterStage::m_rules),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

  protected:
    Load GetLoad(const RnicSegment& segment) const override
    {
        return {segment.frame, m_rules}; // TimePerUnit for each rule
    }

  private:
    uint32_t m_rules; //!< rules in the table
};

NS_OBJECT_ENSURE_REGISTERED(MyFilterStage);

namespace
{

/// @param last when the last message has come
void
MessageReceived(Time* last,
                Ptr<MpaStream> /* stream */,
                uint32_t /* message */,
                uint64_t /* size */)
{
    *last = Simulator::Now();
}

/// @param rules in the receiver's filter @return when the last message has come
Time
Run(uint32_t rules)
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate("40Gbps")));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);

    RnicHelper rnic("t5-like");
    rnic.Set("ReassemblyMemory.Capacity", UintegerValue(65536));
    rnic.AddStage(RnicPipelineKind::RECEIVE, "RxFilter", "ns3::MyFilterStage", "RxClassify");
    rnic.Set("RxFilter.TimePerUnit", TimeValue(NanoSeconds(5)));
    rnic.Set("RxFilter.Rules", UintegerValue(rules));
    rnic.Install(nodes); // before sockets are made

    IwarpHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);

    MpaSinkHelper sinks(InetSocketAddress(Ipv4Address::GetAny(), 20049));
    ApplicationContainer sink = sinks.Install(nodes.Get(1));
    Time last;
    sink.Get(0)->TraceConnectWithoutContext("MessageReceived",
                                            MakeBoundCallback(&MessageReceived, &last));
    MpaBulkSenderHelper senders(InetSocketAddress(interfaces.GetAddress(1), 20049));
    senders.SetAttribute("MaxMessages", UintegerValue(100));
    senders.Install(nodes.Get(0)).Start(MilliSeconds(1));

    Simulator::Stop(Seconds(1));
    Simulator::Run();
    Simulator::Destroy();
    return last - MilliSeconds(1);
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t rules = 100;
    CommandLine cmd(__FILE__);
    cmd.AddValue("rules", "Rules in the receiver's filter", rules);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    std::cout << "without rules " << Run(0).As(Time::US) << '\n';
    std::cout << "with " << rules << " rules " << Run(rules).As(Time::US) << '\n';
    return 0;
}
