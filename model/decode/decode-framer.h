/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_FRAMER_H
#define DECODE_FRAMER_H

#include "decode-event.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Describes PDUs whose header says how long they are, such as those of NVMe/TCP or TLS's
 * records.
 *
 * One that is registered is used for each connection that begins as it says; nothing else has to
 * know of it. There is one for each direction.
 */
class DecodeFramer
{
  public:
    /// Makes one for a direction.
    using Factory = std::function<std::unique_ptr<DecodeFramer>()>;

    /// Registers one for the time of its life. A static object does so from the start.
    class Registration
    {
      public:
        /// Register. @param factory makes framers
        explicit Registration(Factory factory);
        ~Registration();
        Registration(const Registration&) = delete;
        Registration& operator=(const Registration&) = delete;

      private:
        uint64_t m_number; //!< which one this is
    };

    virtual ~DecodeFramer() = default;

    /// Find one for a stream. @param octets the stream's first @param size how many
    /// @return the first registered to which they belong; nullptr if there is none
    static std::unique_ptr<DecodeFramer> Find(const uint8_t* octets, uint32_t size);

    /// Name the framing. @return as it stands in lines and JSON, such as "nvme-tcp"
    virtual const char* GetName() const = 0;
    /// Tell a stream by its beginning. @param octets its first @param size how many @return whether
    /// it is one of this framing
    virtual bool IsBeginning(const uint8_t* octets, uint32_t size) const = 0;
    /// Tell what a PDU's size is known by. @return octets from its first on
    virtual uint32_t GetHeadSize() const = 0;
    /// Tell a PDU's size. @param head GetHeadSize() octets @return octets of it in the stream, its
    /// head among them; 0 if no PDU begins so
    virtual uint32_t GetSize(const uint8_t* head) const = 0;
    /**
     * @brief Look into a PDU.
     * @param [in,out] pdu octets, size and what is missing of it are set; receives name, fields,
     *        digest, payload and what is wrong
     */
    virtual void Read(DecodePdu& pdu) = 0;
};

} // namespace ns3

#endif // DECODE_FRAMER_H
