/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TYPES_H
#define RDMA_TYPES_H

#include "ns3/rdmap-work.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-verbs
/// @brief What a send work request asks for (ibv_wr_opcode).
enum class RdmaOpcode : uint8_t
{
    SEND,                      //!< Send
    SEND_WITH_INVALIDATE,      //!< Send, and invalidate an STag of the peer
    RDMA_WRITE,                //!< RDMA Write
    RDMA_WRITE_WITH_IMM,       //!< RDMA Write and Immediate Data behind it (RFC 7306)
    RDMA_READ,                 //!< RDMA Read
    ATOMIC_COMPARE_SWAP,       //!< compare and swap of 64 bits (RFC 7306)
    ATOMIC_FETCH_ADD,          //!< fetch and add of 64 bits (RFC 7306)
    LOCAL_INVALIDATE,          //!< invalidate an STag of this side
    BIND_WINDOW,               //!< bind a memory window
    REG_MR,                    //!< fast registration: open a region of AllocMr() (IB_WR_REG_MR)
    RDMA_READ_WITH_INVALIDATE, //!< RDMA Read, and invalidate the STag that it fills when it is done
                               //!< (IB_WR_RDMA_READ_WITH_INV); on the wire it is an RDMA Read
};

/// @ingroup iwarp-verbs
/// @brief Flags of a send work request (ibv_send_flags).
enum RdmaSendFlags : uint32_t
{
    RDMA_SEND_FENCE = 1,     //!< wait for all earlier reads and atomics
    RDMA_SEND_SIGNALED = 2,  //!< report the completion even if it is a success
    RDMA_SEND_SOLICITED = 4, //!< raise an event at the peer
    RDMA_SEND_INLINE = 8,    //!< take the octets when the request is posted
};

/// @ingroup iwarp-verbs
/// @brief A piece of registered memory (ibv_sge).
struct RdmaSge
{
    uint64_t address{0}; //!< first octet
    uint32_t length{0};  //!< octets
    uint32_t lkey{0};    //!< local key of the memory region
};

class RdmaMemoryRegion;
class RdmaMemoryWindow;

/// @ingroup iwarp-verbs
/// @brief A send work request (ibv_send_wr).
struct RdmaSendRequest
{
    uint64_t id{0};                      //!< comes back in the completion
    RdmaOpcode opcode{RdmaOpcode::SEND}; //!< what it asks for
    uint32_t flags{0};                   //!< bits of RdmaSendFlags
    std::vector<RdmaSge> sges;           //!< local memory
    uint64_t remoteAddress{0};           //!< RDMA, atomics: address at the peer
    uint32_t rkey{0};             //!< RDMA, atomics: key there; invalidations: key to invalidate
    uint32_t immediate{0};        //!< RDMA_WRITE_WITH_IMM: the data
    uint64_t compareAdd{0};       //!< atomics: value to compare with, or to add
    uint64_t swap{0};             //!< ATOMIC_COMPARE_SWAP: new value
    Ptr<RdmaMemoryWindow> window; //!< BIND_WINDOW: the window
    Ptr<RdmaMemoryRegion> region; //!< BIND_WINDOW: region to bind it to; REG_MR: region to open
    uint64_t bindAddress{0};      //!< BIND_WINDOW: first octet
    uint64_t bindLength{0};       //!< BIND_WINDOW: octets, 0 unbinds
    uint32_t bindAccess{0};       //!< BIND_WINDOW: rights, bits of DdpAccess
    uint32_t registerAccess{0};   //!< REG_MR: rights, bits of DdpAccess
};

/// @ingroup iwarp-verbs
/// @brief A receive work request (ibv_recv_wr).
struct RdmaReceiveRequest
{
    uint64_t id{0};            //!< comes back in the completion
    std::vector<RdmaSge> sges; //!< memory to fill
};

/**
 * @brief Translate a receive work request into a buffer of DDP.
 * @param request a receive work request
 * @param [out] buffer the same for DDP
 * @return false if its SGEs together have 2^32 octets or more
 */
bool RdmaMakeBuffer(const RdmaReceiveRequest& request, DdpBuffer& buffer);

/**
 * @brief Translate a list of SGEs for DDP.
 * @param sges SGEs of registered memory
 * @return the same for DDP
 */
DdpSgeList RdmaMakeSges(const std::vector<RdmaSge>& sges);

/// @ingroup iwarp-verbs
/// @brief What a completion is about (ibv_wc_opcode).
enum class RdmaCompletionOpcode : uint8_t
{
    SEND,                  //!< a Send of any kind
    RDMA_WRITE,            //!< an RDMA Write
    RDMA_READ,             //!< an RDMA Read, with or without an invalidation
    COMPARE_SWAP,          //!< an atomic compare and swap
    FETCH_ADD,             //!< an atomic fetch and add
    LOCAL_INVALIDATE,      //!< a local invalidation
    BIND_WINDOW,           //!< a bind
    REG_MR,                //!< a fast registration
    RECEIVE,               //!< a message received
    RECEIVE_RDMA_WITH_IMM, //!< Immediate Data received
};

/// @ingroup iwarp-verbs
/// @brief A work completion (ibv_wc).
struct RdmaCompletion
{
    uint64_t id{0};                                          //!< of the work request
    RdmapStatus status{RdmapStatus::SUCCESS};                //!< how it ended
    RdmaCompletionOpcode opcode{RdmaCompletionOpcode::SEND}; //!< valid only on success
    uint32_t octets{0};                                      //!< received or read
    uint32_t qpNumber{0};                                    //!< number of the queue pair
    bool withImmediate{false};                               //!< immediate is valid
    uint32_t immediate{0};                                   //!< data received
    bool withInvalidate{false};                              //!< invalidatedKey is valid
    uint32_t invalidatedKey{0}; //!< key that the peer's message invalidated
};

/// @ingroup iwarp-verbs
/// @brief States of a queue pair (ibv_qp_state; iWARP has no RTR of its own).
enum class RdmaQpState : uint8_t
{
    RESET, //!< new
    INIT,  //!< receives may be posted
    RTS,   //!< connected, all may be posted
    SQD,   //!< ends gracefully: no more sends
    ERR,   //!< over: whatever is posted is flushed
};

/// @ingroup iwarp-verbs
/// @brief Events that no completion tells of (ibv_event_type).
enum class RdmaEvent : uint8_t
{
    CQ_ERROR,         //!< a completion queue overflowed
    QP_FATAL,         //!< a queue pair failed on this side
    QP_REQUEST_ERROR, //!< the peer broke the protocol
    QP_ACCESS_ERROR,  //!< the peer touched memory that it may not
    QP_TERMINATED,    //!< the peer sent a Terminate
    SRQ_LIMIT,        //!< a shared receive queue fell below its limit
    SRQ_UNFAIR,       //!< one queue pair holds more than its share of a shared receive queue
    LAST_WQE,         //!< a queue pair in error takes nothing more from its shared receive queue
};

} // namespace ns3

#endif // RDMA_TYPES_H
