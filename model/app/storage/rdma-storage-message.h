/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STORAGE_MESSAGE_H
#define RDMA_STORAGE_MESSAGE_H

#include "ns3/app-request-totals.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-app
/// @brief What a storage client asks for.
using RdmaStorageKind = iwarp::RequestKind;

/**
 * @ingroup iwarp-app
 * @brief Header of a request and of its response, at the head of a Send; inline data follow it.
 */
struct RdmaStorageMessage
{
    static constexpr uint32_t SIZE = 24; //!< octets of the header

    RdmaStorageKind kind{RdmaStorageKind::READ}; //!< what is asked for
    bool response{false};                        //!< a response, not a request
    bool inlined{false};                         //!< the data are or shall be in a Send
    uint32_t tag{0};                             //!< number of the request among those under way
    uint32_t length{0};                          //!< octets of data
    uint32_t key{0};                             //!< STag of the client's memory
    uint64_t address{0};                         //!< TO of the first octet there

    /// Write the header. @param out receives SIZE octets
    void Encode(uint8_t* out) const;

    /**
     * @brief Read a header.
     * @param octets SIZE octets
     * @param [out] message what they say
     * @return false if they are no header
     */
    static bool Decode(const uint8_t* octets, RdmaStorageMessage& message);
};

/**
 * @ingroup iwarp-app
 * @brief What client and server agree on, as private data: the client proposes, the server answers
 * with what it grants.
 */
struct RdmaStorageTerms
{
    static constexpr uint32_t SIZE = 12; //!< octets of private data

    uint32_t queueDepth{0};      //!< most requests under way
    uint32_t inlineThreshold{0}; //!< most octets of data in a Send

    std::vector<uint8_t> Encode() const; //!< Write what it says as private data. @return octets

    /**
     * @brief Read them from private data.
     * @param octets private data
     * @param [out] terms what they say
     * @return false if they are not those of these applications
     */
    static bool Decode(const std::vector<uint8_t>& octets, RdmaStorageTerms& terms);
};

} // namespace ns3

#endif // RDMA_STORAGE_MESSAGE_H
