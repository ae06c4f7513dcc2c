/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IKE_TEST_PAIR_H
#define IKE_TEST_PAIR_H

#include "ns3/ike-peer.h"
#include "ns3/ike-processor.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/// Two ends of key exchange and a path between them, with a clock of their own. Who has asked for a
/// pair sends a packet by it at once.
class IkeTestPair
{
  public:
    /// What an end was told.
    struct Told
    {
        Time when;            ///< at which time
        IkeAction::Kind kind; ///< what
        IkeChild child;       ///< of which pair
    };

    /// A message on the path.
    struct Sent
    {
        Time when;          ///< when it was sent
        uint32_t from;      ///< which end sent it
        IkeMessage message; ///< what it said
    };

    using Drop = std::function<bool(const Sent&)>; ///< tells whether a message is lost

    /**
     * \param settings of both ends
     * \param delay of the path, one way
     * \param drop tells which messages are lost
     */
    IkeTestPair(
        const IkeSettings& settings,
        Time delay,
        Drop drop = [](const Sent&) { return false; })
        : m_settings(settings),
          m_delay(delay),
          m_drop(std::move(drop))
    {
        Forget(0);
        Forget(1);
    }

    /// An end loses its state, and begins anew. \param number 0 or 1
    void Forget(uint32_t number)
    {
        End& end = m_ends[number];
        end.inbound.clear();
        end.outbound = end.answered = 0;
        end.peer = std::make_unique<IkePeer>(
            m_settings,
            [this] { return static_cast<uint32_t>(m_random()); },
            [&end] { return end.spi++; },
            end.processor);
    }

    /// \param number 0 or 1 \return the end
    IkePeer& Peer(uint32_t number)
    {
        return *m_ends[number].peer;
    }

    /// \param number 0 or 1 \return what it was told, in the order of time
    const std::vector<Told>& GetTold(uint32_t number) const
    {
        return m_ends[number].told;
    }

    /// \return all messages, lost ones too
    const std::vector<Sent>& GetSent() const
    {
        return m_sent;
    }

    /// \return current time
    Time Now() const
    {
        return m_now;
    }

    /// \param number 0 or 1 \return SPI that the end sends by; 0: none
    uint32_t GetOutbound(uint32_t number) const
    {
        return m_ends[number].outbound;
    }

    /// \param number 0 or 1 \return SPI by which the end receives what answers what it sends; 0:
    /// none
    uint32_t GetInbound(uint32_t number) const
    {
        return m_ends[number].answered;
    }

    /// \param number 0 or 1 \param spi any \return whether the end can receive by it
    bool CanReceive(uint32_t number, uint32_t spi) const
    {
        return m_ends[number].inbound.count(spi) > 0;
    }

    /// \return how often an end was to send by what the other one could not receive by
    std::size_t GetEarly() const
    {
        return m_early;
    }

    /// \param number of the end \param kind what it was told \return when last; negative: never
    Time GetWhen(uint32_t number, IkeAction::Kind kind) const
    {
        Time when = Seconds(-1);
        for (const auto& told : m_ends[number].told)
        {
            when = told.kind == kind ? told.when : when;
        }
        return when;
    }

    /// \param number of the end \param kind what it was told \return how often
    std::size_t Count(uint32_t number, IkeAction::Kind kind) const
    {
        const auto& told = m_ends[number].told;
        return std::count_if(told.begin(), told.end(), [kind](const Told& entry) {
            return entry.kind == kind;
        });
    }

    /// \param number 0 or 1 \param actions of that end's peer
    void Do(uint32_t number, const IkeActions& actions)
    {
        for (const auto& action : actions)
        {
            At(std::max(action.when, m_now), [this, number, action] { Carry(number, action); });
        }
    }

    /// \param when time \param event what happens then
    void At(Time when, std::function<void()> event)
    {
        m_agenda.emplace(when, std::move(event));
    }

    /// Let happen what is due until a time. \param until last time
    void Run(Time until)
    {
        while (!m_agenda.empty() && m_agenda.begin()->first <= until)
        {
            m_now = m_agenda.begin()->first;
            const auto event = std::move(m_agenda.begin()->second);
            m_agenda.erase(m_agenda.begin());
            event();
        }
        m_now = until;
    }

  private:
    /// One end.
    struct End
    {
        IkeProcessor processor;        ///< computes
        std::unique_ptr<IkePeer> peer; ///< its state
        std::vector<Told> told;        ///< what it was told
        std::set<uint32_t> inbound;    ///< SPIs that it can receive by
        uint32_t spi{256};             ///< SPI of its next pair
        uint32_t outbound{0};          ///< SPI that it sends by
        uint32_t answered{0};          ///< SPI of the same pair that it receives by
    };

    /// \param number of the end \param action to carry out, now
    void Carry(uint32_t number, const IkeAction& action)
    {
        End& end = m_ends[number];
        if (action.kind == IkeAction::Kind::WAKE)
        {
            Do(number, end.peer->Expire(m_now));
            return;
        }
        if (action.kind == IkeAction::Kind::SEND)
        {
            const Sent sent{m_now, number, action.message};
            m_sent.push_back(sent);
            if (!m_drop(sent))
            {
                At(m_now + m_delay, [this, number, sent] {
                    Do(1 - number, Peer(1 - number).Receive(sent.message, m_now));
                });
            }
            return;
        }
        end.told.push_back({m_now, action.kind, action.child});
        if (action.kind == IkeAction::Kind::INBOUND)
        {
            end.inbound.insert(action.child.inbound);
        }
        else if (action.kind == IkeAction::Kind::OUTBOUND)
        {
            end.outbound = action.child.outbound;
            end.answered = action.child.inbound;
            m_early += CanReceive(1 - number, action.child.outbound) ? 0 : 1;
            if (action.child.initiator)
            {
                At(m_now + m_delay, [this, number, spi = action.child.outbound] {
                    Do(1 - number, Peer(1 - number).Used(spi, m_now));
                });
            }
        }
        else if (action.kind == IkeAction::Kind::REMOVE)
        {
            end.inbound.erase(action.child.inbound);
        }
        if (action.kind == IkeAction::Kind::REMOVE || action.kind == IkeAction::Kind::SILENCE)
        {
            end.outbound = end.outbound == action.child.outbound ? 0 : end.outbound;
        }
    }

    IkeSettings m_settings;                              ///< of both ends
    Time m_delay;                                        ///< of the path, one way
    Drop m_drop;                                         ///< tells what is lost
    Time m_now;                                          ///< current time
    std::mt19937 m_random{14};                           ///< draws nonces
    std::array<End, 2> m_ends;                           ///< both ends
    std::vector<Sent> m_sent;                            ///< all messages
    std::size_t m_early{0};                              ///< see GetEarly()
    std::multimap<Time, std::function<void()>> m_agenda; ///< what is to happen
};

} // namespace ns3

#endif // IKE_TEST_PAIR_H
