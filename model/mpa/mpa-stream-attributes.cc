/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MpaStream);

TypeId
MpaStream::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MpaStream")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<MpaStream>()
            .AddAttribute("Markers",
                          "Ask the peer to put Markers into what it sends (M bit).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_markers),
                          MakeBooleanChecker())
            .AddAttribute("Crc",
                          "Ask for CRC32c (C bit). Off only if both ends ask for off.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_crc),
                          MakeBooleanChecker())
            .AddAttribute(
                "EchoCrc",
                "Answer a Request that asks for CRC32c with C=1 even if this end would do "
                "without: a peer that requires CRC may go by the Reply alone, as Linux's "
                "siw does.",
                BooleanValue(true),
                MakeBooleanAccessor(&MpaStream::m_echoCrc),
                MakeBooleanChecker())
            .AddAttribute("CrcPolicy",
                          "Whether Crc=false is honoured (RFC 5044 section 4.4).",
                          iwarp::MakeEnumValue(CrcPolicy::ADMIN_MAY_DISABLE),
                          iwarp::MakeEnumAccessor(&MpaStream::m_crcPolicy),
                          iwarp::MakeEnumChecker(CrcPolicy::ALWAYS_ON,
                                                 "AlwaysOn",
                                                 CrcPolicy::ADMIN_MAY_DISABLE,
                                                 "AdminMayDisable"))
            .AddAttribute("PathIntegrity",
                          "The path guards data at least as well as CRC32c would, so that no "
                          "warning is due when CRC is off.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_pathIntegrity),
                          MakeBooleanChecker())
            .AddAttribute("GenerateCrcAnyway",
                          "Fill the CRC field even if neither end checks it.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_generateAnyway),
                          MakeBooleanChecker())
            .AddAttribute(
                "Personality",
                "Kind of RNIC in the sense of RFC 5044 Appendix C. Linux is Ietf without "
                "Markers in what it receives, whatever Markers says: Linux's siw takes no "
                "other peer, cxgb4 and irdma ask for none either.",
                iwarp::MakeEnumValue(MpaPersonality::IETF),
                iwarp::MakeEnumAccessor(&MpaStream::m_personality),
                iwarp::MakeEnumChecker(MpaPersonality::IETF,
                                       "Ietf",
                                       MpaPersonality::PERMISSIVE,
                                       "Permissive",
                                       MpaPersonality::RDMAC,
                                       "Rdmac",
                                       MpaPersonality::LINUX,
                                       "Linux"))
            .AddAttribute("Revision",
                          "Highest MPA revision that this end speaks.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&MpaStream::m_revision),
                          MakeUintegerChecker<uint8_t>(1, 2))
            .AddAttribute("PrivateDataLimit",
                          "Longest Private Data that the ULP takes, octets (0 to 512).",
                          UintegerValue(512),
                          MakeUintegerAccessor(&MpaStream::m_privateDataLimit),
                          MakeUintegerChecker<uint32_t>(0, 512))
            .AddAttribute("CloseOnReject",
                          "Close TCP when the peer rejects (section 7.1.4.2) rather than leave it "
                          "to the ULP (section 7.1.2).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_closeOnReject),
                          MakeBooleanChecker())
            .AddAttribute("WaitForFirstFpdu",
                          "A Responder sends nothing before it has validated an FPDU (section "
                          "7.1.2 rule 4). Off shows what that rule is for.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_waitForFirstFpdu),
                          MakeBooleanChecker())
            .AddAttribute("StartupTimeout",
                          "Longest wait for the peer's whole startup frame.",
                          TimeValue(Seconds(10)),
                          MakeTimeAccessor(&MpaStream::m_startupTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("TerminateTimeout",
                          "Longest wait for the end of TCP once the stream has failed or a "
                          "Terminate was received: whatever both ends have not closed then is "
                          "reset.",
                          TimeValue(Seconds(10)),
                          MakeTimeAccessor(&MpaStream::m_terminateTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("OutOfOrder",
                          "Pass FPDUs that Markers prove out of order; otherwise all wait for "
                          "their turn.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaStream::m_outOfOrder),
                          MakeBooleanChecker())
            .AddAttribute("CheckMarkers",
                          "Which Markers of an FPDU are compared with its start.",
                          iwarp::MakeEnumValue(mpa::CheckMarkers::ALL),
                          iwarp::MakeEnumAccessor(&MpaStream::m_checkMarkers),
                          iwarp::MakeEnumChecker(mpa::CheckMarkers::NONE,
                                                 "None",
                                                 mpa::CheckMarkers::FIRST,
                                                 "First",
                                                 mpa::CheckMarkers::ALL,
                                                 "All"))
            .AddAttribute("SilentDrop",
                          "Drop a segment with a faulty FPDU, so that TCP sends it again, rather "
                          "than report error 2 or 3.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_silentDrop),
                          MakeBooleanChecker())
            .AddAttribute("StrictLength",
                          "Treat a received ULPDU_Length of 0 or above 64768 as error 3.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_strictLength),
                          MakeBooleanChecker())
            .AddAttribute(
                "ReassemblyMemory",
                "Memory of a receiver for FPDUs that are not whole or not locatable yet; 0 "
                "is no limit, less than 140 works as 140 (A.5.2) [octets]",
                UintegerValue(0),
                MakeUintegerAccessor(&MpaStream::m_memory),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReassemblyRecords",
                          "Segments that wait to be classified and FPDUs passed out of order, each "
                          "of which takes memory of its own: while there are as many, segments out "
                          "of order are refused, and TCP sends them again.",
                          UintegerValue(8192),
                          MakeUintegerAccessor(&MpaStream::m_records),
                          MakeUintegerChecker<uint32_t>(1, UINT32_MAX))
            .AddAttribute("DynamicMulpdu",
                          "Offer the room left in the segment being filled as MULPDU (section "
                          "4.5).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_dynamicMulpdu),
                          MakeBooleanChecker())
            .AddAttribute("RefuseAboveMulpdu",
                          "Refuse ULPDUs above MULPDU; otherwise their FPDUs span segments.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaStream::m_refuseOversize),
                          MakeBooleanChecker())
            .AddTraceSource("Mulpdu",
                            "Largest ULPDU that fits a segment, octets.",
                            MakeTraceSourceAccessor(&MpaStream::m_mulpdu),
                            "ns3::TracedValueCallback::Uint32")
            .AddTraceSource("ReassemblyMemory",
                            "Octets in the reassembly memory.",
                            MakeTraceSourceAccessor(&MpaStream::m_held),
                            "ns3::MpaStream::HeldTracedCallback")
            .AddTraceSource("FpduSent",
                            "An FPDU was given to TCP.",
                            MakeTraceSourceAccessor(&MpaStream::m_fpduSentTrace),
                            "ns3::MpaStream::FpduSentTracedCallback")
            .AddTraceSource("SegmentReceived",
                            "A segment reached MPA, and what it meant.",
                            MakeTraceSourceAccessor(&MpaStream::m_segmentTrace),
                            "ns3::MpaStream::SegmentReceivedTracedCallback")
            .AddTraceSource("Classified",
                            "A received segment's place among FPDU boundaries is known.",
                            MakeTraceSourceAccessor(&MpaStream::m_classifiedTrace),
                            "ns3::MpaStream::ClassifiedTracedCallback")
            .AddTraceSource("Passed",
                            "A ULPDU was validated and passed up, in order or not.",
                            MakeTraceSourceAccessor(&MpaStream::m_passedTrace),
                            "ns3::MpaStream::PassedTracedCallback")
            .AddTraceSource("Delivered",
                            "ULPDUs became complete in order.",
                            MakeTraceSourceAccessor(&MpaStream::m_deliveredTrace),
                            "ns3::MpaStream::DeliveredTracedCallback")
            .AddTraceSource("Drop",
                            "A segment was dropped before TCP kept it.",
                            MakeTraceSourceAccessor(&MpaStream::m_dropTrace),
                            "ns3::MpaStream::DropTracedCallback")
            .AddTraceSource("Error",
                            "An error was reported to the ULP.",
                            MakeTraceSourceAccessor(&MpaStream::m_errorTrace),
                            "ns3::MpaStream::ErrorTracedCallback")
            .AddTraceSource("StartupState",
                            "The startup machine changed its state.",
                            MakeTraceSourceAccessor(&MpaStream::m_state),
                            "ns3::MpaStream::StartupStateTracedCallback");
    return tid;
}

} // namespace ns3
