/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_DATAPATH_H
#define RNIC_DATAPATH_H

#include "rnic-config.h"
#include "rnic-ops.h"
#include "rnic-packet-buffer.h"
#include "rnic-pipeline.h"

#include "ns3/mpa-placement.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief The ways of segments through the RNIC and to and from host memory, in closed form.
 *
 * Pure: it knows sizes, times and keys of connections, neither packets nor sockets. Each method
 * takes the clock, in picoseconds, which never goes back.
 *
 * Received segments take two steps. Receive() brings a frame through link, IP, TCP and
 * classification; then TCP and MPA look at it; Place() times what they found: CRC, copies, memory.
 * So placement never starts before TCP and CRC are done (RFC 5044 section B.2.1).
 */
class RnicDatapath
{
  public:
    /// What the datapath remembers of a connection.
    struct Flow
    {
        uint64_t key{0};     //!< unique among the connections of the RNIC
        RnicTime lastIn{0};  //!< ps, when TCP got its last segment
        RnicTime lastOut{0}; //!< ps, when its last segment left
        RnicTime nextOut{0}; //!< ps, when its next segment with payload may leave
    };

    /// A frame on its way out.
    struct Departure
    {
        RnicTime at{0};        //!< ps, when it leaves for the link
        bool contextHit{true}; //!< the connection's context was on chip
    };

    /// A frame on its way in.
    struct Arrival
    {
        bool admitted{true};        //!< false if the packet buffer had no room
        RnicTime toTcp{0};          //!< ps, when TCP gets it
        RnicTime beforeClassify{0}; //!< ps, when its octets were there to be classified
        bool contextHit{true};      //!< the connection's context was on chip
    };

    /// A translation entry that was needed.
    struct Translation
    {
        uint64_t region; //!< key of its region
        bool hit;        //!< it was on chip
    };

    /// What is placed on the arrival of a segment.
    struct Placement
    {
        RnicTime done{0};    //!< ps, when it has left the RNIC
        RnicTime visible{0}; //!< ps, when the host's CPUs see it
        RnicTime crcDone{0}; //!< ps, when CRCs were checked
        boost::container::small_vector<Translation, 4> translations; //!< entries needed, in order
    };

    /**
     * @param config figures; NS_ABORT with a message if Check() finds fault
     * @param random draws what gives way in caches; needed for random replacement
     */
    explicit RnicDatapath(const RnicConfig& config = {}, const RnicCache::Random& random = nullptr);

    /**
     * @brief A segment goes out.
     * @param now ps, the clock
     * @param flow its connection
     * @param frame octets of the frame
     * @param payload octets of TCP payload, read from host memory
     * @param inlined of these, octets that came with a doorbell and are not read
     * @return when it leaves
     */
    Departure Transmit(RnicTime now,
                       Flow& flow,
                       uint32_t frame,
                       uint32_t payload,
                       uint32_t inlined = 0);

    /**
     * @brief A frame comes in.
     * @param now ps, the clock
     * @param flow its connection
     * @param frame octets of the frame
     * @return when TCP gets it, in order within a connection; if it is not admitted nothing more
     * happens to it
     */
    Arrival Receive(RnicTime now, Flow& flow, uint32_t frame);

    /**
     * @brief TCP and MPA have seen a frame's payload.
     * @param now ps, the clock: not before Arrival::toTcp
     * @param flow its connection
     * @param arrival what Receive() returned
     * @param frame octets of the frame
     * @param ops what the receiver has to do for it
     * @param placements ULPDUs that go to the host now; those to one region in a row share a
     *        translation entry
     * @return when it is in the host
     */
    Placement Place(RnicTime now,
                    const Flow& flow,
                    const Arrival& arrival,
                    uint32_t frame,
                    const RnicOps& ops,
                    const MpaPlacementList& placements);

    /// @brief A frame admitted leaves after TCP: an ACK, or nothing that MPA wants.
    /// @param arrival what Receive() returned @param frame octets of the frame
    void Discard(const Arrival& arrival, uint32_t frame);

    /// @param now ps, the clock @param flow connection that is gone
    void Forget(RnicTime now, const Flow& flow);

    RnicHostInterface& GetHost();                 //!< @return host interface
    RnicReassemblyMemory& GetMemory();            //!< @return reassembly memory
    RnicPacketBuffer& GetBuffer();                //!< @return packet buffer
    const RnicPipeline& GetRxPipeline() const;    //!< @return stages before TCP, then behind
    const RnicPipeline& GetTxPipeline() const;    //!< @return stages of the sender
    const RnicCache& GetContextCache() const;     //!< @return contexts
    const RnicCache& GetTranslationCache() const; //!< @return translation entries
    const RnicConfig& GetConfig() const;          //!< @return figures
    RnicTime GetCpuBusy() const;                  //!< @return ps, all CPUs together

  private:
    /// Packets that an adapter takes for one.
    struct Burst
    {
        uint64_t connection{UINT64_MAX}; //!< of this connection
        uint64_t octets{0};              //!< so many octets
        RnicTime begin{-1};              //!< ps, of its first packet
    };

    /// @param now ps, the clock @param at ps, when it is needed @param connection key
    /// @param[out] hit it was on chip @return ps, when it is there
    RnicTime FetchContext(RnicTime now, RnicTime at, uint64_t connection, bool& hit);
    /// @param burst that may go on @param now ps @param connection key @param octets of the packet
    /// @param limit octets of a burst @return true if the packet costs no CPU time of its own
    static bool Joins(Burst& burst,
                      RnicTime now,
                      uint64_t connection,
                      uint64_t octets,
                      uint64_t limit);
    /// @param now ps, the clock @param at ps @param connection key @param time ps of work
    /// @return ps, when it is done
    RnicTime UseCpu(RnicTime now, RnicTime at, uint64_t connection, RnicTime time);

    RnicConfig m_config;           //!< figures
    RnicPipeline m_rx;             //!< receiver
    RnicPipeline m_tx;             //!< sender
    RnicHostInterface m_host;      //!< host interface
    RnicReassemblyMemory m_memory; //!< reassembly memory
    RnicPacketBuffer m_buffer;     //!< frames on their way in
    RnicCache m_contexts;          //!< contexts on chip
    RnicCache m_translations;      //!< translation entries on chip
    std::vector<RnicLink> m_cpus;  //!< CPUs
    RnicRate m_copyRate;           //!< of a CPU
    RnicRate m_crcRate;            //!< of a CPU
    Burst m_txBurst;               //!< going out
    Burst m_rxBurst;               //!< coming in
};

} // namespace ns3

#endif // RNIC_DATAPATH_H
