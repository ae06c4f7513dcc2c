/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_RESPONDER_H
#define RDMAP_RESPONDER_H

#include "rdmap-buffer-pool.h"
#include "rdmap-error.h"
#include "rdmap-work.h"

#include "ns3/ddp-receiver.h"
#include "ns3/ddp-sender.h"
#include "ns3/util-growing-queue.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Translate the refusal of an STag into an error of RDMAP.
 * @param verdict anything but OK
 * @return the RDMAP error that reports it for the source of a Read or the target of an Atomic
 */
RdmapError RdmapErrorFor(DdpStagVerdict verdict);

/**
 * @ingroup iwarp-rdmap
 * @brief Responding side of an RDMAP stream: Read and Atomic Requests in, responses out in the
 * order of the requests (RFC 5040 section 5.2, RFC 7306 section 5).
 *
 * Pure. IRD is the number of buffers of queue 1: a request beyond it finds none, and DDP reports
 * that. A request is looked at when it is delivered, so after all that the peer sent before it, and
 * its source again for each segment, so that a withdrawn right takes effect at once.
 */
class RdmapResponder
{
  public:
    /**
     * @brief Make the responding side of a new stream.
     * @param table STags of the node; outlives the responder
     * @param pd protection domain of the stream
     * @param stream identity of the stream
     * @param ird most requests held
     * @param atomics Atomic Requests are taken as well
     */
    RdmapResponder(const DdpStagTable& table,
                   uint32_t pd,
                   uint32_t stream,
                   uint32_t ird,
                   bool atomics);

    /**
     * @brief A request is delivered.
     * @param delivery message on queue 1, with the length that its opcode has
     * @return NONE, or what is wrong with it
     */
    RdmapError Accept(const DdpDelivery& delivery);

    /// Ask whether Begin() may be called. @return true if a response can begin
    bool IsReady() const;

    /**
     * @brief Begin the next response and submit its message. Only if IsReady().
     * @param sender sending half of DDP, idle
     * @param context context of the message
     * @return NONE, or what is wrong with the request: see GetFailed()
     */
    RdmapError Begin(DdpSender& sender, uint64_t context);

    /**
     * @brief Fill the ULPDU of a segment.
     * @param segment a segment of the message submitted last
     * @param output receives the ULPDU
     * @return NONE, or what is wrong with the request: see GetFailed()
     */
    RdmapError Fill(const DdpSender::Segment& segment, RdmapOutput& output);

    /**
     * @brief Find where the payload of a segment lies in memory.
     * @param segment a segment of the message submitted last
     * @param[out] sges receives it; none of an Atomic Response
     */
    void Locate(const DdpSender::Segment& segment, DdpSgeList& sges) const;

    void Sent(); //!< MPA has taken the last segment of the message submitted last

    /**
     * @brief Describe the request that Begin() or Fill() found wrong, for a Terminate.
     * @param ulpdu receives the segment of the request, a Read Request less what was answered
     * @return octets of that segment
     */
    uint32_t GetFailed(uint8_t (&ulpdu)[RdmapOutput::MAX_HEAD]) const;

    /// Get the source of queue 1. @return buffers of Read and Atomic Requests
    RdmapBufferPool& GetPool();
    /// Count unfinished responses. @return requests that are not answered in whole
    uint32_t GetPending() const;
    uint32_t GetIrd() const;   //!< Tell IRD. @return most requests held
    void SetIrd(uint32_t ird); //!< Change IRD. @param ird most requests held

  private:
    /// A request.
    struct Inbound
    {
        DdpHeader header;          //!< DDP header of its message
        DdpBuffer buffer;          //!< the message
        bool isAtomic{false};      //!< an Atomic Request
        RdmapReadRequest read;     //!< the Read Request
        RdmapAtomicRequest atomic; //!< the Atomic Request
        uint64_t original{0};      //!< Atomic: target before the operation
        uint32_t done{0};          //!< Read: octets answered
    };

    /// Check the source of a Read or the target of an Atomic. @param inbound request
    /// @param offset first octet to check @param size octets @param entry receives its STag's entry
    /// @return NONE, or what is wrong
    RdmapError Check(const Inbound& inbound,
                     uint32_t offset,
                     uint32_t size,
                     const DdpStagEntry** entry) const;
    RdmapError Operate(Inbound& inbound) const; //!< @param inbound Atomic to do @return as Check()

    const DdpStagTable& m_table;        //!< STags of the node
    const uint32_t m_pd;                //!< protection domain of the stream
    const uint32_t m_stream;            //!< identity of the stream
    RdmapBufferPool m_pool;             //!< buffers of queue 1
    GrowingQueue<Inbound, 1> m_inbound; //!< requests in order
};

} // namespace ns3

#endif // RDMAP_RESPONDER_H
