/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_PDU_H
#define NVME_PDU_H

#include "nvme-command.h"
#include "nvme-error.h"

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

/**
 * @file
 * @ingroup iwarp-nvme
 * PDUs of NVMe/TCP (NVM Express TCP Transport Specification 1.0, section 3.6.2): octets, and what
 * they say. Pure.
 *
 * A PDU is a header (common header CH and what is specific of the type, PSH), HDGST, PAD, DATA and
 * DDGST. Fields have the names of the specification; numbers are little-endian.
 */

namespace ns3
{

/// @ingroup iwarp-nvme
/// @brief PDU-Type (Figure 10). Bit 0 says which way it goes.
enum class NvmePduType : uint8_t
{
    IC_REQ = 0x00,
    IC_RESP = 0x01,
    H2C_TERM_REQ = 0x02,
    C2H_TERM_REQ = 0x03,
    CAPSULE_CMD = 0x04,
    CAPSULE_RESP = 0x05,
    H2C_DATA = 0x06,
    C2H_DATA = 0x07,
    R2T = 0x09,
};

namespace nvme
{

constexpr uint8_t HDGSTF = 0x01;   //!< FLAGS: HDGST is there
constexpr uint8_t DDGSTF = 0x02;   //!< FLAGS: DDGST is there
constexpr uint8_t LAST_PDU = 0x04; //!< FLAGS: last of an R2T, or of a command's C2HData
constexpr uint8_t SUCCESS = 0x08;  //!< FLAGS: the command has completed, no CapsuleResp follows

constexpr uint8_t HDGST_ENABLE = 0x01; //!< DGST: header digests
constexpr uint8_t DDGST_ENABLE = 0x02; //!< DGST: data digests

constexpr uint32_t CH_SIZE = 8;             //!< octets of the common header
constexpr uint32_t DIGEST_SIZE = 4;         //!< octets of HDGST and of DDGST
constexpr uint32_t IC_SIZE = 128;           //!< octets of ICReq and ICResp
constexpr uint32_t TERM_SIZE = 24;          //!< header of a Terminate Connection Request
constexpr uint32_t MAX_TERM_DATA = 128;     //!< octets of DATA in one at most
constexpr uint32_t MAX_HEADER_SIZE = 128;   //!< of the longest header, that of ICReq
constexpr uint32_t MAX_ALIGNMENT = 128;     //!< octets that CPDA and HPDA can ask for
constexpr uint32_t MIN_MAXH2CDATA = 4096;   //!< least MAXH2CDATA, octets
constexpr uint32_t ADMIN_IN_CAPSULE = 8192; //!< octets of data in capsules of admin and fabrics
                                            //!< commands (section 3.3.1)

constexpr uint16_t PORT = 4420; //!< of NVMe over fabrics

// offsets of fields in their PDUs, which FEI tells
constexpr uint32_t AT_TYPE = 0;
constexpr uint32_t AT_FLAGS = 1;
constexpr uint32_t AT_HLEN = 2;
constexpr uint32_t AT_PDO = 3;
constexpr uint32_t AT_PLEN = 4;
constexpr uint32_t AT_PFV = 8;
constexpr uint32_t AT_PDA = 10; //!< HPDA of an ICReq, CPDA of an ICResp
constexpr uint32_t AT_DGST = 11;
constexpr uint32_t AT_MAXH2CDATA = 12;
constexpr uint32_t AT_CCCID = 8;
constexpr uint32_t AT_TTAG = 10;
constexpr uint32_t AT_DATAO = 12; //!< R2TO of an R2T
constexpr uint32_t AT_DATAL = 16; //!< R2TL of an R2T

/// Tell whether a type is one. @param type any value @return false for those that are reserved
bool IsPduType(uint8_t type);
/// Tell which way a type goes. @param type any @return from host to controller
bool IsHostToController(NvmePduType type);
/// Tell whether a type can have data. @param type any @return CapsuleCmd, H2CData and C2HData
bool CarriesData(NvmePduType type);
/// Tell whether a type can have digests. @param type any @return all but ICReq, ICResp and the
/// Terminate Connection Requests
bool HasDigests(NvmePduType type);
/// Get HLEN of a type. @param type any @return octets; 0 for what is reserved
uint32_t GetHeaderSize(NvmePduType type);
/// Name a type. @param type any @return as the specification does
const char* GetPduName(NvmePduType type);

} // namespace nvme

/// @ingroup iwarp-nvme
/// @brief How PDUs of a direction look, as ICReq and ICResp have settled it.
struct NvmePduFormat
{
    bool headerDigest{false}; //!< HDGST is in use
    bool dataDigest{false};   //!< DDGST is in use
    uint32_t alignment{4};    //!< DATA begin at a multiple of so many octets, 4 to 128
};

/// @ingroup iwarp-nvme
/// @brief The common header, CH.
struct NvmeCommonHeader
{
    NvmePduType type{NvmePduType::IC_REQ}; //!< PDU-Type
    uint8_t flags{0};                      //!< FLAGS
    uint8_t hlen{0};                       //!< HLEN
    uint8_t pdo{0};                        //!< PDO
    uint32_t plen{0};                      //!< PLEN

