/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "../rdmap/rdmap-capture.h"
#include "nvme-test-util.h"

#include "ns3/nvme-framing.h"
#include "ns3/nvme-pdu.h"
#include "ns3/record-chain.h"

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(nvmePdu, "nvme-pdu");

/// A PDU, and its octets written by hand from the figures of the specification.
struct HandWrittenPdu
{
    const char* name;     //!< which
    NvmePdu pdu;          //!< before Seal()
    NvmePduFormat format; //!< of the direction
    std::string data;     //!< DATA, in hexadecimal
    std::string octets;   //!< of all of it, in hexadecimal
};

/// @param count how many @return so many octets of 0, in hexadecimal
std::string
Zeros(unsigned count)
{
    std::string text;
    for (; count > 0; count--)
    {
        text += " 00";
    }
    return text;
}

/// @return one PDU of each type at least
std::vector<HandWrittenPdu>
ListHandWritten()
{
    const NvmePduFormat plain;
    const NvmePduFormat both{true, true, 4};
    NvmeSqe read = NvmeSqe::MakeIo(NvmeOpcode::READ, 1, 0x0000000102030405, 8);
    read.flags = nvme::PSDT_SGL;
    read.cid = 0x1234;
    read.sgl1 = {0, 4096, nvme::SGL_TRANSPORT};
    NvmeSqe write = NvmeSqe::MakeIo(NvmeOpcode::WRITE, 1, 7, 1);
    write.flags = nvme::PSDT_SGL;
    write.cid = 2;
    write.sgl1 = {0, 4, nvme::SGL_IN_CAPSULE};
    NvmeCqe done;
    done.result = 0x1122334455667788;
    done.sqhd = 0x0102;
    done.cid = 0xABCD;
    done.SetStatus(NvmeStatus::LBA_OUT_OF_RANGE);
    const std::string readHex = "02 40 34 12 01 00 00 00" + Zeros(16) + Zeros(8) +
                                "00 10 00 00 00 00 00 5A 05 04 03 02 01 00 00 00 07 00 00 00" +
                                Zeros(12);
    const std::string writeHex = "01 40 02 00 01 00 00 00" + Zeros(16) + Zeros(8) +
                                 "04 00 00 00 00 00 00 01 07 00 00 00" + Zeros(20);
    return {
        {"ICReq",
         NvmePdu::Make(NvmePduType::IC_REQ, NvmeIcReq{0, 3, 3, 0x01020304}),
         both, // which does not matter here
         "",
         "00 00 80 00 80 00 00 00 00 00 03 03 04 03 02 01" + Zeros(112)},
        {"ICResp",
         NvmePdu::Make(NvmePduType::IC_RESP, NvmeIcResp{0, 15, 1, 0x00400000}),
         both,
         "",
         "01 00 80 00 80 00 00 00 00 00 0F 01 00 00 40 00" + Zeros(112)},
        {"H2CTermReq",
         NvmePdu::Make(NvmePduType::H2C_TERM_REQ, NvmeTermReq{1, 10}),
         both,
         "01 00 80 00",
         "02 00 18 00 1C 00 00 00 01 00 0A 00 00 00" + Zeros(10) + "01 00 80 00"},
        {"C2HTermReq",
         NvmePdu::Make(NvmePduType::C2H_TERM_REQ, NvmeTermReq{3, 0xDDCCBBAA}),
         plain,
         "",
         "03 00 18 00 18 00 00 00 03 00 AA BB CC DD" + Zeros(10)},
        {"CapsuleCmd",
         NvmePdu::Make(NvmePduType::CAPSULE_CMD, read),
         plain,
         "",
         "04 00 48 00 48 00 00 00" + readHex},
        {"CapsuleCmd with data",
         NvmePdu::Make(NvmePduType::CAPSULE_CMD, write),
         plain,
         "DE AD BE EF",
         "04 00 48 48 4C 00 00 00" + writeHex + "DE AD BE EF"},
        {"CapsuleResp",
         NvmePdu::Make(NvmePduType::CAPSULE_RESP, done),
         plain,
         "",
         // Do Not Retry, SC 80h
         "05 00 18 00 18 00 00 00 88 77 66 55 44 33 22 11 02 01 00 00 CD AB 00 81"},
        {"H2CData",
         NvmePdu::Make(NvmePduType::H2C_DATA,
                       NvmeTransfer{0x0201, 0x0403, 0x1000, 8},
                       nvme::LAST_PDU),
         plain,
         "00 01 02 03 04 05 06 07",
         "06 04 18 18 20 00 00 00 01 02 03 04 00 10 00 00 08 00 00 00 00 00 00 00 "
         "00 01 02 03 04 05 06 07"},
        {"C2HData",
         NvmePdu::Make(NvmePduType::C2H_DATA,
                       NvmeTransfer{0x0201, 0, 0x1000, 4},
                       nvme::LAST_PDU | nvme::SUCCESS),
         plain,
         "FF FE FD FC",
         "07 0C 18 18 1C 00 00 00 01 02 00 00 00 10 00 00 04 00 00 00 00 00 00 00 FF FE FD FC"},
        {"R2T",
         NvmePdu::Make(NvmePduType::R2T, NvmeTransfer{5, 6, 0xBB8, 0x2000}),
         plain,
         "",
         "09 00 18 00 18 00 00 00 05 00 06 00 B8 0B 00 00 00 20 00 00 00 00 00 00"},
    };
}

