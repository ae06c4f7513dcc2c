/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two nodes and a link: messages over TLS 1.3, with pcap files and the key log with which Wireshark
// deciphers them.
//
//     sender ------------- sink
//           LinkRate, Delay

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tls-application-helper.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iostream>

using namespace ns3;

namespace
{

/// What a user can set.
struct TlsOptions
{
    DataRate rate{"10Gbps"};                          //!< of the link
    std::string delay{"10us"};                        //!< of the link
    std::string sizes{"fixed:65536"};                 //!< of messages
    uint64_t messages{16};                            //!< how many
    bool real{HasRealTls()};                          //!< records are enciphered
    std::string suites{"TLS_AES_128_GCM_SHA256"};     //!< cipher suites
    std::string sizing{"Fixed"};                      //!< RecordSizing
    std::string padding{"None"};                      //!< Padding
    uint32_t maxRecord{16384};                        //!< MaxRecord
    bool resume{false};                               //!< Resume
    bool alignment{true};                             //!< of MpaTcpSocket
    std::string protocol{"ns3::MpaTcpSocketFactory"}; //!< makes the sockets
    bool ipv6{false};                                 //!< rather than IPv4
    std::string pcap;                                 //!< prefix of files
};

/// Counts records by their content.
struct TlsRecordCounts
{
    /// RecordReceived. @param record that has come
    void Count(const TlsRecordReport& record, uint64_t /* offset */)
    {
        records++;
        octets += record.size;
        content += record.type == TlsContentType::APPLICATION_DATA ? record.content : 0;
    }

    /// StreamCreated. @param stream that is not open yet
    void Watch(Ptr<TlsStream> stream)
    {
        stream->TraceConnectWithoutContext("RecordReceived",
                                           MakeCallback(&TlsRecordCounts::Count, this));
    }

    uint64_t records{0}; //!< records
    uint64_t octets{0};  //!< of them in the stream
    uint64_t content{0}; //!< of application data
};

/// @param helper of either end @param options of the user
template <typename Helper>
void
Configure(Helper& helper, const TlsOptions& options)
{
    helper.SetAttribute("Protocol", TypeIdValue(TypeId::LookupByName(options.protocol)));
    helper.SetAttribute("Backed", BooleanValue(true));
    helper.SetStreamAttribute("Real", BooleanValue(options.real));
    helper.SetStreamAttribute("CipherSuites", StringValue(options.suites));
    helper.SetStreamAttribute("RecordSizing", StringValue(options.sizing));
    helper.SetStreamAttribute("Padding", StringValue(options.padding));
    helper.SetStreamAttribute("MaxRecord", UintegerValue(options.maxRecord));
    helper.SetStreamAttribute("Resume", BooleanValue(options.resume));
    if (options.protocol == "ns3::MpaTcpSocketFactory")
    {
        helper.SetSocketAttribute("Alignment", BooleanValue(options.alignment));
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    TlsOptions options;
    CommandLine cmd(__FILE__);
    cmd.AddValue("rate", "rate of the link", options.rate);
    cmd.AddValue("delay", "propagation delay of the link", options.delay);
    cmd.AddValue("sizes", "message sizes: fixed:N, cdf:NAME or a random variable", options.sizes);
    cmd.AddValue("messages", "messages to send", options.messages);
    cmd.AddValue("real", "encipher records by OpenSSL", options.real);
    cmd.AddValue("suites", "cipher suites, with : between them", options.suites);
    cmd.AddValue("sizing", "sizes of records: Fixed, Steps or Growth", options.sizing);
    cmd.AddValue("padding", "padding of records: None, Block or Maximum", options.padding);
    cmd.AddValue("maxRecord", "content of a record at most, octets", options.maxRecord);
    cmd.AddValue("resume", "resume a session", options.resume);
    cmd.AddValue("alignment", "align records with segments", options.alignment);
    cmd.AddValue("protocol", "socket factory, such as ns3::TcpSocketFactory", options.protocol);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", options.ipv6);
    cmd.AddValue("pcap", "write pcap files and PREFIX-keys, named so", options.pcap);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }

    Time delay;
    TypeId protocol;
    if (!iwarp::ParseTime(options.delay, delay) || options.messages == 0 ||
        !TypeId::LookupByNameFailSafe(options.protocol, &protocol))
    {
        std::cerr
            << "--delay takes a time such as 10us, --messages at least 1, --protocol a socket "
               "factory of TCP\n";
        return 2;
    }

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(options.rate));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    IwarpHelper().Install(nodes);

    const uint16_t port = 443;
    Address remote;
    Address local;
    if (options.ipv6)
    {
        Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        remote = Inet6SocketAddress(addresses.Assign(devices).GetAddress(1, 1), port);
        local = Inet6SocketAddress(Ipv6Address::GetAny(), port);
    }
    else
    {
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        remote = InetSocketAddress(addresses.Assign(devices).GetAddress(1), port);
        local = InetSocketAddress(Ipv4Address::GetAny(), port);
    }

    TlsSinkHelper sinkHelper(local);
    Configure(sinkHelper, options);
    ApplicationContainer sinks = sinkHelper.Install(nodes.Get(1));
    TlsBulkSenderHelper senderHelper(remote);
    Configure(senderHelper, options);
    senderHelper.SetAttribute("MaxMessages", UintegerValue(options.messages));
    ApplicationContainer senders = senderHelper.Install(nodes.Get(0));
    senders.Start(Seconds(2)); // IPv6 addresses are usable once they are known to be unique

    Ptr<TlsBulkSender> sender = DynamicCast<TlsBulkSender>(senders.Get(0));
    Ptr<TlsSink> sink = DynamicCast<TlsSink>(sinks.Get(0));
    const std::string problem = sender->SetMessageSizes(options.sizes);
    if (!problem.empty())
    {
        std::cerr << "--sizes: " << problem << '\n';
        return 2;
    }
    const int64_t used = TlsApplicationHelper::AssignStreams(senders, 1);
    TlsApplicationHelper::AssignStreams(sinks, 1 + used);

    TlsRecordCounts counts;
    sink->TraceConnectWithoutContext("StreamCreated",
                                     MakeCallback(&TlsRecordCounts::Watch, &counts));
    if (!options.pcap.empty())
    {
        IwarpHelper::EnablePcap(options.pcap, nodes);
        TlsApplicationHelper::EnableKeyLog(options.pcap + "-keys", senders);
    }

    Simulator::Stop(Seconds(100));
    Simulator::Run();
    std::cout << sink->GetMessages() << " messages, " << sink->GetMessageOctets() << " octets, "
              << sink->GetContentErrors() << " octets wrong\n"
              << counts.records << " records, " << counts.octets << " octets, " << counts.content
              << " of application data\n";
    const std::string error = sender->GetError() + sink->GetError();
    if (!error.empty())
    {
        std::cout << "ended early: " << error << '\n';
    }
    const bool good = sink->GetMessages() == options.messages && sink->GetContentErrors() == 0;
    Simulator::Destroy();
    return good ? 0 : 1;
}
