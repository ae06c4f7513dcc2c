/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_RECEIVER_TEST_UTIL_H
#define DDP_RECEIVER_TEST_UTIL_H

#include "ddp-counted-stags.h"

#include "ns3/ddp-receiver.h"

#include <cstdint>
#include <utility>
#include <vector>

/// A receiver with a record of what it tells.
struct DdpTestSink : ns3::DdpReceiver::Listener
{
    static constexpr uint32_t PD = 7;     //!< its protection domain
    static constexpr uint32_t STREAM = 5; //!< its stream

    CountedStagTable table;                   //!< STags of the node
    ns3::DdpReceiver receiver;                //!< receiver tried
    std::vector<ns3::DdpDelivery> deliveries; //!< messages delivered
    std::vector<ns3::DdpError> errors;        //!< errors reported
    std::vector<uint8_t> reported;            //!< octets of the segment in error
    uint32_t reportedLength{0};               //!< its length
    uint32_t next{0};                         //!< order of the next segment

    DdpTestSink()
        : receiver(table, PD, STREAM, *this)
    {
        receiver.EnableQueue(0);
    }

    ns3::DdpAdmission Admit(const ns3::DdpHeader&, const uint8_t*, uint32_t, uint32_t) override
    {
        return {};
    }

    void Delivered(ns3::DdpDelivery& delivery) override
    {
        deliveries.push_back(delivery);
    }

    void Failed(const ns3::DdpErrorReport& report) override
    {
        errors.push_back(report.error);
        reported.assign(report.segment, report.segment + report.available);
        reportedLength = report.length;
    }

    /// Register memory. @param memory what @param base TO of its first octet @return STag
    uint32_t Register(ns3::Ptr<ns3::DdpMemory> memory, uint64_t base)
    {
        ns3::DdpStagEntry entry;
        entry.pd = PD;
        entry.access = ns3::DDP_ACCESS_LOCAL_WRITE | ns3::DDP_ACCESS_REMOTE_WRITE;
        entry.base = base;
        entry.length = memory->GetLength();
        entry.memory = memory;
        return table.Add(entry);
    }

    /// Post a buffer without content. @param length octets @param context context @param qn queue
    void Post(uint32_t length, uint64_t context = 0, uint32_t qn = 0)
    {
        ns3::DdpBuffer buffer;
        buffer.context = context;
        buffer.length = length;
        const uint32_t stag = Register(ns3::DdpMemory::CreateVirtual(length), 0);
        buffer.sges.push_back({0, length, stag});
        receiver.GetQueue(qn).Post(std::move(buffer));
    }

    /// A segment comes in order. @param header header @param payload octets, all 0xAA
    /// @return true if it was taken without an error
    bool Arrive(const ns3::DdpHeader& header, uint32_t payload)
    {
        std::vector<uint8_t> octets(header.GetSize() + payload, 0xAA);
        header.Write(octets.data());
        return ArriveOctets(octets);
    }

    /// A segment comes in order. @param octets the segment @return true if it was taken
    bool ArriveOctets(const std::vector<uint8_t>& octets)
    {
        receiver.Segment(next++, octets.data(), octets.size(), octets.size(), true);
        if (!receiver.HasStopped())
        {
            receiver.Deliver(1);
        }
        return !receiver.HasStopped();
    }
};

/// @param msn MSN @param mo MO @param last L @param qn queue @return header of an untagged segment
inline ns3::DdpHeader
Untagged(uint32_t msn, uint32_t mo, bool last, uint32_t qn = 0)
{
    ns3::DdpHeader header;
    header.ulpControl = 0x43;
    header.qn = qn;
    header.msn = msn;
    header.mo = mo;
    header.last = last;
    return header;
}

/// @param stag STag @param to TO @param last L @return header of a tagged segment
inline ns3::DdpHeader
Tagged(uint32_t stag, uint64_t to, bool last = true)
{
    ns3::DdpHeader header;
    header.tagged = true;
    header.ulpControl = 0x40;
    header.stag = stag;
    header.to = to;
    header.last = last;
    return header;
}

#endif // DDP_RECEIVER_TEST_UTIL_H
