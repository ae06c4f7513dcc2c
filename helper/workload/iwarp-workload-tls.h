/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_TLS_H
#define IWARP_WORKLOAD_TLS_H

#include "iwarp-workload-message.h"

#include "ns3/tls-application-helper.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Messages from TlsBulkSender to TlsSink, over TLS 1.3. What FPDUs are to other workloads,
 * records are here; how segments lie among them is known of MpaTcpSockets alone.
 */
class IwarpTlsWorkload : public IwarpMessageWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpTlsWorkload();
    ~IwarpTlsWorkload() override;

    std::string Check() const override;
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    bool CountsInHost() const override;
    int64_t CountStreams() const override;
    Headers GetHeaders(uint32_t ip, uint32_t tcp) const override;
    void EnablePcap(const std::string& prefix) override;
    void Finish(iwarp::MetricSet& metrics) override;

  protected:
    void Count(iwarp::MetricSet& counts) const override;

  private:
    TypeId m_protocol;                         //!< makes sockets
    uint32_t m_writeSize;                      //!< octets of a write
    std::vector<Ptr<TlsBulkSender>> m_senders; //!< at the sending hosts
    std::vector<Ptr<TlsSink>> m_sinks;         //!< at the receiving hosts
};

} // namespace ns3

#endif // IWARP_WORKLOAD_TLS_H
