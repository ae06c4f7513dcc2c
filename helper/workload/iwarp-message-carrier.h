/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_MESSAGE_CARRIER_H
#define IWARP_MESSAGE_CARRIER_H

#include "ns3/iwarp-metrics.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief What carries messages from one host to another, one connection at a time: an open loop
 * says which messages, a workload how.
 */
class MessageCarrier : public SimpleRefCount<MessageCarrier>
{
  public:
    /// Who is told of a carrier
    class User
    {
      public:
        virtual ~User() = default;
        /// Messages may be posted. @param carrier whose connection is there
        virtual void HandleReady(MessageCarrier& carrier) = 0;
        /// The oldest message posted has ended. @param carrier of it
        virtual void HandleMessage(MessageCarrier& carrier) = 0;
    };

    /// How connections are used
    enum class Kind : uint8_t
    {
        LASTING, //!< a connection stays
        SINGLE,  //!< a connection ends with its first message, and Open() makes another
    };

    /// Make one without a connection. @param user told of it, until Detach()
    explicit MessageCarrier(User& user)
        : m_user(&user)
    {
    }

    virtual ~MessageCarrier() = default;

    /// Connect, in an event of the simulation; User::HandleReady() follows.
    virtual void Open() = 0;
    /// Post a message, which waits for those before it. @param octets payload
    virtual void Post(uint64_t octets) = 0;
    /// Report what only the applications know, when the simulation is over, and let go of them.
    /// @param metrics where to
    virtual void Finish(MetricSet& metrics) = 0;

    void Detach() //!< The user is gone
    {
        m_user = nullptr;
    }

  protected:
    void NotifyReady() //!< Messages may be posted
    {
        if (m_user)
        {
            m_user->HandleReady(*this);
        }
    }

    void NotifyMessage() //!< The oldest message posted has ended
    {
        if (m_user)
        {
            m_user->HandleMessage(*this);
        }
    }

  private:
    User* m_user; //!< who is told
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_MESSAGE_CARRIER_H