/// @param octets of a PDU @return what NvmePdu makes of them, written again; empty if it is none
std::vector<uint8_t>
WriteAgain(const std::vector<uint8_t>& octets)
{
    NvmePdu pdu;
    if (!pdu.Read(octets.data(), static_cast<uint32_t>(octets.size())))
    {
        return {};
    }
    return pdu.Write(octets.data() + pdu.ch.GetDataOffset());
}

/// @param octets of a PDU @return its digests are right, where it has any
bool
HasGoodDigests(const std::vector<uint8_t>& octets)
{
    NvmeCommonHeader ch;
    ch.Read(octets.data());
    return (!ch.HasHeaderDigest() || nvme::IsDigestGood(octets.data(), ch.hlen)) &&
           (!ch.HasDataDigest() ||
            nvme::IsDigestGood(octets.data() + ch.GetDataOffset(), ch.GetDataSize()));
}

/// @param sqe of Linux @param admin of an admin queue @return the same by the functions that make
/// commands, without CID and SGL
NvmeSqe
MakeAgain(const NvmeSqe& sqe, bool admin)
{
    NvmeSqe made;
    if (sqe.IsFabrics())
    {
        const auto type = sqe.GetFctype();
        return type == NvmeFctype::CONNECT
                   ? NvmeSqe::MakeConnect(sqe.GetQueueId(), sqe.GetQueueSize(), sqe.cdw[2])
               : type == NvmeFctype::PROPERTY_GET
                   ? NvmeSqe::MakePropertyGet(sqe.GetProperty(), sqe.IsWideProperty())
                   : NvmeSqe::MakePropertySet(sqe.GetProperty(),
                                              static_cast<uint32_t>(sqe.GetValue()));
    }
    const auto opcode = static_cast<NvmeOpcode>(sqe.opcode);
    if (!admin)
    {
        made = NvmeSqe::MakeIo(opcode, sqe.nsid, sqe.GetSlba(), sqe.GetBlocks());
        made.cdw[3] = sqe.cdw[3]; // DSM, a hint on access
    }
    else if (opcode == NvmeOpcode::IDENTIFY)
    {
        made = NvmeSqe::MakeIdentify(sqe.GetCns(), sqe.nsid);
    }
    else if (opcode == NvmeOpcode::SET_FEATURES)
    {
        made = NvmeSqe::MakeSetFeatures(sqe.GetFeature(), sqe.cdw[1]);
    }
    else
    {
        made = sqe; // there is no function for it
    }
    return made;
}

} // namespace

