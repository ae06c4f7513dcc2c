/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CUT_HOST_H
#define RDMA_CUT_HOST_H

#include "rdma-cut-stream.h"
#include "rdma-scripted-host.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

/// A TCP segment of the peer.
struct RdmaCutPart
{
    uint32_t from;  //!< first octet
    uint32_t to;    //!< behind the last one
    ns3::Time wait; //!< time behind the segment before
};

using RdmaCutPlan = std::vector<RdmaCutPart>; //!< segments as they are sent

/**
 * @ingroup iwarp-tests
 * A host before a peer that sends a stream in segments of any kind, and all that comes of it.
 */
class RdmaCutHost
{
  public:
    /// What came of it.
    struct Outcome
    {
        std::string text;            //!< completions, errors, Terminate, and what the host sent
        std::vector<uint8_t> memory; //!< memory
    };

    RdmaCutHost();

    RdmaCutPlaces GetPlaces() const; //!< @return where it has what

    /// @param stream what the peer sends @param plan in which segments @return what comes of it
    Outcome Run(const RdmaCutStream& stream, const RdmaCutPlan& plan);

    /// @param stream a stream @return octets that are cut
    static uint32_t CountOctets(const RdmaCutStream& stream)
    {
        return stream.octets.size() + (stream.shape.withReply ? stream.startup.size() : 0);
    }

  private:
    void Prepare(const RdmaCutStream& stream); //!< post receives @param stream what will come
    void PostReads(uint32_t count);            //!< @param count RDMA Reads
    /// Send the segments. @param stream what @param plan how
    void Send(const RdmaCutStream& stream, const RdmaCutPlan& plan);
    /// A Terminate. @param number of the queue pair @param terminate it @param byPeer received
    void HandleTerminate(uint32_t number, const ns3::RdmapTerminate& terminate, bool byPeer);
    std::string Describe() const; //!< @return all that happened but to the memory

    RdmaScriptedHost m_c; //!< host and peer
    std::array<ns3::Ptr<ns3::RdmaMemoryRegion>, RdmaCutPlaces::SPARES>
        m_spares;             //!< may be invalidated
    std::string m_terminates; //!< Terminates
};

#endif // RDMA_CUT_HOST_H
