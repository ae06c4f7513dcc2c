/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_WORK_H
#define LIVE_WORK_H

#include "live-side.h"

#include <boost/endian/conversion.hpp>
#include <deque>
#include <sstream>

namespace live
{

constexpr uint64_t WORK_MEMORY = 2 << 20;         //!< octets of the memory that work is about
constexpr uint64_t WORK_ADDRESS = 0x7f0012345000; //!< where it begins
constexpr uint32_t WORK_MAGIC = 0x51575457;       //!< by which private data are known
constexpr std::size_t WORK_PRIVATE = 20;          //!< octets: address, key, length, WORK_MAGIC

/// A server with memory of which its private data tell; it checks what Sends bring.
class WorkServer : public Side
{
  public:
    using Side::Side;

  private:
    void Prepare() override
    {
        const auto has = [this](char letter) {
            return m_options.access.find(letter) != std::string::npos;
        };
        m_buffer.Make(m_pd,
                      WORK_MEMORY,
                      WORK_ADDRESS,
                      LOCAL | (has('w') ? ns3::DDP_ACCESS_REMOTE_WRITE : 0) |
                          (has('r') ? ns3::DDP_ACCESS_REMOTE_READ : 0) |
                          (has('a') ? ns3::DDP_ACCESS_REMOTE_ATOMIC : 0));
        m_buffer.Fill(WORK_MEMORY);
        const uint64_t size = m_options.receiveSize;
        m_receives.Make(m_pd, m_options.receives * size + 1, 0x5000, LOCAL);
        for (uint32_t i = 0; i < m_options.receives; i++)
        {
            PostReceive(m_receives.Sge(i * size, m_options.receiveSize), i);
        }
    }

    std::vector<uint8_t> GetPrivateData() const override
    {
        std::vector<uint8_t> data(WORK_PRIVATE);
        boost::endian::store_big_u64(&data[0], m_buffer.region->GetAddress());
        boost::endian::store_big_u32(&data[8], m_buffer.region->GetRkey());
        boost::endian::store_big_u32(&data[12], static_cast<uint32_t>(WORK_MEMORY));
        boost::endian::store_big_u32(&data[16], WORK_MAGIC);
        return data;
    }

    void HandleCompletion(const ns3::RdmaCompletion& completion) override
    {
        const bool good = completion.status == ns3::RdmapStatus::SUCCESS;
        m_report.Check(good,
                       "receive " + std::to_string(completion.id) + " of " +
                           std::to_string(completion.octets) + " octets, status " +
                           std::to_string(static_cast<int>(completion.status)));
        if (!good)
        {
            return;
        }
        m_report.Check(m_receives.Has(completion.id * m_options.receiveSize, completion.octets),
                       "its content");
        if (m_options.closeFirst && !m_closing)
        {
            m_closing = true;
            Disconnect();
        }
    }

    void HandleEnd() override
    {
        m_done = true;
    }

    Memory m_buffer;       //!< the peer's to read and write
    Memory m_receives;     //!< what Sends bring
    bool m_closing{false}; //!< has disconnected
};

/// A client that does one operation after the other.
class WorkClient : public Side
{
  public:
    using Side::Side;

  private:
    /// One operation.
    struct Operation
    {
        std::string name; //!< what
        uint64_t a{0};    //!< octets, or how many
        uint64_t b{0};    //!< offset, or octets
    };

    void Prepare() override
    {
        m_buffer.Make(m_pd, WORK_MEMORY, WORK_ADDRESS, LOCAL);
        std::istringstream list(m_options.operations);
        for (std::string text; std::getline(list, text, ',');)
        {
            std::replace(text.begin(), text.end(), ':', ' ');
            std::istringstream parts(text);
            Operation operation;
            parts >> operation.name >> operation.a >> operation.b;
            m_operations.push_back(operation);
        }
    }

    std::vector<uint8_t> GetPrivateData() const override
    {
        const std::string hello = "iwarp-live";
        std::vector<uint8_t> data(hello.begin(), hello.end());
        if (m_options.privateData > 0)
        {
            data.resize(m_options.privateData, 0xa5);
        }
        return data;
    }

    void HandleEstablished(const std::vector<uint8_t>& theirs) override
    {
        const bool tells =
            theirs.size() >= WORK_PRIVATE && boost::endian::load_big_u32(&theirs[16]) == WORK_MAGIC;
        m_report.Check(tells, "private data of the server");
        if (tells)
        {
            m_address = boost::endian::load_big_u64(&theirs[0]);
            m_key = boost::endian::load_big_u32(&theirs[8]);
            m_length = boost::endian::load_big_u32(&theirs[12]);
        }
        ns3::Simulator::Schedule(ns3::MicroSeconds(1000 * m_options.firstDelay),
                                 &WorkClient::Next,
                                 this);
    }