/// @brief Each PDU has the octets of its figure, and is read from them.
IWARP_TEST(nvmePdu, "PDUs written by hand")
{
    for (auto& [name, pdu, format, data, octets] : ListHandWritten())
    {
        const auto content = Hex(data);
        const auto wanted = Hex(octets);
        pdu.Seal(format, static_cast<uint32_t>(content.size()));
        const bool same = pdu.Write(content.data()) == wanted;
        NS_TEST_EXPECT_MSG_EQ(same, true, name << ": written");
        NS_TEST_EXPECT_MSG_EQ(nvme::GetHeaderSize(pdu.ch.type), wanted[2], name << ": HLEN");
        NS_TEST_EXPECT_MSG_EQ(pdu.ch.GetDataSize(), content.size(), name << ": data");
        NS_TEST_EXPECT_MSG_EQ((WriteAgain(wanted) == wanted), true, name << ": read");
        NvmePdu cut;
        NS_TEST_EXPECT_MSG_EQ(cut.Read(wanted.data(), wanted[2] - 1),
                              false,
                              name << ": not without all of its header");
        const bool h2c = nvme::IsHostToController(pdu.ch.type);
        NS_TEST_EXPECT_MSG_EQ(h2c, (wanted[0] % 2 == 0), name << ": direction");
    }
    IWARP_COVERS("NVT-3.6.2.1-01 NVT-3.6.2.2-01 NVT-3.6.2.3-01 NVT-3.6.2.4-01 NVT-3.6.2.5-01 "
                 "NVT-3.6.2.6-01 NVT-3.6.2.7-01 NVT-3.6.2.8-01 NVT-3.6.2.9-01 NVT-3.6.2.10-01 "
                 "NVT-3.3-06 NVT-2-02");
}

/// @brief Figures 8 and 9 of the specification, and any other alignment: data begin at the first
/// multiple of it behind header and digest.
IWARP_TEST(nvmePdu, "data are aligned")
{
    NvmePdu down = NvmePdu::Make(NvmePduType::H2C_DATA, NvmeTransfer{});
    down.Seal({false, false, (0x0F + 1) * 4}, 100);
    NS_TEST_EXPECT_MSG_EQ(down.ch.pdo, 24 + 40, "CPDA 0Fh: 40 octets of PAD");
    NvmePdu up = NvmePdu::Make(NvmePduType::C2H_DATA, NvmeTransfer{});
    up.Seal({false, false, (3 + 1) * 4}, 100);
    NS_TEST_EXPECT_MSG_EQ(up.ch.pdo, 24 + 8, "HPDA 03h: 8 octets of PAD");
    IWARP_COVERS("NVT-3.3-03 NVT-3.3-04");
    for (uint32_t alignment = 4; alignment <= nvme::MAX_ALIGNMENT; alignment += 4)
    {
        for (const auto type :
             {NvmePduType::CAPSULE_CMD, NvmePduType::H2C_DATA, NvmePduType::C2H_DATA})
        {
            for (unsigned digests = 0; digests < 4; digests++)
            {
                const NvmePduFormat format{(digests & 1) != 0, (digests & 2) != 0, alignment};
                NvmePdu pdu = NvmePdu::Make(type, NvmeTransfer{});
                if (type == NvmePduType::CAPSULE_CMD)
                {
                    pdu.psh = NvmeSqe{};
                }
                pdu.Seal(format, 20);
                const uint32_t head = nvme::GetHeaderSize(type) + (format.headerDigest ? 4 : 0);
                NS_TEST_ASSERT_MSG_EQ(pdu.ch.pdo % alignment, 0, alignment);
                NS_TEST_ASSERT_MSG_EQ((pdu.ch.pdo >= head && pdu.ch.pdo < head + alignment),
                                      true,
                                      alignment << ": no more PAD than it takes");
                NS_TEST_ASSERT_MSG_EQ(pdu.ch.plen,
                                      pdu.ch.pdo + 20U + (format.dataDigest ? 4U : 0U),
                                      alignment);
                std::vector<uint8_t> octets = pdu.Write(std::vector<uint8_t>(20, 0xA5).data());
                NS_TEST_ASSERT_MSG_EQ(octets.size(), pdu.ch.plen, alignment);
                NS_TEST_ASSERT_MSG_EQ((WriteAgain(octets) == octets), true, alignment);
                NS_TEST_ASSERT_MSG_EQ(HasGoodDigests(octets), true, alignment);
                NS_TEST_ASSERT_MSG_EQ(bool(pdu.ch.ValidateWith(format)), false, alignment);
                for (uint32_t i = head; i < pdu.ch.pdo; i++)
                {
                    octets[i] ^= 0xFF; // PAD
                }
                NS_TEST_ASSERT_MSG_EQ(HasGoodDigests(octets), true, "no digest is of PAD");
            }
        }
    }
    IWARP_COVERS("NVT-3.3-02 NVT-3.3-05 NVT-3.3.1.1-04 NVT-3.3.1.1-08");
}

