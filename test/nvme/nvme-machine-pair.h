/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_MACHINE_PAIR_H
#define NVME_MACHINE_PAIR_H

#include "ns3/nvme-controller-machine.h"
#include "ns3/nvme-framing.h"
#include "ns3/nvme-host-machine.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <vector>

using NvmeOctets = std::vector<uint8_t>; //!< a run of octets

/// Octets of a direction: cut into PDUs, and given to the machine that receives them.
class NvmeTestLink
{
  public:
    /// @param machine that receives
    explicit NvmeTestLink(ns3::NvmeMachine& machine)
        : m_machine(machine)
    {
    }

    /// @param octets that are sent
    void Send(const NvmeOctets& octets)
    {
        m_pending.insert(m_pending.end(), octets.begin(), octets.end());
    }

    /// @return octets sent and not arrived
    std::size_t GetPending() const
    {
        return m_pending.size();
    }

    /// Some octets arrive. @param most of them
    void Arrive(std::size_t most)
    {
        const NvmeOctets octets(m_pending.begin(),
                                m_pending.begin() + std::min(most, m_pending.size()));
        m_pending.erase(m_pending.begin(), m_pending.begin() + octets.size());
        m_held.insert(m_held.end(), octets.begin(), octets.end());
        Split();
    }

    NvmeOctets pdu;                                 //!< the one at hand
    std::function<void(const ns3::NvmePdu&)> watch; //!< sees each PDU before the machine
    std::function<void()> turn;                     //!< called before a PDU is looked at
    bool corrupt{false}; //!< the next PDU with data has its data changed on the way

  private:
    void Split()
    {
        while (m_held.size() >= ns3::nvme::CH_SIZE)
        {
            const ns3::RecordHead head = m_framing.ReadHead(m_held.data());
            if (turn)
            {
                turn();
            }
            m_machine.ProcessHeader(m_held.data());
            if (head.size == 0 || m_held.size() < head.size)
            {
                return;
            }
            pdu.assign(m_held.begin(), m_held.begin() + head.size);
            m_held.erase(m_held.begin(), m_held.begin() + head.size);
            ns3::NvmePdu read;
            read.Read(pdu.data(), head.size);
            const auto& ch = read.ch;
            if (corrupt && head.payload > 0)
            {
                corrupt = false;
                pdu[head.payloadOffset + head.payload / 2] ^= 4;
            }
            const bool good = !ch.HasDataDigest() ||
                              ns3::nvme::IsDigestGood(&pdu[head.payloadOffset], head.payload);
            if (watch)
            {
                watch(read);
            }
            m_machine.ProcessPdu(pdu.data(), std::min(ch.GetHeadSize(), head.size), good);
        }
    }

    ns3::NvmeMachine& m_machine;      //!< receives
    const ns3::NvmeFraming m_framing; //!< of both directions
    std::deque<uint8_t> m_pending;    //!< sent
    NvmeOctets m_held;                //!< arrived, not a PDU yet
};

/// @param out PDU to send @param data of its command @return its octets
inline NvmeOctets
WriteOutgoing(const ns3::NvmeOutgoing& out, const NvmeOctets& data)
{
    const bool own = !out.own.empty();
    NvmeOctets part = out.own;
    if (!own && out.size > 0)
    {
        part.assign(data.begin() + out.offset, data.begin() + out.offset + out.size);
    }
    return out.pdu.Write(part.data());
}

