/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_COMMAND_H
#define NVME_COMMAND_H

#include <cstdint>

/**
 * @file
 * @ingroup iwarp-nvme
 * Submission and Completion Queue Entries (NVM Express Base Specification 2.0, sections 3.3.3 and
 * 6), little-endian as all of NVMe.
 */

namespace ns3
{

namespace nvme
{

constexpr uint32_t SQE_SIZE = 64; //!< octets of a Submission Queue Entry
constexpr uint32_t CQE_SIZE = 16; //!< octets of a Completion Queue Entry

constexpr uint8_t PSDT_SGL = 0x40; //!< flags of a command: SGL1 says where its data are

constexpr uint8_t SGL_IN_CAPSULE = 0x01; //!< SGL Data Block, Offset: data behind the command
constexpr uint8_t SGL_TRANSPORT = 0x5A;  //!< Transport SGL Data Block: NVMe/TCP moves the data

} // namespace nvme

/// @ingroup iwarp-nvme
/// @brief Opcodes of commands; bits 1:0 say which way data go.
enum class NvmeOpcode : uint8_t
{
    // of admin queues
    GET_LOG_PAGE = 0x02,
    IDENTIFY = 0x06,
    SET_FEATURES = 0x09,
    GET_FEATURES = 0x0A,
    ASYNC_EVENT_REQUEST = 0x0C,
    KEEP_ALIVE = 0x18,
    // of I/O queues
    FLUSH = 0x00,
    WRITE = 0x01,
    READ = 0x02,
    // of both
    FABRICS = 0x7F,
};

/// @ingroup iwarp-nvme
/// @brief Fabrics commands, which FCTYPE tells apart; bits 1:0 say which way data go.
enum class NvmeFctype : uint8_t
{
    PROPERTY_SET = 0x00,
    CONNECT = 0x01,
    PROPERTY_GET = 0x04,
};

/// @ingroup iwarp-nvme
/// @brief Status of a command: Status Code Type in bits 10:8, Status Code in bits 7:0.
enum class NvmeStatus : uint16_t
{
    SUCCESS = 0x000,
    INVALID_OPCODE = 0x001,
    INVALID_FIELD = 0x002,
    COMMAND_ID_CONFLICT = 0x003,
    INTERNAL_ERROR = 0x006,
    INVALID_NAMESPACE = 0x00B,
    COMMAND_SEQUENCE_ERROR = 0x00C,
    SGL_LENGTH_INVALID = 0x00F,
    SGL_TYPE_INVALID = 0x011,
    SGL_OFFSET_INVALID = 0x016,
    TRANSIENT_TRANSPORT_ERROR = 0x022,
    LBA_OUT_OF_RANGE = 0x080,
    ASYNC_LIMIT_EXCEEDED = 0x105,
    CONNECT_INCOMPATIBLE_FORMAT = 0x180,
    CONNECT_INVALID_PARAMETERS = 0x182,
};

/// @ingroup iwarp-nvme
/// @brief Name a status. @param status any @return as the specifications call it
const char* NvmeStatusName(NvmeStatus status);

/// @ingroup iwarp-nvme
/// @brief Which way the data of a command go.
enum class NvmeDirection : uint8_t
{
    NONE,               //!< it has none
    HOST_TO_CONTROLLER, //!< such as those of a Write
    CONTROLLER_TO_HOST, //!< such as those of a Read
};

/// @ingroup iwarp-nvme
/// @brief An SGL descriptor: where the data of a command are.
struct NvmeSgl
{
    uint64_t address{0}; //!< of an SGL Data Block with Offset: 0, data begin behind the command
    uint32_t length{0};  //!< octets
    uint8_t type{0};     //!< SGL Identifier: descriptor type, sub type
};

/**
 * @ingroup iwarp-nvme
 * @brief A Submission Queue Entry. Of a fabrics command the dwords have other names, which the
 * functions below know.
 */
struct NvmeSqe
{
    uint8_t opcode{0};     //!< OPC
    uint8_t flags{0};      //!< FUSE and PSDT
    uint16_t cid{0};       //!< CID
    uint32_t nsid{0};      //!< NSID; of a fabrics command FCTYPE in bits 7:0
    uint32_t cdw2{0};      //!< CDW2
    uint32_t cdw3{0};      //!< CDW3
    uint64_t mptr{0};      //!< MPTR
    NvmeSgl sgl1;          //!< DPTR: SGL1
    uint32_t cdw[6] = {0}; //!< CDW10 to CDW15

