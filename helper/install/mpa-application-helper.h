/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_APPLICATION_HELPER_H
#define MPA_APPLICATION_HELPER_H

#include "stream-application-helper.h"

#include "ns3/address.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Makes applications over MPA streams, all alike; see MpaBulkSenderHelper, MpaSinkHelper.
 */
class MpaApplicationHelper : public StreamApplicationHelper<MpaBulkSender, MpaSink>
{
  public:
    /**
     * @brief Fix the random streams of applications, so that each run draws the same numbers.
     * @param applications applications; those that are not over MPA streams are left alone
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

  protected:
    /// Make applications of a kind. @param typeId name of the application's TypeId
    explicit MpaApplicationHelper(const std::string& typeId);
    ~MpaApplicationHelper() = default;
};

/// @ingroup iwarp-helper
/// @brief Makes MpaBulkSender applications.
class MpaBulkSenderHelper : public MpaApplicationHelper
{
  public:
    /// Make senders to one sink. @param remote InetSocketAddress or Inet6SocketAddress of the
    /// MpaSink
    explicit MpaBulkSenderHelper(const Address& remote);
};

/// @ingroup iwarp-helper
/// @brief Makes MpaSink applications.
class MpaSinkHelper : public MpaApplicationHelper
{
  public:
    /// Make sinks. @param local InetSocketAddress or Inet6SocketAddress to listen on
    explicit MpaSinkHelper(const Address& local);
};

} // namespace ns3

#endif // MPA_APPLICATION_HELPER_H
