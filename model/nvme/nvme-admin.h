/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_ADMIN_H
#define NVME_ADMIN_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-nvme
 * Data structures of the commands that start a controller (NVM Express Base Specification 2.0,
 * sections 3.1, 5.17 and 6.3), as far as hosts and controllers here use them. Pure.
 */

namespace ns3
{

namespace nvme
{

// properties, by their offsets
constexpr uint32_t PROPERTY_CAP = 0x00;  //!< Controller Capabilities, 8 octets
constexpr uint32_t PROPERTY_VS = 0x08;   //!< Version
constexpr uint32_t PROPERTY_CC = 0x14;   //!< Controller Configuration
constexpr uint32_t PROPERTY_CSTS = 0x1C; //!< Controller Status

constexpr uint32_t CC_EN = 0x00000001;      //!< CC.EN: the controller is to process commands
constexpr uint32_t CC_SHN = 0x0000C000;     //!< CC.SHN: it is to shut down
constexpr uint32_t CC_DEFAULT = 0x00460000; //!< CC.IOSQES 6 and CC.IOCQES 4: entries of 64 and 16
constexpr uint32_t CSTS_RDY = 0x00000001;   //!< CSTS.RDY: it does
constexpr uint32_t CSTS_SHST = 0x00000008;  //!< CSTS.SHST: it has shut down

constexpr uint8_t CNS_NAMESPACE = 0x00;      //!< Identify Namespace
constexpr uint8_t CNS_CONTROLLER = 0x01;     //!< Identify Controller
constexpr uint8_t CNS_NAMESPACE_LIST = 0x02; //!< active Namespace ID list
constexpr uint8_t CNS_DESCRIPTORS = 0x03;    //!< Namespace Identification Descriptors

constexpr uint8_t FEATURE_QUEUES = 0x07; //!< Number of Queues
constexpr uint8_t FEATURE_EVENTS = 0x0B; //!< Asynchronous Event Configuration
constexpr uint8_t FEATURE_KATO = 0x0F;   //!< Keep Alive Timer

constexpr uint32_t KAS_MS = 1000; //!< what KATO is rounded up to a multiple of, ms

constexpr uint8_t LOG_SMART = 0x02; //!< SMART / Health Information

constexpr uint32_t IDENTIFY_SIZE = 4096;    //!< octets of each data structure of Identify
constexpr uint32_t CONNECT_SIZE = 1024;     //!< octets of the data of Connect
constexpr uint16_t ANY_CONTROLLER = 0xFFFF; //!< CNTLID of an admin queue's Connect: a new one

// offsets in Connect, and in its data, that IPO tells of what is invalid (section 6.3)
constexpr uint32_t AT_CONNECT_QID = 42;      //!< in the command
constexpr uint32_t AT_CONNECT_SQSIZE = 44;   //!< in the command
constexpr uint32_t AT_CONNECT_CNTLID = 16;   //!< in the data
constexpr uint32_t AT_CONNECT_SUBNQN = 256;  //!< in the data
constexpr uint32_t AT_CONNECT_HOSTNQN = 512; //!< in the data
constexpr uint32_t IATTR_DATA = 1 << 16;     //!< IATTR: IPO is an offset in the data

} // namespace nvme

/// @ingroup iwarp-nvme
/// @brief The data of a Connect command.
struct NvmeConnectData
{
    std::array<uint8_t, 16> hostId{{}};    //!< HOSTID
    uint16_t cntlid{nvme::ANY_CONTROLLER}; //!< CNTLID
    std::string subNqn;                    //!< SUBNQN, at most 255 octets
    std::string hostNqn;                   //!< HOSTNQN, at most 255 octets

    std::vector<uint8_t> Write() const; //!< Write it. @return nvme::CONNECT_SIZE octets
    /// Read it. @param octets they @return false if there are not nvme::CONNECT_SIZE of them
    bool Read(const std::vector<uint8_t>& octets);
};

/// @ingroup iwarp-nvme
/// @brief What Identify Controller tells, as far as it matters here.
struct NvmeIdentifyController
{
    std::string subNqn;      //!< SUBNQN
    uint16_t cntlid{0};      //!< CNTLID
    uint16_t maxCommands{0}; //!< MAXCMD: entries of an I/O Submission Queue at most
    uint32_t inCapsule{0};   //!< octets of data in an I/O capsule, by IOCCSZ
    uint32_t namespaces{0};  //!< NN
    uint16_t dataOffset{0};  //!< ICDOFF, 0 of NVMe/TCP

    std::vector<uint8_t> Write() const; //!< Write it. @return nvme::IDENTIFY_SIZE octets
    /// Read it. @param octets they @return false if they are too few
    bool Read(const std::vector<uint8_t>& octets);
};

/// @ingroup iwarp-nvme
/// @brief What Identify Namespace tells, as far as it matters here.
struct NvmeIdentifyNamespace
{
    uint64_t blocks{0};    //!< NSZE: logical blocks
    uint32_t blockSize{0}; //!< LBADS of the format in use: octets of a block, a power of 2

    std::vector<uint8_t> Write() const; //!< Write it. @return nvme::IDENTIFY_SIZE octets
    /// Read it. @param octets they @return false if they are too few, or have no such format
    bool Read(const std::vector<uint8_t>& octets);
};

} // namespace ns3

#endif // NVME_ADMIN_H
