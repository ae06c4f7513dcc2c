/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_PAIR_H
#define TLS_PAIR_H

#include "ns3/tls-connection.h"
#include "ns3/tls-packet.h"

#include <deque>
#include <functional>
#include <vector>

/// One end of a connection without a simulator: what it sends lies in a queue.
class TlsPairEnd : public ns3::TlsConnection::User
{
  public:
    /// @param role which end @param settings of it
    TlsPairEnd(ns3::TlsRole role, const ns3::TlsConnection::Settings& settings)
        : connection(role, settings, *this),
          m_octet(role == ns3::TlsRole::CLIENT ? 1 : 100)
    {
    }

    ns3::TlsConnection connection;                 //!< this end
    std::deque<ns3::Ptr<ns3::Packet>> sent;        //!< records that the peer has not got
    std::vector<ns3::TlsRecordReport> sentReports; //!< of all that was sent
    std::vector<ns3::TlsRecordReport> opened;      //!< of all that was opened
    std::vector<uint8_t> octets;                   //!< application data
    std::vector<ns3::TlsKeyLog::Entry> secrets;    //!< that are known
    std::vector<ns3::TlsAlert> alertsSent;         //!< alerts
    std::vector<ns3::TlsAlert> alertsReceived;     //!< alerts
    std::vector<ns3::TlsEnd> ends;                 //!< why it is over
    std::vector<int64_t> times;                    //!< of computing, ns
    uint32_t established{0};                       //!< times that it was
    uint32_t updatesSent{0};                       //!< key updates
    uint32_t updatesReceived{0};                   //!< key updates
    bool computes{false};                          //!< it waits for HandleComputed()

  private:
    void SendRecord(const ns3::Ptr<ns3::Packet>& record,
                    const ns3::TlsRecordReport& report) override
    {
        sent.push_back(record);
        sentReports.push_back(report);
    }

    void HandleOpened(const ns3::TlsRecordReport& report) override
    {
        opened.push_back(report);
    }

    void HandleContent(const ns3::Ptr<ns3::Packet>& content) override
    {
        const auto more = ns3::CopyTlsOctets(content);
        octets.insert(octets.end(), more.begin(), more.end());
    }

    void HandleEstablished() override
    {
        established++;
    }

    void HandleAlert(ns3::TlsAlert alert, bool isSent) override
    {
        (isSent ? alertsSent : alertsReceived).push_back(alert);
    }

    void HandleKeyUpdate(bool isSent, bool /* requested */) override
    {
        (isSent ? updatesSent : updatesReceived)++;
    }

    void HandleSecret(const ns3::TlsKeyLog::Entry& entry) override
    {
        secrets.push_back(entry);
    }

    void WaitFor(int64_t time) override
    {
        times.push_back(time);
        computes = true;
    }

    ns3::TlsRandom DrawRandomOctets() override
    {
        ns3::TlsRandom random;
        random.fill(m_octet++);
        return random;
    }

    void HandleOver(ns3::TlsEnd end) override
    {
        ends.push_back(end);
    }

    uint8_t m_octet; //!< of the next random
};

/// Both ends.
struct TlsPair
{
    /// @param clientSettings of the client @param serverSettings of the server
    TlsPair(const ns3::TlsConnection::Settings& clientSettings,
            const ns3::TlsConnection::Settings& serverSettings)
        : client(ns3::TlsRole::CLIENT, clientSettings),
          server(ns3::TlsRole::SERVER, serverSettings)
    {
    }

    /// Move records and time on until nothing more happens.
    void Run()
    {
        for (bool more = true; more;)
        {
            more = Move(client, server) || Move(server, client);
        }
    }

    /// Begin, and run.
    void Connect()
    {
        server.connection.Start();
        client.connection.Start();
        Run();
    }

    TlsPairEnd client; //!< begins
    TlsPairEnd server; //!< answers

  private:
    /// @param from an end @param to its peer @return something has happened
    static bool Move(TlsPairEnd& from, TlsPairEnd& to)
    {
        if (from.computes)
        {
            from.computes = false;
            from.connection.HandleComputed();
            return true;
        }
        if (from.sent.empty())
        {
            return false;
        }
        const auto record = from.sent.front();
        from.sent.pop_front();
        to.connection.Receive(record);
        return true;
    }
};

#endif // TLS_PAIR_H