/// A host and a controller, with memory, joined by octets.
class NvmeMachinePair : private ns3::NvmeMachine::Listener,
                        private ns3::NvmeHostMachine::HostListener
{
  public:
    /// The controller's side.
    struct Controller : ns3::NvmeMachine::Listener, ns3::NvmeControllerMachine::ControllerListener
    {
        NvmeMachinePair* pair{nullptr};      //!< of which
        std::map<uint16_t, NvmeOctets> data; //!< of commands under way
        std::vector<ns3::NvmeSqe> commands;  //!< to be executed
        std::vector<ns3::NvmeEnd> ends;      //!< how it ended
        uint32_t ready{0};                   //!< times that capsules could go

        void HandleReady(const ns3::NvmeTerms& /* terms */) override
        {
            ready++;
        }

        void HandleData(uint16_t cid, uint32_t offset, uint32_t size) override
        {
            NvmeMachinePair::Store(data[cid], pair->toController.pdu, offset, size);
        }

        void HandleCommand(const ns3::NvmeSqe& sqe, uint32_t /* length */) override
        {
            commands.push_back(sqe);
        }

        void HandleEnd(const ns3::NvmeEnd& end) override
        {
            ends.push_back(end);
        }
    };

    /// @param hostSettings of the host @param controllerSettings of the controller
    NvmeMachinePair(const ns3::NvmeHostSettings& hostSettings,
                    const ns3::NvmeControllerSettings& controllerSettings)
        : host(hostSettings, *this, *this),
          controller(controllerSettings, at, at),
          toController(controller),
          toHost(host)
    {
        at.pair = this;
        host.Start();
        controller.Start();
    }

    /// Move all there is, until nothing is left. @param cut octets that arrive at once
    void Settle(std::size_t cut = SIZE_MAX)
    {
        bool more = true;
        while (more)
        {
            more = SendOne(true);
            more = SendOne(false) || more;
            more = toController.GetPending() > 0 || toHost.GetPending() > 0 || more;
            toController.Arrive(cut);
            toHost.Arrive(cut);
        }
    }

    /// @param fromHost which end sends a PDU @return false if it has none
    bool SendOne(bool fromHost)
    {
        ns3::NvmeOutgoing out;
        if (fromHost)
        {
            const bool has = host.Pop(out);
            if (has)
            {
                toController.Send(WriteOutgoing(out, written[out.cid]));
            }
            return has;
        }
        const bool has = controller.Pop(out);
        if (has)
        {
            toHost.Send(WriteOutgoing(out, at.data[out.cid]));
        }
        return has;
    }

    /// @param sqe command @param data of it: what to write, or as much as is read @return its CID
    uint16_t Submit(const ns3::NvmeSqe& sqe, const NvmeOctets& data)
    {
        const uint16_t cid = host.Submit(sqe, static_cast<uint32_t>(data.size()));
        written[cid] = data;
        read[cid].clear();
        return cid;
    }

    /// @param to memory @param pdu with data @param offset of these in memory @param size octets
    static void Store(NvmeOctets& to, const NvmeOctets& pdu, uint32_t offset, uint32_t size)
    {
        ns3::NvmeCommonHeader ch;
        ch.Read(pdu.data());
        to.resize(std::max<std::size_t>(to.size(), offset + size));
        std::copy_n(pdu.begin() + ch.GetDataOffset(), size, to.begin() + offset);
    }

    Controller at;                                                  //!< the controller's side
    ns3::NvmeHostMachine host;                                      //!< the host
    ns3::NvmeControllerMachine controller;                          //!< the controller
    NvmeTestLink toController;                                      //!< octets one way
    NvmeTestLink toHost;                                            //!< octets the other way
    std::map<uint16_t, NvmeOctets> written;                         //!< the host's data by CID
    std::map<uint16_t, NvmeOctets> read;                            //!< what has come by CID
    std::vector<std::pair<ns3::NvmeSqe, ns3::NvmeCqe>> completions; //!< in their order
    std::function<void(uint16_t)> completed;                        //!< called for each, by CID
    std::vector<ns3::NvmeEnd> ends;                                 //!< how it ended for the host
    uint32_t ready{0}; //!< times that capsules could go

  private:
    void HandleReady(const ns3::NvmeTerms& /* terms */) override
    {
        ready++;
    }

    void HandleData(uint16_t cid, uint32_t offset, uint32_t size) override
    {
        Store(read[cid], toHost.pdu, offset, size);
    }

    void HandleCompletion(uint16_t cid, const ns3::NvmeSqe& sqe, const ns3::NvmeCqe& cqe) override
    {
        completions.emplace_back(sqe, cqe);
        if (completed)
        {
            completed(cid);
        }
    }

    void HandleEnd(const ns3::NvmeEnd& end) override
    {
        ends.push_back(end);
    }
};

#endif // NVME_MACHINE_PAIR_H