/// @brief Any octet that is changed in header or data shows in the digest of that part.
IWARP_TEST(nvmePdu, "digests show what has changed")
{
    const std::vector<uint8_t> data(64, 0x3C);
    NvmePdu pdu = NvmePdu::Make(NvmePduType::H2C_DATA, NvmeTransfer{1, 2, 0, 64}, nvme::LAST_PDU);
    pdu.Seal({true, true, 32}, 64);
    const std::vector<uint8_t> octets = pdu.Write(data.data());
    for (uint32_t i = 0; i < octets.size(); i++)
    {
        const bool header = i < pdu.ch.hlen + nvme::DIGEST_SIZE;
        const bool content = i >= pdu.ch.pdo;
        auto changed = octets;
        changed[i] ^= 0x10;
        NS_TEST_ASSERT_MSG_EQ(nvme::IsDigestGood(changed.data(), pdu.ch.hlen), !header, i);
        NS_TEST_ASSERT_MSG_EQ(nvme::IsDigestGood(&changed[pdu.ch.pdo], 64), !content, i);
    }
    // the example of RFC 3720 B.4: 32 octets of zero
    const auto zeros = nvme::MakeDigest(std::vector<uint8_t>(32).data(), 32);
    NS_TEST_EXPECT_MSG_EQ((std::vector<uint8_t>(zeros.begin(), zeros.end()) == Hex("AA36918A")),
                          true,
                          "least significant octet first");
    IWARP_COVERS("NVT-3.3.1.1-12");
}

/// @brief Every PDU of Linux's captures is opened and made again, octet for octet, and its digests
/// are right. How many there are of a type is what tshark counts.
IWARP_TEST(nvmePdu, "PDUs of Linux, opened and made again")
{
    for (const auto& [file, counts] : ListNvmeCaptures())
    {
        std::map<uint8_t, uint32_t> found;
        for (const auto& streams : ReadStreams(NvmeCaptureFolder() + file))
        {
            bool digests = false;
            for (const auto& stream : streams)
            {
                std::size_t octets = 0;
                for (const auto& pdu : SplitPdus(stream))
                {
                    NvmePdu read;
                    const bool good = read.Read(pdu.data(), static_cast<uint32_t>(pdu.size()));
                    NS_TEST_ASSERT_MSG_EQ(good, true, file);
                    NS_TEST_ASSERT_MSG_EQ((WriteAgain(pdu) == pdu),
                                          true,
                                          file << ": a " << nvme::GetPduName(read.ch.type));
                    NS_TEST_ASSERT_MSG_EQ(HasGoodDigests(pdu), true, file);
                    digests = digests || read.ch.HasHeaderDigest() || read.ch.HasDataDigest();
                    found[pdu[0]]++;
                    octets += pdu.size();
                }
                NS_TEST_EXPECT_MSG_EQ(octets, stream.size(), file << ": nothing else is there");
            }
            NS_TEST_EXPECT_MSG_EQ(digests, (file.find("plain") == std::string::npos), file);
        }
        NS_TEST_EXPECT_MSG_EQ((found == counts), true, file << ": as many as tshark finds");
    }
    IWARP_COVERS("NVT-3.3.1.1-03 NVT-3.3.1.1-07 NVT-2-01");
}

