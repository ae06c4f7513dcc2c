/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_ERROR_H
#define NVME_ERROR_H

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-nvme
/// @brief Fatal Error Status of a Terminate Connection Request (NVMe/TCP section 3.6.2.4).
enum class NvmeFes : uint16_t
{
    NONE = 0x00,                  //!< no error; the value is reserved
    INVALID_HEADER_FIELD = 0x01,  //!< Invalid PDU Header Field
    SEQUENCE = 0x02,              //!< PDU Sequence Error
    HEADER_DIGEST = 0x03,         //!< Header Digest Error
    OUT_OF_RANGE = 0x04,          //!< Data Transfer Out of Range
    LIMIT_EXCEEDED = 0x05,        //!< R2T Limit Exceeded, or Data Transfer Limit Exceeded
    UNSUPPORTED_PARAMETER = 0x06, //!< Unsupported Parameter
};

/// @ingroup iwarp-nvme
/// @brief Name a Fatal Error Status. @param fes any @param host it is that of a host @return as the
/// specification calls it
const char* NvmeFesName(NvmeFes fes, bool host);

/// @ingroup iwarp-nvme
/// @brief A fatal error of the transport.
struct NvmeFatalError
{
    NvmeFes fes{NvmeFes::NONE}; //!< FES
    uint32_t fei{0}; //!< FEI: of a field its offset in the PDU, of a header digest what was
                     //!< received; otherwise 0

    /// Tell whether there is an error. @return true unless FES is NONE
    explicit operator bool() const
    {
        return fes != NvmeFes::NONE;
    }

    /// A field is invalid. @param offset of it in the PDU @return the error
    static NvmeFatalError AtField(uint32_t offset)
    {
        return {NvmeFes::INVALID_HEADER_FIELD, offset};
    }
};

} // namespace ns3

#endif // NVME_ERROR_H
