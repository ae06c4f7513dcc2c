/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/app-message-source.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/pointer.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/roce-client.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// What applications post, and when.
IWARP_TEST_SUITE(appMessageSource, "app-message-source");

/// An application that has room for so many messages and finishes each after a time.
class SourceApplication : public Object, public iwarp::MessageSource::User
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = iwarp::MessageSource::AddAttributes(
            TypeId("ns3::SourceTestApplication").SetParent<Object>(),
            &SourceApplication::source,
            {"Messages under way"});
        return tid;
    }

    bool HasRoom() const override
    {
        return underWay < source.GetQueueDepth();
    }

    void PostMessage(uint32_t number, uint64_t size) override
    {
        posted.emplace_back(number, size);
        times.push_back(Simulator::Now());
        underWay++;
        if (holding.IsStrictlyPositive())
        {
            Simulator::Schedule(holding, &SourceApplication::Finish, this);
        }
    }

    /// A message is done.
    void Finish()
    {
        underWay--;
        source.Fill();
    }

    iwarp::MessageSource source{*this};                //!< messages
    Time holding;                                      //!< time of a message; 0 is for ever
    uint32_t underWay{0};                              //!< messages not done
    std::vector<std::pair<uint32_t, uint64_t>> posted; //!< number and size of each
    std::vector<Time> times;                           //!< when they were posted
};

/// @param settings attributes @return an application with them
Ptr<SourceApplication>
MakeSourceApplication(const std::vector<std::pair<std::string, std::string>>& settings)
{
    auto application = CreateObject<SourceApplication>();
    for (const auto& [name, value] : settings)
    {
        application->SetAttribute(name, StringValue(value));
    }
    return application;
}

/// In a closed loop there is a message for each place that is free, up to the limits.
IWARP_TEST(appMessageSource, "Closed loop: a message for each place, without a clock")
{
    using Posted = std::vector<std::pair<uint32_t, uint64_t>>;
    const std::string size = "ns3::ConstantRandomVariable[Constant=1000]";
    auto few =
        MakeSourceApplication({{"MessageSizes", size}, {"QueueDepth", "3"}, {"MaxOctets", "4001"}});
    few->source.Start();
    NS_TEST_EXPECT_MSG_EQ(few->posted.size(), 0, "nothing arrives by itself");
    few->source.Fill();
    NS_TEST_EXPECT_MSG_EQ(few->posted.size(), 3, "as many as there are places");
    NS_TEST_EXPECT_MSG_EQ(few->source.HasMore(), true, "1,001 octets are left");
    few->Finish();
    few->Finish();
    few->Finish();
    const Posted all{{0, 1000}, {1, 1000}, {2, 1000}, {3, 1000}, {4, 1}};
    NS_TEST_EXPECT_MSG_EQ((few->posted == all), true, "the last is cut to fit");
    NS_TEST_EXPECT_MSG_EQ(few->source.HasMore(), false, "all are posted");
    NS_TEST_EXPECT_MSG_EQ(few->source.GetOctets(), 4001, "octets");
    NS_TEST_EXPECT_MSG_EQ(few->source.GetPosted(), 5, "messages");
    NS_TEST_EXPECT_MSG_EQ(few->source.GetRefused(), 0, "there was room for each");

    auto allowed = MakeSourceApplication({{"MaxMessages", "4"}, {"QueueDepth", "9"}});
    allowed->source.Allow(1);
    allowed->source.Fill();
    allowed->source.Fill();
    NS_TEST_EXPECT_MSG_EQ(allowed->posted.size(), 1, "no more are allowed");
    NS_TEST_EXPECT_MSG_EQ(allowed->source.HasMore(), true, "but there are more");
    allowed->source.Allow(9);
    allowed->source.Fill();
    NS_TEST_EXPECT_MSG_EQ(allowed->posted.size(), 4, "MaxMessages");
    NS_TEST_EXPECT_MSG_EQ(allowed->source.GetOctets(), 4 * 65536, "64 KiB unless told");

    auto given = MakeSourceApplication({{"MaxMessages", "1"}, {"QueueDepth", "2"}});
    given->source.Allow(0);
    given->source.Add(7);
    given->source.Add(8);
    given->source.Add(9);
    given->source.Fill();
    NS_TEST_EXPECT_MSG_EQ(given->posted.size(), 2, "one waits");
    NS_TEST_EXPECT_MSG_EQ(given->source.HasMore(), true, "so there are more");
    given->Finish();
    const Posted added{{0, 7}, {1, 8}, {2, 9}};
    NS_TEST_EXPECT_MSG_EQ((given->posted == added), true, "in their order, and no others");
    NS_TEST_EXPECT_MSG_EQ(given->source.HasMore(), false, "MaxMessages");
}