/// @brief Commands as Linux makes them are those that the functions make.
IWARP_TEST(nvmePdu, "commands are those of Linux")
{
    std::map<int, uint32_t> seen; // by opcode, those of the admin queue less 256
    int queue = -256;
    for (const auto& streams : ReadStreams(NvmeCaptureFolder() + "digests_mtu1500.pcap"))
    {
        for (const auto& pdu : SplitPdus(streams[0]))
        {
            NvmePdu read;
            read.Read(pdu.data(), static_cast<uint32_t>(pdu.size()));
            const auto* sqe = std::get_if<NvmeSqe>(&read.psh);
            if (!sqe)
            {
                continue;
            }
            NvmeSqe made = MakeAgain(*sqe, queue < 0);
            made.flags = nvme::PSDT_SGL;
            made.cid = sqe->cid;
            made.sgl1 = sqe->sgl1;
            uint8_t octets[nvme::SQE_SIZE];
            made.Write(octets);
            const bool same = std::memcmp(octets, &pdu[nvme::CH_SIZE], sizeof(octets)) == 0;
            NS_TEST_EXPECT_MSG_EQ(same, true, "opcode " << uint32_t{sqe->opcode});
            seen[queue + sqe->opcode]++;
            const bool in = sqe->sgl1.type == nvme::SGL_IN_CAPSULE;
            NS_TEST_EXPECT_MSG_EQ(read.ch.GetDataSize(), (in ? sqe->sgl1.length : 0), "in capsule");
            const bool io = queue == 0 && !sqe->IsFabrics();
            NS_TEST_EXPECT_MSG_EQ((io ? sqe->GetBlocks() * 512 : sqe->sgl1.length),
                                  sqe->sgl1.length,
                                  "blocks of 512 octets");
            if (queue < 0 && sqe->opcode == 2)
            {
                NS_TEST_EXPECT_MSG_EQ(sqe->GetLogSize(), sqe->sgl1.length, "log page");
            }
        }
        queue += 256;
    }
    const std::map<int, uint32_t> all{{2 - 256, 4},
                                      {6 - 256, 6},
                                      {9 - 256, 2},
                                      {12 - 256, 1},
                                      {127 - 256, 10},
                                      {1, 6},
                                      {2, 8},
                                      {127, 1}};
    NS_TEST_EXPECT_MSG_EQ((seen == all), true, "all kinds are there");
}