    /// Begin the next operation, or end.
    void Next()
    {
        if (m_operations.empty())
        {
            m_done = true;
            if (!m_options.waitClose)
            {
                ns3::Simulator::Schedule(ns3::MilliSeconds(300), &WorkClient::Disconnect, this);
            }
            return;
        }
        m_now = m_operations.front();
        m_operations.pop_front();
        m_waiting = 1;
        if (m_now.name == "sleep")
        {
            ns3::Simulator::Schedule(ns3::MilliSeconds(m_now.a), &WorkClient::Next, this);
        }
        else if (m_now.name == "reads" || m_now.name == "mix")
        {
            PostMany();
        }
        else
        {
            PostOne();
        }
    }

    /// Post what is a single piece of work, or begins with it.
    void PostOne()
    {
        using ns3::RdmaOpcode;
        constexpr uint32_t turn = 0xabcd00; // of a key, into one that is not there

        const std::string& name = m_now.name;
        const std::vector<ns3::RdmaSge> sges = {m_buffer.Sge(0, static_cast<uint32_t>(m_now.a))};
        const bool reads = name == "pread" || name == "rbadkey" || name == "roob";
        const bool writes =
            name == "echo" || name == "write" || name == "wbadkey" || name == "woob";
        const bool beyond = name == "roob" || name == "woob";
        const uint32_t key = name == "rbadkey" || name == "wbadkey" ? m_key ^ turn : m_key;
        m_turned = name == "echo" ? 17 + static_cast<uint32_t>(m_operations.size()) : 0;
        m_buffer.Fill(m_now.a, m_turned);
        if (name == "send")
        {
            Post(RdmaOpcode::SEND, sges, 0);
        }
        else if (name == "sendinv")
        {
            Post(RdmaOpcode::SEND_WITH_INVALIDATE, sges, 0, 0, m_key);
        }
        else if (name == "atomic")
        {
            Post(RdmaOpcode::ATOMIC_FETCH_ADD, {m_buffer.Sge(0, 8)}, 0, m_address, m_key);
        }
        else if (reads || writes)
        {
            if (reads)
            {
                m_buffer.Clear();
            }
            m_comparing = name == "pread";
            Post(reads ? RdmaOpcode::RDMA_READ : RdmaOpcode::RDMA_WRITE,
                 sges,
                 0,
                 m_address + (beyond ? m_length - 16 : m_now.b),
                 key);
        }
        else
        {
            NS_ABORT_MSG("--operations has no " << name);
        }
    }

    /// Post several pieces of work at a time.
    void PostMany()
    {
        using ns3::RdmaOpcode;
        const auto size = static_cast<uint32_t>(m_now.b);
        const bool mixed = m_now.name == "mix";
        m_waiting = static_cast<uint32_t>(mixed ? 3 * m_now.a : m_now.a);
        m_buffer.Fill(WORK_MEMORY / 2);
        for (uint64_t i = 0; i < m_now.a; i++)
        {
            if (mixed)
            {
                Post(RdmaOpcode::RDMA_WRITE, {m_buffer.Sge(0, size)}, 0, m_address, m_key);
                Post(RdmaOpcode::SEND, {m_buffer.Sge(0, std::min(size, 4096U))}, 0);
            }
            Post(RdmaOpcode::RDMA_READ, {m_buffer.Sge(WORK_MEMORY / 2, size)}, 0, m_address, m_key);
        }
    }

    void HandleCompletion(const ns3::RdmaCompletion& completion) override
    {
        m_report.Say(m_now.name + ":" + std::to_string(m_now.a) + " completes with status " +
                     std::to_string(static_cast<int>(completion.status)) + ", " +
                     std::to_string(completion.octets) + " octets");
        if (completion.status != ns3::RdmapStatus::SUCCESS)
        {
            m_report.Problem("an operation failed");
            return;
        }
        if (m_now.name == "echo" && !m_comparing)
        {
            m_comparing = true;
            m_buffer.Clear();
            const ns3::RdmaSge sge = m_buffer.Sge(0, static_cast<uint32_t>(m_now.a));
            Post(ns3::RdmaOpcode::RDMA_READ, {sge}, 0, m_address + m_now.b, m_key);
            return;
        }
        if (m_comparing)
        {
            m_comparing = false;
            m_report.Check(completion.octets == m_now.a && m_buffer.Has(0, m_now.a, m_turned),
                           "content of " + std::to_string(m_now.a) + " octets read");
        }
        if (--m_waiting == 0)
        {
            Next();
        }
    }

    Memory m_buffer;                    //!< what is sent, written and read
    std::deque<Operation> m_operations; //!< still to be done
    Operation m_now;                    //!< under way
    uint32_t m_waiting{0};              //!< completions that it waits for
    bool m_comparing{false};            //!< a Read brings what is known
    uint32_t m_turned{0};               //!< pattern that it brings
    uint64_t m_address{0};              //!< of the peer's memory
    uint32_t m_key{0};                  //!< of the same
    uint32_t m_length{0};               //!< octets of the same
};

} // namespace live

#endif // LIVE_WORK_H