/// In an open loop messages arrive at their times, whether there is room for them or not.
IWARP_TEST(appMessageSource, "Open loop: fixed intervals")
{
    const std::string interval = "ns3::ConstantRandomVariable[Constant=0.001]";
    auto regular =
        MakeSourceApplication({{"Intervals", interval}, {"MaxMessages", "5"}, {"QueueDepth", "1"}});
    regular->holding = MicroSeconds(1500); // so every second one finds the place taken
    Simulator::Schedule(MilliSeconds(7), [&regular] {
        regular->source.Start();
        regular->source.Fill();
    });
    auto stopped = MakeSourceApplication({{"Intervals", interval}});
    stopped->holding = MicroSeconds(1);
    Simulator::Schedule(Time(0), [&stopped] { stopped->source.Start(); });
    Simulator::Schedule(MicroSeconds(2500), [&stopped] { stopped->source.Stop(); });
    Simulator::Run();
    const std::vector<Time> times{MilliSeconds(7), MilliSeconds(9), MilliSeconds(11)};
    NS_TEST_EXPECT_MSG_EQ((regular->times == times), true, "every second one");
    NS_TEST_EXPECT_MSG_EQ(regular->source.GetRefused(), 2, "the others");
    NS_TEST_EXPECT_MSG_EQ(regular->posted.back().first, 2, "those posted are numbered");
    NS_TEST_EXPECT_MSG_EQ(stopped->times.size(), 3, "at 0, 1 and 2 ms");
    Simulator::Destroy();
}

/**
 * Random arrivals at so many places, each taken for a fixed time: the share that finds none is
 * Erlang's loss formula, whatever the distribution of that time (A. K. Erlang, 1917).
 */
IWARP_TEST(appMessageSource, "Open loop: Erlang's loss formula")
{
    const double load = 4;
    const uint32_t places = 5;
    double blocked = 1;
    for (uint32_t n = 1; n <= places; n++)
    {
        blocked = load * blocked / (n + load * blocked);
    }
    auto application =
        MakeSourceApplication({{"Intervals", "ns3::ExponentialRandomVariable[Mean=1e-3]"},
                               {"MaxMessages", "40000"},
                               {"QueueDepth", std::to_string(places)}});
    NS_TEST_EXPECT_MSG_EQ(application->source.AssignStreams(70), 2, "sizes and intervals");
    NS_TEST_EXPECT_MSG_EQ(application->source.GetSizes()->GetStream(), 70, "first");
    NS_TEST_EXPECT_MSG_EQ(application->source.GetIntervals()->GetStream(), 71, "second");
    application->holding = MilliSeconds(4);
    Simulator::Schedule(Time(0), [&application] { application->source.Start(); });
    Simulator::Run();
    const auto refused = static_cast<double>(application->source.GetRefused());
    NS_TEST_EXPECT_MSG_EQ(application->source.GetPosted() + application->source.GetRefused(),
                          40000,
                          "each arrival counts");
    NS_TEST_EXPECT_MSG_EQ_TOL(refused / 40000, blocked, 0.01, "share of those refused");
    Simulator::Destroy();
}

/// Each application has the attributes of its source, which defaults and values reach.
struct SourceAttributeTest : TestCase
{
    using TestCase::TestCase;

    /// @param object it @param name of a number @return its value
    static uint64_t Get(Ptr<Object> object, const std::string& name)
    {
        UintegerValue value;
        object->GetAttribute(name, value);
        return value.Get();
    }
};

IWARP_TEST(appMessageSource, "Attributes of the applications", SourceAttributeTest)
{
    for (const TypeId& tid : {MpaBulkSender::GetTypeId(),
                              RdmaBulkClient::GetTypeId(),
                              RdmaStorageClient::GetTypeId(),
                              RoceClient::GetTypeId()})
    {
        const bool storage = tid == RdmaStorageClient::GetTypeId();
        const std::string messages = storage ? "MaxRequests" : "MaxMessages";
        const std::string path = tid.GetName() + "::";
        Config::SetDefault(path + "MaxOctets", UintegerValue(123));
        Config::SetDefault(path + messages, StringValue("45"));
        Config::SetDefault(path + "QueueDepth", UintegerValue(6));
        Config::SetDefault(path + "Intervals",
                           StringValue("ns3::ConstantRandomVariable[Constant=7]"));
        ObjectFactory factory(tid.GetName());
        const auto application = factory.Create<Object>();
        NS_TEST_EXPECT_MSG_EQ(Get(application, "MaxOctets"), 123, path << "default");
        NS_TEST_EXPECT_MSG_EQ(Get(application, messages), 45, path << "default");
        NS_TEST_EXPECT_MSG_EQ(Get(application, "QueueDepth"), 6, path << "default");
        PointerValue intervals;
        application->GetAttribute("Intervals", intervals);
        NS_TEST_EXPECT_MSG_EQ(intervals.Get<RandomVariableStream>()->GetValue(), 7, path);
        application->SetAttribute("MaxOctets", UintegerValue(8));
        NS_TEST_EXPECT_MSG_EQ(Get(application, "MaxOctets"), 8, path << "set");
        NS_TEST_EXPECT_MSG_EQ(application->SetAttributeFailSafe("QueueDepth", UintegerValue(0)),
                              false,
                              path << "no messages under way");
        NS_TEST_EXPECT_MSG_EQ(application->SetAttributeFailSafe("QueueDepth", UintegerValue(16385)),
                              !storage,
                              path << "tags of a storage client");
    }
    Config::Reset();
}

} // namespace