    void Write(uint8_t* out) const;   //!< Write it. @param out receives nvme::SQE_SIZE octets
    void Read(const uint8_t* octets); //!< Read it. @param octets nvme::SQE_SIZE octets

    bool IsFabrics() const; //!< Tell whether FCTYPE says what it is. @return true then
    /// Get FCTYPE. @return of a fabrics command
    NvmeFctype GetFctype() const;
    NvmeDirection GetDirection() const; //!< Tell which way its data go. @return by the opcode

    // of Read and Write
    uint64_t GetSlba() const;   //!< Get SLBA. @return the first logical block
    uint32_t GetBlocks() const; //!< Get NLB, which is 0's based. @return logical blocks
    /// Make a Read or a Write. @param opcode of the two @param nsid namespace @param slba first
    /// logical block @param blocks 1 to 65536 @return it, without CID and SGL
    static NvmeSqe MakeIo(NvmeOpcode opcode, uint32_t nsid, uint64_t slba, uint32_t blocks);

    // of Identify
    uint8_t GetCns() const; //!< Get CNS. @return which data structure
    /// Make an Identify. @param cns which data structure @param nsid of which namespace @return it
    static NvmeSqe MakeIdentify(uint8_t cns, uint32_t nsid);

    // of Set Features and Get Features
    uint8_t GetFeature() const;       //!< Get FID. @return which feature
    uint32_t GetFeatureValue() const; //!< Get CDW11. @return value of a Set Features
    /// Make a Set Features. @param feature FID @param value CDW11 @return it
    static NvmeSqe MakeSetFeatures(uint8_t feature, uint32_t value);

    // of Get Log Page
    uint8_t GetLogPage() const;  //!< Get LID. @return which log page
    uint64_t GetLogSize() const; //!< Get NUMD, which is 0's based. @return octets wanted

    // of Connect
    uint16_t GetRecordFormat() const; //!< Get RECFMT. @return 0 for what this version knows
    uint16_t GetQueueId() const;      //!< Get QID. @return 0 for an admin queue
    uint32_t GetQueueSize() const;    //!< Get SQSIZE, which is 0's based. @return entries
    uint32_t GetKeepAlive() const;    //!< Get KATO. @return ms
    /// Make a Connect. @param queue QID @param entries of the Submission Queue @param keepAlive
    /// KATO, ms @return it
    static NvmeSqe MakeConnect(uint16_t queue, uint32_t entries, uint32_t keepAlive);

    // of Property Get and Property Set
    uint32_t GetProperty() const; //!< Get OFST. @return which property
    bool IsWideProperty() const;  //!< Tell by ATTRIB. @return 8 octets, not 4
    uint64_t GetValue() const;    //!< Get VALUE. @return of a Property Set
    /// Make a Property Get. @param property OFST @param wide 8 octets, not 4 @return it
    static NvmeSqe MakePropertyGet(uint32_t property, bool wide);
    /// Make a Property Set. @param property OFST, of 4 octets @param value VALUE @return it
    static NvmeSqe MakePropertySet(uint32_t property, uint32_t value);
};

/// @ingroup iwarp-nvme
/// @brief A Completion Queue Entry.
struct NvmeCqe
{
    uint64_t result{0}; //!< DW0 and DW1: command specific
    uint16_t sqhd{0};   //!< SQHD
    uint16_t sqid{0};   //!< SQID, 0 over fabrics
    uint16_t cid{0};    //!< CID
    uint16_t status{0}; //!< Status in bits 15:1: SC, SCT, CRD, M, DNR; bit 0, Phase, is 0

    void Write(uint8_t* out) const;   //!< Write it. @param out receives nvme::CQE_SIZE octets
    void Read(const uint8_t* octets); //!< Read it. @param octets nvme::CQE_SIZE octets

    NvmeStatus GetStatus() const; //!< Get SCT and SC. @return status
    /// Set the status; Do Not Retry is set but for those that a retry may mend. @param to status
    void SetStatus(NvmeStatus to);
};

} // namespace ns3

#endif // NVME_COMMAND_H
