/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_PING_H
#define LIVE_PING_H

#include "live-side.h"

#include <boost/endian/conversion.hpp>
#include <cstring>

namespace live
{

/**
 * What the two ends of rping have in common, the example of librdmacm: for each ping the client
 * tells where its text is, the server reads it there and says so; the client tells where it wants
 * it back, the server writes it and says so.
 */
class Ping : public Side
{
  public:
    using Side::Side;

  protected:
    static constexpr uint32_t INFO = 16; //!< octets of rping's message: address, key, size

    /// What a piece of work is for.
    enum Id : uint64_t
    {
        RECEIVE = 1, //!< a message
        SEND,        //!< a message
        READ,        //!< the client's text
        WRITE        //!< the same, back
    };

    void Prepare() override
    {
        m_info.Make(m_pd, 2 * INFO, 0x10000, LOCAL);
        m_buffer.Make(m_pd, 1 << 20, 0x7fff12340010, SHARED);
        PostReceive(m_info.Sge(0, INFO), RECEIVE);
    }

    void HandleCompletion(const ns3::RdmaCompletion& completion) override
    {
        if (completion.status != ns3::RdmapStatus::SUCCESS)
        {
            m_report.Problem("work request " + std::to_string(completion.id) +
                             " ends with status " +
                             std::to_string(static_cast<int>(completion.status)));
            return;
        }
        if (completion.id == RECEIVE)
        {
            m_report.Check(completion.octets == INFO, "message of 16 octets");
            PostReceive(m_info.Sge(0, INFO), RECEIVE);
        }
        Step(completion);
    }

    /// Go on. @param completion what is done
    virtual void Step(const ns3::RdmaCompletion& completion) = 0;

    /// @param ping number @param size octets, the last one is 0 @return the text of rping's client
    static std::string MakeText(uint32_t ping, uint32_t size)
    {
        std::string text = "rdma-ping-" + std::to_string(ping) + ": ";
        char letter = static_cast<char>('A' + ping % ('z' - 'A' + 1));
        while (text.size() < size)
        {
            text += letter;
            letter = letter == 'z' ? 'A' : static_cast<char>(letter + 1);
        }
        text.resize(size);
        text[size - 1] = 0;
        return text;
    }

    Memory m_info;       //!< message received, message to be sent
    Memory m_buffer;     //!< text
    uint32_t m_pings{0}; //!< done, or at a server read
};

/// rping -s
class PingServer : public Ping
{
  public:
    using Ping::Ping;

  private:
    void Step(const ns3::RdmaCompletion& completion) override
    {
        switch (completion.id)
        {
        case RECEIVE:
            HandleMessage();
            break;
        case READ: {
            m_report.Check(completion.octets == m_size,
                           "RDMA Read of " + std::to_string(completion.octets));
            const std::string text = MakeText(m_pings, m_size);
            m_report.Check(std::equal(text.begin(), text.end(), m_buffer.octets.begin(), IsSame),
                           "content of ping " + std::to_string(m_pings));
            m_pings++;
            Post(ns3::RdmaOpcode::SEND, {m_info.Sge(INFO, INFO)}, SEND);
            break;
        }
        case WRITE:
            Post(ns3::RdmaOpcode::SEND, {m_info.Sge(INFO, INFO)}, SEND);
            m_done = m_pings == m_options.count;
            break;
        default:
            break;
        }
    }

    /// The client tells of memory: first where from, then where to.
    void HandleMessage()
    {
        const uint64_t address = boost::endian::load_big_u64(&m_info.octets[0]);
        const uint32_t key = boost::endian::load_big_u32(&m_info.octets[8]);
        m_size = boost::endian::load_big_u32(&m_info.octets[12]);
        m_report.Check(m_size == m_options.size, "size " + std::to_string(m_size));
        m_size = std::min(m_size, m_options.size);
        if (m_source)
        {
            m_buffer.Clear();
            Post(ns3::RdmaOpcode::RDMA_READ, {m_buffer.Sge(0, m_size)}, READ, address, key);
        }
        else
        {
            Post(ns3::RdmaOpcode::RDMA_WRITE, {m_buffer.Sge(0, m_size)}, WRITE, address, key);
        }
        m_source = !m_source;
    }

    /// @param letter of a text @param octet of a memory @return whether they are the same
    static bool IsSame(char letter, uint8_t octet)
    {
        return static_cast<uint8_t>(letter) == octet;
    }

    bool m_source{true}; //!< the next message tells where from
    uint32_t m_size{0};  //!< octets of the text
};

/// rping -c
class PingClient : public Ping
{
  public:
    using Ping::Ping;

  private:
    void Prepare() override
    {
        Ping::Prepare();
        m_start.Make(m_pd, 1 << 20, 0xffffffff80000000, LOCAL | ns3::DDP_ACCESS_REMOTE_READ);
    }

    void HandleEstablished(const std::vector<uint8_t>&) override
    {
        ns3::Simulator::Schedule(ns3::MicroSeconds(1000 * m_options.firstDelay),
                                 &PingClient::Start,
                                 this);
    }

    /// Begin a ping.
    void Start()
    {
        const std::string text = MakeText(m_pings, m_options.size);
        std::copy(text.begin(), text.end(), m_start.octets.begin());
        m_buffer.Clear();
        m_reading = true;
        Advertise(m_start);
    }

    /// Tell the server of memory. @param memory it
    void Advertise(const Memory& memory)
    {
        boost::endian::store_big_u64(&m_info.octets[INFO], memory.region->GetAddress());
        boost::endian::store_big_u32(&m_info.octets[INFO + 8], memory.region->GetRkey());
        boost::endian::store_big_u32(&m_info.octets[INFO + 12], m_options.size);
        Post(ns3::RdmaOpcode::SEND, {m_info.Sge(INFO, INFO)}, SEND);
    }

    void Step(const ns3::RdmaCompletion& completion) override
    {
        if (completion.id != RECEIVE)
        {
            return;
        }
        if (m_reading)
        {
            m_reading = false;
            Advertise(m_buffer);
            return;
        }
        m_report.Check(std::equal(m_start.octets.begin(),
                                  m_start.octets.begin() + m_options.size,
                                  m_buffer.octets.begin()),
                       "ping " + std::to_string(m_pings) + " came back, " +
                           std::to_string(m_options.size) + " octets");
        if (++m_pings < m_options.count)
        {
            Start();
            return;
        }
        m_done = true;
        Disconnect();
    }

    Memory m_start;       //!< text to be read
    bool m_reading{true}; //!< the server reads, and has not yet written
};

} // namespace live

#endif // LIVE_PING_H
