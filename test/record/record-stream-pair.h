/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_STREAM_PAIR_H
#define RECORD_STREAM_PAIR_H

#include "record-test-network.h"

#include "ns3/packet.h"
#include "ns3/record-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

/// Records made by hand, and two hosts that exchange them.
namespace recordtest
{

using namespace ns3;

/// Records of a tag of 3 octets, a length of 4 that counts all of the record, and two octets behind
/// the payload.
class TaggedFraming : public RecordFraming
{
  public:
    const char* GetName() const override
    {
        return "tagged";
    }

    uint32_t GetHeadSize() const override
    {
        return HEAD;
    }

    RecordHead ReadHead(const uint8_t* head) const override
    {
        const uint32_t size = boost::endian::load_little_u32(head + 3);
        const bool good = std::memcmp(head, "TAG", 3) == 0 && size >= HEAD + TAIL;
        return good ? RecordHead{size, size - HEAD - TAIL, HEAD} : RecordHead{};
    }

    /// @param payload octets @return octets of a record
    static std::vector<uint8_t> Make(uint32_t payload)
    {
        std::vector<uint8_t> record(HEAD + payload + TAIL);
        std::memcpy(record.data(), "TAG", 3);
        boost::endian::store_little_u32(record.data() + 3, static_cast<uint32_t>(record.size()));
        for (std::size_t i = HEAD; i < record.size(); i++)
        {
            record[i] = static_cast<uint8_t>(i * 31 + payload);
        }
        return record;
    }

    static constexpr uint32_t HEAD = 7; //!< octets of the head
    static constexpr uint32_t TAIL = 2; //!< octets behind the payload
};

inline const TaggedFraming g_tagged; //!< of all streams here

/// @param sizes of payloads @return octets of records, one behind the other
inline std::vector<uint8_t>
MakeRecords(const std::vector<uint32_t>& sizes)
{
    std::vector<uint8_t> octets;
    for (const uint32_t size : sizes)
    {
        const auto record = TaggedFraming::Make(size);
        octets.insert(octets.end(), record.begin(), record.end());
    }
    return octets;
}

/// Two hosts on a link, each with a record stream.
class RecordStreamPair
{
  public:
    /// One end.
    struct End : RecordStream::User
    {
        Ptr<RecordStream> stream;                  //!< its stream
        std::vector<std::vector<uint8_t>> records; //!< that have come
        std::vector<uint32_t> payloads;            //!< of these, as their heads say
        uint64_t payload{0};                       //!< that has come
        std::vector<uint32_t> heads;               //!< sizes of records whose heads have come
        uint64_t payloadAtHead{0};                 //!< that had come before the last head
        uint32_t discardAt{UINT32_MAX};            //!< payload of a record that is not wanted,
                                                   //!< nor is what begins none
        uint32_t rooms{0};                         //!< times that there was room
        std::vector<RecordStream::End> ends;       //!< of the stream
        uint64_t held{0};                          //!< octets that wait for others
        uint64_t mostHeld{0};                      //!< the most of them
        uint32_t gaps{0};                          //!< times that they were others than told before

        /// Called with each record, if set.
        std::function<void(const std::vector<uint8_t>&)> onRecord;

        void HandleRecord(const Ptr<Packet>& record, const RecordHead& head) override
        {
            std::vector<uint8_t> octets(record->GetSize());
            record->CopyData(octets.data(), record->GetSize());
            if (onRecord)
            {
                onRecord(octets);
            }
            records.push_back(octets);
            payloads.push_back(head.payload);
        }

        void HandlePayload(uint64_t octets) override
        {
            payload += octets;
        }

        void HandleHead(const uint8_t* octets, const RecordHead& head) override
        {
            heads.push_back(head.size);
            payloadAtHead = payload;
            const bool unwanted = octets[0] != 'T' || head.payload == discardAt;
            if (unwanted && discardAt != UINT32_MAX)
            {
                stream->Discard();
            }
        }

        void HandleHeld(uint64_t before, uint64_t after) override
        {
            gaps += before != held;
            held = after;
            mostHeld = std::max(mostHeld, held);
        }

        void HandleRoom() override
        {
            rooms++;
        }

        void HandleEnd(RecordStream::End end) override
        {
            ends.push_back(end);
        }
    };

    /// @param factory of the sockets @param ipv6 over IPv6 @param prepare hosts, if need be
    explicit RecordStreamPair(const std::string& factory = "ns3::MpaTcpSocketFactory",
                              bool ipv6 = false,
                              const RecordTestNetwork::Prepare& prepare = nullptr)
        : m_network(factory, ipv6, prepare)
    {
        m_network.onConnect = [this](const Ptr<Socket>& socket) { Open(left, socket); };
        m_network.onAccept = [this](const Ptr<Socket>& socket) { Open(right, socket); };
    }

    ~RecordStreamPair()
    {
        left.stream = nullptr;
        right.stream = nullptr;
    }

    std::function<void()> onConnected; //!< called when both ends are there
    End left;                          //!< that has connected
    End right;                         //!< that was connected to

  private:
    void Open(End& end, const Ptr<Socket>& socket)
    {
        end.stream = Create<RecordStream>(g_tagged, end);
        end.stream->Open(socket);
        if (left.stream && right.stream)
        {
            Simulator::ScheduleNow(onConnected);
        }
    }

    RecordTestNetwork m_network; //!< hosts and link
};

/// @param octets of a record @return a packet
inline Ptr<Packet>
MakePacket(const std::vector<uint8_t>& octets)
{
    return Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
}

} // namespace recordtest

#endif // RECORD_STREAM_PAIR_H
