/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_APPLICATION_HELPER_H
#define TLS_APPLICATION_HELPER_H

#include "stream-application-helper.h"

#include "ns3/address.h"
#include "ns3/simple-ref-count.h"
#include "ns3/tls-bulk-sender.h"
#include "ns3/tls-sink.h"

#include <fstream>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A file of secrets (SSLKEYLOGFILE), with which Wireshark, and IwarpDecoder, open the
 * records of real TLS.
 */
class TlsKeyLogFile : public SimpleRefCount<TlsKeyLogFile>
{
  public:
    /// Open a file, over what may be there; NS_ABORT if that cannot be. @param name of it
    explicit TlsKeyLogFile(const std::string& name);
    /// Write the secrets of a stream, and keep the file as long as it. @param stream not open yet
    void Watch(Ptr<TlsStream> stream);

  private:
    void Write(const std::string& line); //!< @param line of a secret

    std::ofstream m_out; //!< the file
};

/**
 * @ingroup iwarp-helper
 * @brief Makes applications over TLS, all alike; see TlsBulkSenderHelper, TlsSinkHelper.
 */
class TlsApplicationHelper : public StreamApplicationHelper<TlsBulkSender, TlsSink>
{
  public:
    /**
     * @brief Fix the random streams of applications, so that each run draws the same numbers.
     * @param applications applications; those that are not over TLS are left alone
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

    /**
     * @brief Write the secrets of all connections that applications open from here on.
     * @param name of the file
     * @param applications of one end of each connection: both ends know the same
     */
    static void EnableKeyLog(const std::string& name, const ApplicationContainer& applications);

  protected:
    /// Make applications of a kind. @param typeId name of the application's TypeId
    explicit TlsApplicationHelper(const std::string& typeId);
    ~TlsApplicationHelper() = default;
};

/// @ingroup iwarp-helper
/// @brief Makes TlsBulkSender applications.
class TlsBulkSenderHelper : public TlsApplicationHelper
{
  public:
    /// Make senders to one sink. @param remote InetSocketAddress or Inet6SocketAddress of the
    /// TlsSink
    explicit TlsBulkSenderHelper(const Address& remote);
};

/// @ingroup iwarp-helper
/// @brief Makes TlsSink applications.
class TlsSinkHelper : public TlsApplicationHelper
{
  public:
    /// Make sinks. @param local InetSocketAddress or Inet6SocketAddress to listen on
    explicit TlsSinkHelper(const Address& local);
};

} // namespace ns3

#endif // TLS_APPLICATION_HELPER_H
