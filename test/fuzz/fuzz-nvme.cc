/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../nvme/nvme-machine-pair.h"
#include "fuzz-target.h"

#include <string>

using namespace ns3;

namespace
{

/// A machine of either kind, and all that it does.
class FuzzedEnd : private NvmeMachine::Listener,
                  private NvmeHostMachine::HostListener,
                  private NvmeControllerMachine::ControllerListener
{
  public:
    /// @param host which kind @param digests to ask for, or to enable @param small limits
    FuzzedEnd(bool host, bool digests, bool small)
        : m_host({digests, digests, false, small ? 16U : 4U, small ? 1U : 3U, 8, small ? 0U : 512U},
                 *this,
                 *this),
          m_controller({digests,
                        digests,
                        small ? 64U : 4U,
                        4096,
                        small ? 1U : 3U,
                        small ? 0U : 1024U,
                        small ? 512U : 0U,
                        512,
                        8,
                        small},
                       *this,
                       *this),
          m_machine(host ? static_cast<NvmeMachine&>(m_host) : m_controller),
          m_isHost(host)
    {
        m_machine.Start();
        Drain();
    }

    /// @param octets of the peer @param segment octets at a time @return all that has happened
    std::string Play(const NvmeOctets& octets, std::size_t segment)
    {
        NvmeTestLink link(m_machine);
        link.turn = [this] { Drain(); };
        link.Send(octets);
        while (link.GetPending() > 0)
        {
            link.Arrive(segment);
            Drain();
        }
        m_machine.HandleClosed(true);
        FUZZ_CHECK(m_ends == 1);
        FUZZ_CHECK(m_machine.GetState() == NvmeMachine::State::OVER);
        return m_words;
    }

  private:
    void HandleReady(const NvmeTerms& /* terms */) override
    {
        m_words += "ready;";
        if (m_isHost)
        {
            for (const uint32_t size : {0U, 512U, 4096U, 12288U})
            {
                for (const auto opcode : {NvmeOpcode::READ, NvmeOpcode::WRITE})
                {
                    m_lengths[m_host.Submit(NvmeSqe::MakeIo(opcode, 1, 0, 1), size)] = size;
                }
            }
        }
    }

    void HandleData(uint16_t cid, uint32_t offset, uint32_t size) override
    {
        m_words += "data " + std::to_string(cid) + " " + std::to_string(offset) + ";";
        FUZZ_CHECK(m_ends == 0 && size > 0);
        FUZZ_CHECK(!m_isHost || uint64_t{offset} + size <= m_lengths.at(cid));
        m_received[cid] = (offset == 0 ? 0 : m_received[cid]) + size;
        FUZZ_CHECK(m_received[cid] == offset + size); // in order
    }

    void HandleEnd(const NvmeEnd& end) override
    {
        m_words += "end " + std::to_string(int(end.kind)) + " " +
                   std::to_string(int(end.error.fes)) + " " + std::to_string(end.error.fei) + ";";
        m_ends++;
    }

    void HandleCompletion(uint16_t cid, const NvmeSqe& sqe, const NvmeCqe& cqe) override
    {
        m_words += "complete " + std::to_string(cid) + " " + std::to_string(cqe.status) + ";";
        FUZZ_CHECK(m_ends == 0 && sqe.cid == cid && m_lengths.erase(cid) == 1);
    }

    void HandleCommand(const NvmeSqe& sqe, uint32_t length) override
    {
        m_words += "command " + std::to_string(sqe.cid) + ";";
        const bool reads = sqe.GetDirection() == NvmeDirection::CONTROLLER_TO_HOST;
        const bool writes = sqe.GetDirection() == NvmeDirection::HOST_TO_CONTROLLER;
        FUZZ_CHECK(m_ends == 0 && (!writes || length == 0 || m_received[sqe.cid] == length));
        FUZZ_CHECK(m_controller.CountCommands() <= 8);
        m_controller.Complete(sqe.cid,
                              sqe.cdw[5] % 4 == 3 ? NvmeStatus::INTERNAL_ERROR
                                                  : NvmeStatus::SUCCESS,
                              0,
                              reads && sqe.cdw[5] % 4 != 3 ? length : 0);
    }

    /// See what is sent, which a framing and a codec take.
    void Drain()
    {
        const NvmeFraming framing;
        for (NvmeOutgoing out; m_machine.Pop(out);)
        {
            FUZZ_CHECK(m_sent++ < 100000);
            const auto head = out.pdu.WriteHead();
            const RecordHead said = framing.ReadHead(head.data());
            FUZZ_CHECK(said.size == out.pdu.ch.plen && said.size > 0);
            FUZZ_CHECK(nvme::IsHostToController(out.pdu.ch.type) == m_isHost);
            FUZZ_CHECK(out.own.size() <= nvme::MAX_TERM_DATA);
            FUZZ_CHECK(!m_terminated);
            m_terminated = !out.own.empty();
            FUZZ_CHECK(m_terminated == (m_ends > 0));
            if (out.pdu.ch.plen > 4000000)
            {
                break; // a peer may ask for much: what it gets is no different
            }
            m_words += std::to_string(head[0]) + ",";
        }
    }

    NvmeHostMachine m_host;                  //!< a host
    NvmeControllerMachine m_controller;      //!< a controller
    NvmeMachine& m_machine;                  //!< one of both
    bool m_isHost;                           //!< which
    std::string m_words;                     //!< all that has happened
    uint32_t m_ends{0};                      //!< times that it has ended
    uint32_t m_sent{0};                      //!< PDUs
    bool m_terminated{false};                //!< a Terminate Connection Request was sent
    std::map<uint16_t, uint32_t> m_lengths;  //!< of commands under way
    std::map<uint16_t, uint64_t> m_received; //!< octets of data by CID
};

/// @param input decides @param format of the direction @param host it is from a host @return a PDU
NvmeOctets
TakePdu(FuzzInput& input, const NvmePduFormat& format, bool host)
{
    static const NvmePduType hostTypes[] = {NvmePduType::CAPSULE_CMD,
                                            NvmePduType::H2C_DATA,
                                            NvmePduType::H2C_TERM_REQ};
    static const NvmePduType controllerTypes[] = {NvmePduType::CAPSULE_RESP,
                                                  NvmePduType::C2H_DATA,
                                                  NvmePduType::R2T};
    const NvmePduType type = (host ? hostTypes : controllerTypes)[input.Below(3)];
    const uint16_t cid = input.Octet() % 9;
    const uint32_t offset = 4 * input.Below(4096);
    const uint32_t size = 4 * input.Below(1500);
    NvmePdu pdu = NvmePdu::Make(type, NvmeTransfer{cid, input.Octet(), offset, size});
    uint32_t data = nvme::CarriesData(type) ? size : 0;
    if (type == NvmePduType::CAPSULE_CMD)
    {
        NvmeSqe sqe = NvmeSqe::MakeIo(static_cast<NvmeOpcode>(input.Octet() % 4), 1, 0, 1);
        const bool in = input.Octet() % 2 == 0;
        data = in ? size % 1024 : 0;
        sqe.cid = cid;
        sqe.sgl1 = {0, in ? data : size, in ? nvme::SGL_IN_CAPSULE : nvme::SGL_TRANSPORT};
        sqe.cdw[5] = input.Octet();
        pdu.psh = sqe;
    }
    else if (type == NvmePduType::CAPSULE_RESP)
    {
        NvmeCqe cqe;
        cqe.cid = cid;
        cqe.status = input.Octet() % 4 * 2;
        pdu.psh = cqe;
    }
    else if (type == NvmePduType::H2C_TERM_REQ)
    {
        pdu.psh = NvmeTermReq{input.Octet(), input.Word()};
        data = input.Octet() % 130;
    }
    pdu.ch.flags = input.Octet() & (nvme::LAST_PDU | nvme::SUCCESS);
    pdu.Seal(format, data);
    return pdu.Write(NvmeOctets(data, 0x5A).data());
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    FuzzInput input(data, size);
    const uint8_t bits = input.Octet();
    const bool host = (bits & 1) != 0; // under test: the peer is the other
    const bool digests = (bits & 2) != 0;
    const bool small = (bits & 4) != 0;
    const std::size_t segment = 1 + input.Below(600);
    NvmePdu first =
        host ? NvmePdu::Make(NvmePduType::IC_RESP, NvmeIcResp{0, 3, uint8_t(digests ? 3 : 0), 4096})
             : NvmePdu::Make(NvmePduType::IC_REQ, NvmeIcReq{0, 3, uint8_t(digests ? 3 : 0), 1});
    first.Seal({}, 0);
    NvmeOctets octets = (bits & 8) != 0 ? NvmeOctets() : first.Write(nullptr);
    const uint32_t alignment = host ? (small ? 16 : 4) : (small ? 64 : 4);
    while (!input.IsEmpty() && octets.size() < 100000)
    {
        if (input.Octet() % 8 == 0)
        {
            const uint32_t count = input.Octet() % 16;
            for (uint32_t i = 0; i < count; i++)
            {
                octets.push_back(input.Octet());
            }
            continue;
        }
        NvmeOctets pdu = TakePdu(input, {digests, digests, alignment}, !host);
        if (input.Octet() % 8 == 0)
        {
            pdu[input.Below(static_cast<uint32_t>(pdu.size()))] ^= input.Octet();
        }
        octets.insert(octets.end(), pdu.begin(), pdu.end());
    }
    const std::string whole = FuzzedEnd(host, digests, small).Play(octets, SIZE_MAX);
    const std::string cut = FuzzedEnd(host, digests, small).Play(octets, segment);
    FUZZ_CHECK(whole == cut); // TCP may cut the stream anywhere
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<NvmeOctets> seeds;
    for (uint8_t bits = 0; bits < 16; bits++)
    {
        // raw octets none, PDUs of each type with whatever follows
        NvmeOctets seed{bits, 0, 200};
        for (uint8_t i = 0; i < 40; i++)
        {
            const uint8_t kind = i % 3;
            for (const uint8_t octet : {uint8_t(1),
                                        uint8_t(0),
                                        kind,
                                        uint8_t(i % 8),
                                        uint8_t(0),
                                        uint8_t(0),
                                        uint8_t(0),
                                        uint8_t(128),
                                        uint8_t(0),
                                        uint8_t(1),
                                        uint8_t(i % 2),
                                        uint8_t(0),
                                        uint8_t(4),
                                        uint8_t(1)})
            {
                seed.push_back(octet);
            }
        }
        seeds.push_back(seed);
    }
    return seeds;
}
