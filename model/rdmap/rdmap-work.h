/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_WORK_H
#define RDMAP_WORK_H

#include "rdmap-header.h"

#include "ns3/ddp-buffer.h"
#include "ns3/ddp-header.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rdmap
/// @brief How a work request or a receive ended, with the numbers of libibverbs' ibv_wc_status.
enum class RdmapStatus : uint8_t
{
    SUCCESS = 0,           //!< done
    LOCAL_LENGTH = 1,      //!< the local buffers do not fit the message
    LOCAL_OPERATION = 2,   //!< the operation itself is not possible here
    LOCAL_PROTECTION = 4,  //!< a local buffer is not open to this stream
    FLUSHED = 5,           //!< the stream ended before it was done
    BIND = 6,              //!< a memory window could not be bound
    BAD_RESPONSE = 7,      //!< the peer's response does not fit the request
    LOCAL_ACCESS = 8,      //!< a local buffer does not grant writing
    REMOTE_INVALID = 9,    //!< the peer found the request invalid
    REMOTE_ACCESS = 10,    //!< the peer does not grant access
    REMOTE_OPERATION = 11, //!< the peer could not do it
    FATAL = 19,            //!< the device failed
};

/// @ingroup iwarp-rdmap
/// @brief What a work request asks for.
enum class RdmapWorkKind : uint8_t
{
    SEND,      //!< Send, with its variants
    WRITE,     //!< RDMA Write
    READ,      //!< RDMA Read
    ATOMIC,    //!< Atomic operation (RFC 7306)
    IMMEDIATE, //!< Immediate Data (RFC 7306)
    LOCAL,     //!< something on this side only, done in its turn
};

/// @ingroup iwarp-rdmap
/// @brief What a LOCAL work request does when its turn comes, and a READ when it is done.
class RdmapLocalWork
{
  public:
    virtual ~RdmapLocalWork() = default;

    /**
     * @brief Do it.
     * @return how it ended
     */
    virtual RdmapStatus Perform() = 0;

    /// Tell what hardware has to note. @return pages of memory that it registers, if it does
    virtual uint32_t GetPages() const
    {
        return 0;
    }
};

/// @ingroup iwarp-rdmap
/// @brief A work request of the sending side.
struct RdmapWork
{
    uint64_t id{0};                          //!< the poster's own, comes back with the completion
    RdmapWorkKind kind{RdmapWorkKind::SEND}; //!< what it asks for
    bool fence{false};                       //!< start only when all earlier reads are done
    bool signaled{true};                     //!< for the poster: report its completion
    bool internal{false};                    //!< not the poster's at all, but the connection's
    bool solicited{false};                   //!< SEND, IMMEDIATE: raise an event at the peer
    bool invalidate{false};                  //!< SEND: have the peer invalidate invalidateStag
    bool inlined{false};                     //!< SEND, WRITE: the octets are in inlineOctets
    bool withDoorbell{false};                //!< hardware has the octets with the request
    uint32_t invalidateStag{0};              //!< SEND: STag of the peer
    uint32_t remoteStag{0};                  //!< WRITE, READ, ATOMIC: STag of the peer's buffer
    uint64_t remoteTo{0};                    //!< WRITE, READ, ATOMIC: TO there
    uint64_t immediate{0};                   //!< IMMEDIATE: the data
    RdmapAtomicRequest atomic;               //!< ATOMIC: operation, data and masks
    DdpSgeList sges;                         //!< local octets; READ, ATOMIC: one to fill
    std::vector<uint8_t> inlineOctets;       //!< SEND, WRITE: octets copied when posted
    std::shared_ptr<RdmapLocalWork> local;   //!< LOCAL: what to do; READ: what besides, when done
};

/// @ingroup iwarp-rdmap
/// @brief A message that used up a receive buffer.
struct RdmapReceived
{
    DdpBuffer buffer;                      //!< the buffer, as it was posted
    uint32_t length{0};                    //!< octets of the message
    RdmapOpcode opcode{RdmapOpcode::SEND}; //!< kind of the message
    bool solicited{false};                 //!< it asks for an event
    bool invalidated{false};               //!< it invalidated invalidatedStag
    uint32_t invalidatedStag{0};           //!< STag of this side
    bool hasImmediate{false};              //!< it carried Immediate Data
    uint64_t immediate{0};                 //!< the data
    bool afterWrite{false};                //!< an RDMA Write came right before it
};

/// @ingroup iwarp-rdmap
/// @brief A ULPDU to hand to MPA, in two parts.
struct RdmapOutput
{
    /// Octets of the longest head: an Untagged header and an Atomic Request.
    static constexpr uint32_t MAX_HEAD = ddp::UNTAGGED_HEADER_SIZE + rdmap::ATOMIC_REQUEST_SIZE;

    std::array<uint8_t, MAX_HEAD> head;    //!< DDP header, and RDMAP header if there is one
    uint32_t headSize{0};                  //!< octets of the head
    const uint8_t* tail{nullptr};          //!< payload; nullptr means zero octets (virtual memory)
    uint32_t tailSize{0};                  //!< octets of the payload
    RdmapOpcode opcode{RdmapOpcode::SEND}; //!< kind of its message
    bool last{false};                      //!< it ends its message
    bool withDoorbell{false};              //!< see RdmapWork::withDoorbell
    uint32_t messageOctets{0};             //!< octets of its message up to and with this ULPDU's

    /// Tell its size. @return octets of the ULPDU, head and payload
    uint32_t GetSize() const
    {
        return headSize + tailSize;
    }
};

} // namespace ns3

#endif // RDMAP_WORK_H
