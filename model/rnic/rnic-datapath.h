/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_DATAPATH_H
#define RNIC_DATAPATH_H

#include "rnic-host-interface.h"
#include "rnic-pipeline.h"

#include "ns3/abort.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rnic-cache.h"
#include "ns3/rnic-packet-buffer.h"
#include "ns3/rnic-queue-pairs.h"
#include "ns3/rnic-reassembly-memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief A pipeline of an RNIC.
enum class RnicPipelineKind : uint8_t
{
    TRANSMIT, //!< from TCP to the link
    RECEIVE,  //!< from the link to TCP
    PLACE,    //!< from MPA, which has looked at the segment, to the host
};

/**
 * @ingroup iwarp-rnic
 * @brief The ways of segments through the RNIC and to and from host memory, in closed form.
 *
 * Pure: it knows sizes, times and keys of connections, neither packets nor sockets. It owns three
 * pipelines and the resources that their stages share; RnicDesign makes one of a profile.
 *
 * Received segments take two steps. Receive() brings a frame through link, IP, TCP and
 * classification; then TCP and MPA look at it; Place() times what they found: CRC, copies, memory.
 * So placement never starts before TCP and CRC are done (RFC 5044 section B.2.1).
 */
class RnicDatapath
{
  public:
    /// Make a datapath of shared resources, its pipelines empty.
    /// @param resources what stages share; HostInterface, QueuePairs, ContextCache,
    /// TranslationCache, ReassemblyMemory and PacketBuffer have to be among them, or NS_ABORT
    explicit RnicDatapath(const std::vector<RnicNamedPart>& resources);
    ~RnicDatapath();
    RnicDatapath(const RnicDatapath&) = delete;
    RnicDatapath& operator=(const RnicDatapath&) = delete;

    /// Add a stage, before Start().
    /// @param pipeline which @param name of the stage @param stage the stage
    /// @param before stage that it is to stand before; "" for behind all others
    void AddStage(RnicPipelineKind pipeline,
                  const std::string& name,
                  Ptr<RnicStage> stage,
                  const std::string& before = "");

    /// Find a part. @tparam T its type
    /// @param name of a resource or a stage @return the part; NS_ABORT if there is none so called
    template <typename T>
    Ptr<T> Get(const std::string& name) const
    {
        Ptr<T> part = DynamicCast<T>(Find(name));
        NS_ABORT_MSG_UNLESS(part, "RNIC: there is no part " << name << " of the type needed");
        return part;
    }

    /// Find a part that may not exist.
    /// @param name of a resource or a stage @return the part, nullptr if there is none so called
    Ptr<RnicPart> Find(const std::string& name) const;

    /// Look for faults in attributes of all parts.
    /// @return what is wrong, for people; empty if nothing
    std::string Check() const;
    /// Tell whether all parts are ideal. @return true if nothing takes time and nothing has a limit
    bool IsIdeal() const;

    /// Have something look on as segments pass stages, before Start(). @param wrap as for
    /// RnicPipeline::Watch()
    void Watch(const RnicPipeline::Wrap& wrap);

    /// Begin with the attributes as they are; NS_ABORT with a message if Check() finds fault.
    void Start();

    /**
     * @brief A segment goes out.
     * @param segment its connection, now, frame, payload and inlined are set; time is when it
     *        leaves for the link, in order within its connection
     */
    void Transmit(RnicSegment& segment);

    /// Tell whether segments take turns by queue pair, rather than go in the order in which they
    /// come. @return true if TxSchedule.Discipline says so
    bool TakesTurns() const;

    /// Count the parts of the way out. @return parts that a segment walks through one by one if
    /// segments take turns
    std::size_t CountTransmitParts() const;

    /**
     * @brief A segment goes out whose turn it is: it walks through the first part of its way, and
     * has its payload then.
     * @param segment its connection, now, frame, payload and inlined are set, and time to when its
     *        turn is, at most a nanosecond behind now; time becomes when it may enter the next part
     * @return ps, when the next turn is
     */
    RnicTime BeginTransmit(RnicSegment& segment);

    /**
     * @brief A segment enters another part of its way out, in the order of the segments' times.
     * @param segment as BeginTransmit() left it, with now when it enters; time becomes when it may
     *        enter the next part, or behind the last one when it leaves for the link
     * @param part from 1 to CountTransmitParts() - 1
     */
    void ContinueTransmit(RnicSegment& segment, std::size_t part);

    /// A segment is through all parts. @param segment whose time becomes when it leaves, in order
    /// within its connection
    void EndTransmit(RnicSegment& segment);

    /**
     * @brief A frame comes in.
     * @param segment its connection, now and frame are set; time is when TCP gets it, in order
     *        within its connection
     * @return false if the packet buffer has no room: nothing more happens to it
     */
    bool Receive(RnicSegment& segment);

    /**
     * @brief TCP and MPA have seen a frame's payload.
     * @param segment what Receive() made of it, with now not before its time, ops and placements;
     *        time is when all is in the host
     */
    void Place(RnicSegment& segment);

    /// A frame leaves after TCP: an ACK, or nothing that MPA wants.
    /// @param segment what Receive() made of it
    void Discard(RnicSegment& segment);

    /// Let all parts drop what they remember of a connection.
    /// @param now ps, the clock @param connection key of one that is gone
    void Release(RnicTime now, uint64_t connection);

    /// Let all parts begin to count anew. @param now ps, the clock
    void RestartStatistics(RnicTime now);

    /// Get the way to host memory. @return host interface
    RnicHostInterface& GetHost();
    /// Get what is done for each message. @return part QueuePairs
    RnicQueuePairs& GetQueuePairs();
    /// Get what holds parts of FPDUs. @return reassembly memory
    RnicReassemblyMemory& GetMemory();
    /// Get what holds frames on their way in. @return packet buffer
    RnicPacketBuffer& GetBuffer();
    /// Get the cache of contexts. @return part ContextCache
    const RnicCache& GetContextCache() const;
    /// Get the cache of translation entries. @return part TranslationCache
    const RnicCache& GetTranslationCache() const;
    /// Get the stages of one way. @param pipeline which @return pipeline
    const RnicPipeline& GetPipeline(RnicPipelineKind pipeline) const;
    /// Get the source of random replacement. @return what caches draw from
    Ptr<UniformRandomVariable> GetRandom() const;

  private:
    /// Visit all parts. @param visit called with each one's name and the part
    template <typename F>
    void ForEach(F visit) const
    {
        for (const auto& [name, part] : m_resources)
        {
            visit(name, *part);
        }
        for (const auto& pipeline : m_pipelines)
        {
            for (const auto& [name, part] : pipeline.GetStages())
            {
                visit(name, *part);
            }
        }
    }

    Ptr<UniformRandomVariable> m_random;     //!< for random replacement
    std::vector<RnicNamedPart> m_resources;  //!< what stages share
    Ptr<RnicHostInterface> m_host;           //!< host interface
    Ptr<RnicQueuePairs> m_queuePairs;        //!< what is done for each message
    Ptr<RnicReassemblyMemory> m_memory;      //!< reassembly memory
    Ptr<RnicPacketBuffer> m_buffer;          //!< frames on their way in
    Ptr<RnicCache> m_contexts;               //!< contexts on chip
    Ptr<RnicCache> m_translations;           //!< translation entries on chip
    std::array<RnicPipeline, 3> m_pipelines; //!< pipelines, by RnicPipelineKind
    bool m_takesTurns{false};                //!< see TakesTurns(), from the start
};

} // namespace ns3

#endif // RNIC_DATAPATH_H