    void Write(uint8_t* out) const;   //!< Write it. @param out receives nvme::CH_SIZE octets
    void Read(const uint8_t* octets); //!< Read it. @param octets nvme::CH_SIZE octets

    bool HasHeaderDigest() const; //!< Tell whether HDGST follows the header. @return by FLAGS
    bool HasDataDigest()
        const; //!< Tell whether DDGST follows the data. @return by FLAGS, with data
    uint32_t GetHeadSize() const; //!< Count header and HDGST. @return octets
    /// Find DATA. @return octets in front of it; 0 without any
    uint32_t GetDataOffset() const;
    uint32_t GetDataSize() const; //!< Count DATA. @return octets, by PLEN and what is around it

    /**
     * @brief Check what it says by itself: whether such a PDU can be.
     * @return the first field that is invalid
     */
    NvmeFatalError Validate() const;

    /**
     * @brief Check it against what was agreed on. PAD may be longer than it has to be.
     * @param format of the direction
     * @return the first field that is invalid
     */
    NvmeFatalError ValidateWith(const NvmePduFormat& format) const;
};

/// @ingroup iwarp-nvme
/// @brief PSH of an ICReq.
struct NvmeIcReq
{
    uint16_t pfv{0};    //!< PFV, 0 in this version
    uint8_t hpda{0};    //!< HPDA, dwords less 1
    uint8_t dgst{0};    //!< DGST
    uint32_t maxr2t{0}; //!< MAXR2T, 0's based
};

/// @ingroup iwarp-nvme
/// @brief PSH of an ICResp.
struct NvmeIcResp
{
    uint16_t pfv{0};        //!< PFV, 0 in this version
    uint8_t cpda{0};        //!< CPDA, dwords less 1
    uint8_t dgst{0};        //!< DGST
    uint32_t maxh2cdata{0}; //!< MAXH2CDATA, octets
};

/// @ingroup iwarp-nvme
/// @brief PSH of an H2CTermReq or a C2HTermReq.
struct NvmeTermReq
{
    uint16_t fes{0}; //!< FES
    uint32_t fei{0}; //!< FEI
};

/// @ingroup iwarp-nvme
/// @brief PSH of an H2CData, a C2HData or an R2T.
struct NvmeTransfer
{
    uint16_t cccid{0}; //!< CCCID
    uint16_t ttag{0};  //!< TTAG, 0 in a C2HData
    uint32_t datao{0}; //!< DATAO; R2TO of an R2T
    uint32_t datal{0}; //!< DATAL; R2TL of an R2T
};

/// @ingroup iwarp-nvme
/// @brief Header of a PDU, whichever.
struct NvmePdu
{
    /// What is specific of the type
    using Psh = std::variant<NvmeIcReq, NvmeIcResp, NvmeTermReq, NvmeSqe, NvmeCqe, NvmeTransfer>;

    NvmeCommonHeader ch; //!< CH
    Psh psh;             //!< PSH, of the alternative that belongs to the type

    /// Begin a PDU. @param type of it @param specific PSH @param flags LAST_PDU and SUCCESS
    /// @return it, which Seal() completes
    static NvmePdu Make(NvmePduType type, const Psh& specific, uint8_t flags = 0);

    /// Fill in the common header: HLEN, PDO, PLEN and the flags of digests. @param format of the
    /// direction @param data octets of DATA
    void Seal(const NvmePduFormat& format, uint32_t data);

    /// Write what precedes DATA: header, HDGST, PAD. @return octets
    std::vector<uint8_t> WriteHead() const;

    /**
     * @brief Write all of it.
     * @param data DATA, as many octets as Seal() was told
     * @return PLEN octets
     */
    std::vector<uint8_t> Write(const uint8_t* data) const;

    /**
     * @brief Read a header. Whether it is valid is another question.
     * @param octets of the PDU
     * @param size how many: HLEN of the type at least
     * @return false if they begin no PDU
     */
    bool Read(const uint8_t* octets, uint32_t size);
};

namespace nvme
{

/// Compute a digest. @param octets they @param size how many @return CRC32c as it is on the wire
std::array<uint8_t, DIGEST_SIZE> MakeDigest(const uint8_t* octets, uint32_t size);
/// Check a digest. @param octets what it is of, and behind that it @param size without it
/// @return true if it is right
bool IsDigestGood(const uint8_t* octets, uint32_t size);

} // namespace nvme

} // namespace ns3

#endif // NVME_PDU_H
