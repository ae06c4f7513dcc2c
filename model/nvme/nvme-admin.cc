/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-admin.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using boost::endian::load_little_u16;
using boost::endian::load_little_u32;
using boost::endian::load_little_u64;
using boost::endian::store_little_u16;
using boost::endian::store_little_u32;
using boost::endian::store_little_u64;

namespace
{

constexpr uint32_t NQN_SIZE = 256; // octets of a field with a name, zeros behind it

// offsets in Identify Controller
constexpr uint32_t AT_SN = 4;
constexpr uint32_t AT_MN = 24;
constexpr uint32_t AT_FR = 64;
constexpr uint32_t AT_CMIC = 76;
constexpr uint32_t AT_CNTLID = 78;
constexpr uint32_t AT_VER = 80;
constexpr uint32_t AT_CNTRLTYPE = 111;
constexpr uint32_t AT_AERL = 259;
constexpr uint32_t AT_KAS = 320;
constexpr uint32_t AT_SQES = 512;
constexpr uint32_t AT_CQES = 513;
constexpr uint32_t AT_MAXCMD = 514;
constexpr uint32_t AT_NN = 516;
constexpr uint32_t AT_SGLS = 536;
constexpr uint32_t AT_SUBNQN = 768;
constexpr uint32_t AT_IOCCSZ = 1792;
constexpr uint32_t AT_IORCSZ = 1796;
constexpr uint32_t AT_ICDOFF = 1800;
constexpr uint32_t AT_MSDBD = 1803;

// offsets in Identify Namespace
constexpr uint32_t AT_NSZE = 0;
constexpr uint32_t AT_NCAP = 8;
constexpr uint32_t AT_NUSE = 16;
constexpr uint32_t AT_FLBAS = 26;
constexpr uint32_t AT_NMIC = 30;
constexpr uint32_t AT_LBAF = 128;
constexpr uint32_t LBADS_IN_LBAF = 2;

/// @param to field @param size of it @param text what it says, blanks behind it
void
WriteText(uint8_t* to, uint32_t size, const std::string& text)
{
    std::fill_n(to, size, ' ');
    std::copy_n(text.begin(), std::min<std::size_t>(size, text.size()), to);
}

/// @param to field of NQN_SIZE octets @param name what it says, zeros behind it
void
WriteName(uint8_t* to, const std::string& name)
{
    std::copy_n(name.begin(), std::min<std::size_t>(NQN_SIZE - 1, name.size()), to);
}

/// @param from field of NQN_SIZE octets @return the name in it
std::string
ReadName(const uint8_t* from)
{
    return {from, std::find(from, from + NQN_SIZE, 0)};
}

} // namespace

std::vector<uint8_t>
NvmeConnectData::Write() const
{
    std::vector<uint8_t> octets(nvme::CONNECT_SIZE);
    std::copy(hostId.begin(), hostId.end(), octets.begin());
    store_little_u16(&octets[nvme::AT_CONNECT_CNTLID], cntlid);
    WriteName(&octets[nvme::AT_CONNECT_SUBNQN], subNqn);
    WriteName(&octets[nvme::AT_CONNECT_HOSTNQN], hostNqn);
    return octets;
}

bool
NvmeConnectData::Read(const std::vector<uint8_t>& octets)
{
    if (octets.size() != nvme::CONNECT_SIZE)
    {
        return false;
    }
    std::copy_n(octets.begin(), hostId.size(), hostId.begin());
    cntlid = load_little_u16(&octets[nvme::AT_CONNECT_CNTLID]);
    subNqn = ReadName(&octets[nvme::AT_CONNECT_SUBNQN]);
    hostNqn = ReadName(&octets[nvme::AT_CONNECT_HOSTNQN]);
    return true;
}

std::vector<uint8_t>
NvmeIdentifyController::Write() const
{
    std::vector<uint8_t> octets(nvme::IDENTIFY_SIZE);
    WriteText(&octets[AT_SN], 20, "1");
    WriteText(&octets[AT_MN], 40, "ns-3 iwarp");
    WriteText(&octets[AT_FR], 8, "1");
    octets[AT_CMIC] = 2; // the subsystem may have several controllers
    store_little_u16(&octets[AT_CNTLID], cntlid);
    store_little_u32(&octets[AT_VER], 0x00010300);
    octets[AT_CNTRLTYPE] = 1; // of I/O
    octets[AT_AERL] = 3;
    store_little_u16(&octets[AT_KAS], nvme::KAS_MS / 100); // of 100 ms
    octets[AT_SQES] = 0x66;                                // entries of 2^6 octets
    octets[AT_CQES] = 0x44;                                // of 2^4
    store_little_u16(&octets[AT_MAXCMD], maxCommands);
    store_little_u32(&octets[AT_NN], namespaces);
    // SGLs are supported, with offsets for data in capsules, and with transport data blocks
    store_little_u32(&octets[AT_SGLS], 0x00300001);
    WriteName(&octets[AT_SUBNQN], subNqn);
    store_little_u32(&octets[AT_IOCCSZ], (64 + inCapsule) / 16);
    store_little_u32(&octets[AT_IORCSZ], 1);
    store_little_u16(&octets[AT_ICDOFF], dataOffset);
    octets[AT_MSDBD] = 1; // SGL descriptors of a command
    return octets;
}

bool
NvmeIdentifyController::Read(const std::vector<uint8_t>& octets)
{
    if (octets.size() != nvme::IDENTIFY_SIZE)
    {
        return false;
    }
    const uint32_t capsule = load_little_u32(&octets[AT_IOCCSZ]); // of 16 octets
    subNqn = ReadName(&octets[AT_SUBNQN]);
    cntlid = load_little_u16(&octets[AT_CNTLID]);
    maxCommands = load_little_u16(&octets[AT_MAXCMD]);
    inCapsule = capsule > 4 ? std::min(capsule - 4, UINT32_MAX / 16) * 16 : 0;
    namespaces = load_little_u32(&octets[AT_NN]);
    dataOffset = load_little_u16(&octets[AT_ICDOFF]);
    return true;
}

std::vector<uint8_t>
NvmeIdentifyNamespace::Write() const
{
    std::vector<uint8_t> octets(nvme::IDENTIFY_SIZE);
    for (const uint32_t at : {AT_NSZE, AT_NCAP, AT_NUSE})
    {
        store_little_u64(&octets[at], blocks);
    }
    octets[AT_NMIC] = 1; // all controllers of the subsystem have it
    uint8_t shift = 0;
    while (blockSize >> shift > 1)
    {
        shift++;
    }
    octets[AT_LBAF + LBADS_IN_LBAF] = shift; // the only format
    return octets;
}

bool
NvmeIdentifyNamespace::Read(const std::vector<uint8_t>& octets)
{
    if (octets.size() != nvme::IDENTIFY_SIZE)
    {
        return false;
    }
    const uint8_t shift = octets[AT_LBAF + 4 * (octets[AT_FLBAS] & 15) + LBADS_IN_LBAF];
    blocks = load_little_u64(&octets[AT_NSZE]);
    blockSize = shift >= 9 && shift < 32 ? 1U << shift : 0;
    return blockSize > 0;
}

} // namespace ns3
