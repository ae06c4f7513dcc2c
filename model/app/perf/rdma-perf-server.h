/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_SERVER_H
#define RDMA_PERF_SERVER_H

#include "ns3/rdma-server-application.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief The other end of an RdmaPerfClient. It takes any number of tests, one after the other or
 * at the same time.
 */
class RdmaPerfServer : public RdmaServerApplication
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaPerfServer();
    ~RdmaPerfServer() override;

  private:
    Ptr<RdmaFlow> MakeFlow() override;

    uint32_t m_rxDepth{0}; //!< receives posted
};

} // namespace ns3

#endif // RDMA_PERF_SERVER_H