/// @brief What is wrong with a common header is told by the offset of the first field.
IWARP_TEST(nvmePdu, "invalid fields of the common header")
{
    const NvmePduFormat plain;
    const NvmePduFormat both{true, true, 16};
    using Row = std::tuple<const char*, std::string, NvmePduFormat, int>; // -1: nothing is wrong
    const std::vector<Row> rows{
        {"a Read", "04 00 48 00 48 00 00 00", plain, -1},
        {"a reserved type", "08 00 18 00 18 00 00 00", plain, 0},
        {"another", "0A 00 18 00 18 00 00 00", plain, 0},
        {"a digest that was not agreed on", "05 01 18 00 1C 00 00 00", plain, 1},
        {"none though it was", "05 00 18 00 18 00 00 00", both, 1},
        {"data without digest", "06 01 18 20 24 00 00 00", both, 1},
        {"digest of data that are not there", "04 03 48 00 4C 00 00 00", both, -1},
        {"SUCCESS in a PDU that is not the last", "07 08 18 18 1C 00 00 00", plain, 1},
        {"SUCCESS in the last", "07 0C 18 18 1C 00 00 00", plain, -1},
        {"reserved flags", "09 F0 18 00 18 00 00 00", plain, -1},
        {"HLEN of another type", "05 00 48 00 48 00 00 00", plain, 2},
        {"no HLEN", "00 00 00 00 80 00 00 00", plain, 2},
        {"PDO within the header", "06 00 18 14 20 00 00 00", plain, 3},
        {"PDO within the digest", "06 01 18 18 20 00 00 00", {true, false, 4}, 3},
        {"no PDO", "07 00 18 00 18 00 00 00", plain, 3},
        {"PDO of no dword", "07 00 18 1A 20 00 00 00", plain, 3},
        {"PDO that is not aligned", "06 03 18 1C 28 00 00 00", both, 3},
        {"PDO that is", "06 03 18 20 28 00 00 00", both, -1},
        {"PDO farther than it has to be", "06 03 18 30 38 00 00 00", both, -1},
        {"PLEN of an ICReq", "00 00 80 00 84 00 00 00", plain, 4},
        {"PLEN less than the header", "09 00 18 00 08 00 00 00", plain, 4},
        {"PLEN more than the header", "05 00 18 00 1C 00 00 00", plain, 4},
        {"PLEN without the header's digest", "05 01 18 00 18 00 00 00", both, 4},
        {"PLEN without data", "06 04 18 18 18 00 00 00", plain, 4},
        {"PLEN with nothing but a digest", "06 03 18 20 24 00 00 00", both, 4},
        {"a Term of 152 octets", "02 00 18 00 98 00 00 00", both, -1},
        {"a Term of 153", "03 00 18 00 99 00 00 00", both, 4},
        {"a Term of 23", "03 00 18 00 17 00 00 00", both, 4}};
    for (const auto& [name, octets, format, fei] : rows)
    {
        NvmeCommonHeader ch;
        ch.Read(Hex(octets).data());
        const NvmeFatalError error = ch.ValidateWith(format);
        NS_TEST_EXPECT_MSG_EQ(bool(error), (fei >= 0), name);
        if (fei >= 0)
        {
            NS_TEST_EXPECT_MSG_EQ((error.fes == NvmeFes::INVALID_HEADER_FIELD), true, name);
            NS_TEST_EXPECT_MSG_EQ(error.fei, static_cast<uint32_t>(fei), name);
        }
    }
    IWARP_COVERS("NVT-3.6.2.4-03 NVT-3.3-07");
}

/// @brief The framing says where PDUs and their data are, however octets are cut, and finds none in
/// octets that are no PDU.
IWARP_TEST(nvmePdu, "framing")
{
    const NvmeFraming framing;
    std::mt19937 rng(RandomSeed(7));
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 100000; i++)
    {
        uint8_t octets[nvme::CH_SIZE];
        for (auto& octet : octets)
        {
            octet = static_cast<uint8_t>(rng());
        }
        octets[0] %= 12; // half of them would be reserved
        octets[2] = static_cast<uint8_t>(i % 2 == 0 ? 24 : octets[2]);
        const RecordHead head = framing.ReadHead(octets);
        if (head.size > 0)
        {
            taken++;
            NS_TEST_ASSERT_MSG_GT_OR_EQ(head.size, octets[2], "its header fits");
            NS_TEST_ASSERT_MSG_GT_OR_EQ(head.size, uint64_t{head.payloadOffset} + head.payload, "");
        }
    }
    NS_TEST_EXPECT_MSG_GT(taken, 100, "some pass");
    NvmePdu pdu = NvmePdu::Make(NvmePduType::C2H_DATA, NvmeTransfer{1, 0, 0, 512});
    pdu.Seal({true, true, 64}, 512);
    const auto octets = pdu.Write(std::vector<uint8_t>(512).data());
    const RecordHead head = framing.ReadHead(octets.data());
    NS_TEST_EXPECT_MSG_EQ(head.size, 64 + 512 + 4, "all of it");
    NS_TEST_EXPECT_MSG_EQ(head.payload, 512, "its data");
    NS_TEST_EXPECT_MSG_EQ(head.payloadOffset, 64, "behind PAD");
    NvmePdu term = NvmePdu::Make(NvmePduType::C2H_TERM_REQ, NvmeTermReq{1, 0});
    term.Seal({}, 24);
    NS_TEST_EXPECT_MSG_EQ(framing.ReadHead(term.WriteHead().data()).payload, 0, "no user's data");
}
