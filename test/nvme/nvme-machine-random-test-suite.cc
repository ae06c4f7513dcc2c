/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "nvme-machine-pair.h"

#include <random>
#include <set>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(nvmeMachineRandom, "nvme-machine-random");

/// Checks by the rules of the specification what PDUs go either way, with nothing of the machines.
class NvmeObserver
{
  public:
    /// A command as the PDUs show it.
    struct Seen
    {
        NvmeSqe sqe;                   //!< it
        uint32_t asked{0};             //!< octets that R2Ts were for
        uint32_t sent{0};              //!< octets that have gone, either way
        std::deque<NvmeTransfer> r2ts; //!< outstanding
        bool last{false};              //!< the last C2HData has gone
    };

    /// @param terms expected of both
    explicit NvmeObserver(const NvmeTerms& terms)
        : m_terms(terms)
    {
    }

    /// A PDU to the controller. @param pdu it
    void SeeDown(const NvmePdu& pdu)
    {
        CheckHead(pdu, true);
        if (const auto* sqe = std::get_if<NvmeSqe>(&pdu.psh))
        {
            Check(commands.count(sqe->cid) == 0, "a CID is used once at a time");
            Seen seen;
            seen.sqe = *sqe;
            seen.sent = pdu.ch.GetDataSize();
            inCapsule += seen.sent > 0 ? 1 : 0;
            commands[sqe->cid] = seen;
            deepest = std::max<std::size_t>(deepest, commands.size());
        }
        else if (pdu.ch.type == NvmePduType::H2C_DATA)
        {
            SeeH2cData(pdu, std::get<NvmeTransfer>(pdu.psh));
        }
    }

    /// A PDU to the host. @param pdu it
    void SeeUp(const NvmePdu& pdu)
    {
        CheckHead(pdu, false);
        if (const auto* cqe = std::get_if<NvmeCqe>(&pdu.psh))
        {
            Seen& seen = Of(cqe->cid);
            const bool reads = seen.sqe.GetDirection() == NvmeDirection::CONTROLLER_TO_HOST;
            Check(!reads || seen.last || cqe->GetStatus() != NvmeStatus::SUCCESS,
                  "a response behind the last data");
            Check(seen.r2ts.empty(), "a response behind all that was asked for");
            Check(cqe->sqhd == ++completed % entries, "SQHD counts completions");
            commands.erase(cqe->cid);
            responses++;
        }
        else if (pdu.ch.type == NvmePduType::R2T)
        {
            const auto& r2t = std::get<NvmeTransfer>(pdu.psh);
            Seen& seen = Of(r2t.cccid);
            Check(r2t.datao == seen.asked, "R2Ts follow each other from 0");
            seen.asked += r2t.datal;
            Check(seen.asked <= seen.sqe.sgl1.length, "within the buffer");
            seen.r2ts.push_back(r2t);
            most = std::max<std::size_t>(most, seen.r2ts.size());
            Check(seen.r2ts.size() <= m_terms.maxR2t, "MAXR2T");
            for (const auto& [cid, other] : commands)
            {
                for (const auto& one : other.r2ts)
                {
                    Check(one.ttag != r2t.ttag || (cid == r2t.cccid && one.datao == r2t.datao),
                          "a TTAG is used once at a time");
                }
            }
        }
        else if (pdu.ch.type == NvmePduType::C2H_DATA)
        {
            SeeC2hData(pdu, std::get<NvmeTransfer>(pdu.psh));
        }
    }

    std::map<uint16_t, Seen> commands; //!< under way
    std::vector<std::string> broken;   //!< rules that were broken
    uint32_t entries{1};               //!< of the Submission Queue
    uint32_t completed{0};             //!< commands
    uint32_t responses{0};             //!< CapsuleResps
    uint32_t successes{0};             //!< C2HData with SUCCESS
    uint32_t inCapsule{0};             //!< capsules with data
    uint32_t h2cData{0};               //!< H2CData
    uint32_t turns{0};                 //!< C2HData between those of another command
    std::size_t most{0};               //!< R2Ts of a command outstanding
    std::size_t deepest{0};            //!< commands at once

  private:
    void Check(bool good, const char* rule)
    {
        if (!good)
        {
            broken.emplace_back(rule);
        }
    }

    Seen& Of(uint16_t cid)
    {
        Check(commands.count(cid) > 0, "a command that is under way");
        return commands[cid];
    }

    void CheckHead(const NvmePdu& pdu, bool down)
    {
        const NvmeCommonHeader& ch = pdu.ch;
        const bool later = ch.type != NvmePduType::IC_REQ && ch.type != NvmePduType::IC_RESP;
        const bool data = ch.GetDataSize() > 0;
        const uint32_t alignment = down ? m_terms.controllerAlignment : m_terms.hostAlignment;
        Check(((ch.flags & nvme::HDGSTF) != 0) == (later && m_terms.headerDigest), "HDGSTF");
        Check(((ch.flags & nvme::DDGSTF) != 0) == (data && m_terms.dataDigest), "DDGSTF");
        Check(!data || ch.pdo % alignment == 0, "alignment of data");
        Check(nvme::IsHostToController(ch.type) == down, "direction");
        Check(nvme::CarriesData(ch.type) || !data, "no data in a response");
    }

    void SeeH2cData(const NvmePdu& pdu, const NvmeTransfer& data)
    {
        Seen& seen = Of(data.cccid);
        h2cData++;
        Check(!seen.r2ts.empty(), "H2CData are sent for an R2T");
        if (seen.r2ts.empty())
        {
            return;
        }
        NvmeTransfer& r2t = seen.r2ts.front(); // in the order in which they came
        Check(data.ttag == r2t.ttag, "TTAG of its R2T");
        Check(data.datao == seen.sent && data.datao == r2t.datao, "H2CData follow each other");
        Check(data.datal <= r2t.datal && data.datal <= m_terms.maxH2cData, "MAXH2CDATA, R2TL");
        Check(data.datal == pdu.ch.GetDataSize(), "DATAL");
        r2t.datao += data.datal;
        r2t.datal -= data.datal;
        seen.sent += data.datal;
        Check(((pdu.ch.flags & nvme::LAST_PDU) != 0) == (r2t.datal == 0), "LAST_PDU of an R2T");
        if (r2t.datal == 0)
        {
            seen.r2ts.pop_front();
        }
    }

    void SeeC2hData(const NvmePdu& pdu, const NvmeTransfer& data)
    {
        Seen& seen = Of(data.cccid);
        Check(data.datao == seen.sent, "C2HData follow each other from 0");
        Check(data.datal == pdu.ch.GetDataSize(), "DATAL");
        seen.sent += data.datal;
        Check(seen.sent <= seen.sqe.sgl1.length, "within the buffer");
        seen.last = seen.sent == seen.sqe.sgl1.length;
        Check(((pdu.ch.flags & nvme::LAST_PDU) != 0) == seen.last, "LAST_PDU of a command");
        Check((pdu.ch.flags & nvme::SUCCESS) == 0 || seen.last, "SUCCESS in the last alone");
        turns += data.datao > 0 && data.cccid != m_before ? 1 : 0;
        m_before = data.cccid;
        if ((pdu.ch.flags & nvme::SUCCESS) != 0)
        {
            completed++;
            successes++;
            commands.erase(data.cccid);
        }
    }

    NvmeTerms m_terms;    //!< expected
    uint16_t m_before{0}; //!< command of the last C2HData
};

/// What a run of a random program came to.
struct NvmeRunCounts
{
    uint32_t responses{0}; //!< see NvmeObserver
    uint32_t successes{0}; //!< see NvmeObserver
    uint32_t inCapsule{0}; //!< see NvmeObserver
    uint32_t h2cData{0};   //!< see NvmeObserver
    uint32_t turns{0};     //!< see NvmeObserver
    uint32_t transient{0}; //!< commands that failed since their data had changed
    std::size_t most{0};   //!< see NvmeObserver
};

/// @param rng random numbers @param most the largest @return 0 to that
uint32_t
Draw(std::mt19937& rng, uint32_t most)
{
    return static_cast<uint32_t>(rng() % (uint64_t{most} + 1));
}

/// A host and a controller with random settings, and a random program.
class NvmeRandomRun
{
  public:
    /// @param seed of all that is drawn
    explicit NvmeRandomRun(uint32_t seed)
        : m_rng(RandomSeed(seed)),
          m_hostSettings(DrawHost()),
          m_controllerSettings(DrawController()),
          m_pair(m_hostSettings, m_controllerSettings),
          observer(GetExpected())
    {
        observer.entries = m_controllerSettings.queueSize;
        m_pair.toController.watch = [this](const NvmePdu& pdu) { observer.SeeDown(pdu); };
        m_pair.toHost.watch = [this](const NvmePdu& pdu) { observer.SeeUp(pdu); };
        m_pair.completed = [this](uint16_t cid) { HandleCompletion(cid); };
    }

    /// @param commands to complete @return all of them were
    bool Run(uint32_t commands)
    {
        uint32_t submitted = 0;
        for (uint32_t step = 0; step < 2000 * commands && done < commands; step++)
        {
            switch (Draw(m_rng, 6))
            {
            case 0:
                if (submitted < commands && m_pair.host.HasRoom())
                {
                    submitted++;
                    SubmitOne();
                }
                break;
            case 1:
                m_pair.SendOne(true);
                break;
            case 2:
                m_pair.SendOne(false);
                break;
            case 3:
                m_pair.toController.Arrive(1 + Draw(m_rng, Draw(m_rng, 1) == 0 ? 8 : 9000));
                break;
            case 4:
                m_pair.toHost.Arrive(1 + Draw(m_rng, Draw(m_rng, 1) == 0 ? 8 : 9000));
                break;
            case 5:
                ExecuteOne();
                break;
            default:
                m_pair.toHost.corrupt = m_hostSettings.dataDigest &&
                                        m_controllerSettings.dataDigest && Draw(m_rng, 50) == 0;
                m_pair.toController.corrupt = m_pair.toHost.corrupt;
                break;
            }
        }
        return done == commands && m_pair.ends.empty() && m_pair.at.ends.empty();
    }

    /// @return how the connection has ended, if it has
    std::string DescribeEnds() const
    {
        std::string text;
        for (const auto& end : m_pair.ends)
        {
            text += ", host: " + NvmeEndName(end, true);
        }
        for (const auto& end : m_pair.at.ends)
        {
            text += ", controller: " + NvmeEndName(end, false);
        }
        return text;
    }

    std::mt19937 m_rng;                          //!< random numbers
    NvmeHostSettings m_hostSettings;             //!< of the host
    NvmeControllerSettings m_controllerSettings; //!< of the controller
    NvmeMachinePair m_pair;                      //!< both
    NvmeObserver observer;                       //!< checks PDUs
    uint32_t done{0};                            //!< commands completed
    uint32_t transient{0};                       //!< of these, failed
    uint32_t different{0};                       //!< octets that are not as they were sent

  private:
    NvmeHostSettings DrawHost()
    {
        NvmeHostSettings settings;
        settings.headerDigest = Draw(m_rng, 1) == 0;
        settings.dataDigest = Draw(m_rng, 1) == 0;
        settings.alignment = 4 * (1 + Draw(m_rng, 31));
        settings.maxR2t = 1 + Draw(m_rng, 3);
        settings.queueDepth = 1 + Draw(m_rng, 15);
        settings.inCapsule = 4 * Draw(m_rng, 1024);
        return settings;
    }

    NvmeControllerSettings DrawController()
    {
        NvmeControllerSettings settings;
        settings.headerDigest = Draw(m_rng, 3) > 0;
        settings.dataDigest = Draw(m_rng, 3) > 0;
        settings.alignment = 4 * (1 + Draw(m_rng, 31));
        settings.maxH2cData = 4096 + 4 * Draw(m_rng, 4096);
        settings.maxR2t = 1 + Draw(m_rng, 3);
        settings.r2tLength = Draw(m_rng, 1) * 4 * (256 + Draw(m_rng, 3000));
        settings.maxC2hData = Draw(m_rng, 1) * 4 * (256 + Draw(m_rng, 3000));
        settings.inCapsule = m_hostSettings.inCapsule;
        settings.queueSize = 16 + Draw(m_rng, 100);
        settings.success = Draw(m_rng, 1) == 0;
        return settings;
    }

    NvmeTerms GetExpected() const
    {
        return {m_hostSettings.headerDigest && m_controllerSettings.headerDigest,
                m_hostSettings.dataDigest && m_controllerSettings.dataDigest,
                m_hostSettings.alignment,
                m_controllerSettings.alignment,
                std::min(m_hostSettings.maxR2t, m_controllerSettings.maxR2t),
                m_controllerSettings.maxH2cData};
    }

    NvmeOctets DrawOctets(uint32_t size)
    {
        NvmeOctets octets(size);
        for (auto& octet : octets)
        {
            octet = static_cast<uint8_t>(m_rng());
        }
        return octets;
    }

    void SubmitOne()
    {
        const bool read = Draw(m_rng, 1) == 0;
        const uint32_t size = Draw(m_rng, 9) == 0 ? 0 : 4 * (1 + Draw(m_rng, 4000));
        const auto opcode = size == 0 ? NvmeOpcode::FLUSH
                            : read    ? NvmeOpcode::READ
                                      : NvmeOpcode::WRITE;
        m_pair.Submit(NvmeSqe::MakeIo(opcode, 1, Draw(m_rng, 100000), 1), DrawOctets(size));
    }

    void ExecuteOne()
    {
        auto& waiting = m_pair.at.commands;
        if (waiting.empty())
        {
            return;
        }
        const std::size_t which = Draw(m_rng, static_cast<uint32_t>(waiting.size() - 1));
        const NvmeSqe sqe = waiting[which];
        waiting.erase(waiting.begin() + which);
        const bool reads = sqe.GetDirection() == NvmeDirection::CONTROLLER_TO_HOST;
        auto& data = m_pair.at.data[sqe.cid];
        if (!reads)
        {
            Compare(data, m_pair.written[sqe.cid]);
            data.clear();
            m_pair.controller.Complete(sqe.cid, NvmeStatus::SUCCESS);
        }
        else if (Draw(m_rng, 9) == 0)
        {
            m_failing.insert(sqe.cid);
            m_pair.controller.Complete(sqe.cid, NvmeStatus::LBA_OUT_OF_RANGE);
        }
        else
        {
            data = DrawOctets(sqe.sgl1.length);
            m_pair.controller.Complete(sqe.cid, NvmeStatus::SUCCESS, 0, sqe.sgl1.length);
        }
    }

    void HandleCompletion(uint16_t cid)
    {
        const auto& [sqe, cqe] = m_pair.completions.back();
        done++;
        if (cqe.GetStatus() == NvmeStatus::TRANSIENT_TRANSPORT_ERROR)
        {
            transient++;
        }
        else
        {
            CheckAnswer(cid, sqe, cqe.GetStatus());
        }
        m_pair.at.data[cid].clear();
    }

    void CheckAnswer(uint16_t cid, const NvmeSqe& sqe, NvmeStatus status)
    {
        const bool failing = m_failing.erase(cid) > 0;
        different += failing == (status == NvmeStatus::LBA_OUT_OF_RANGE) ? 0 : 1;
        if (sqe.GetDirection() == NvmeDirection::CONTROLLER_TO_HOST && !failing)
        {
            Compare(m_pair.read[cid], m_pair.at.data[cid]);
        }
    }

    void Compare(const NvmeOctets& a, const NvmeOctets& b)
    {
        different += a.size() == b.size() ? 0 : 1;
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); i++)
        {
            different += a[i] != b[i] ? 1 : 0;
        }
    }

    std::set<uint16_t> m_failing; //!< commands whose answer is an error
};

} // namespace

/// @brief Whatever both ends settle and do, and however octets are cut, every command completes
/// once, with the octets that were sent, and no rule is broken.
IWARP_TEST(nvmeMachineRandom, "random programs between host and controller")
{
    NvmeRunCounts all;
    for (uint32_t seed = 1; seed <= 150; seed++)
    {
        NvmeRandomRun run(seed);
        const bool complete = run.Run(60);
        NS_TEST_ASSERT_MSG_EQ(complete,
                              true,
                              "seed " << seed << ": " << run.done << " of 60"
                                      << run.DescribeEnds());
        NS_TEST_ASSERT_MSG_EQ(run.different, 0, "seed " << seed << ": octets as sent");
        NS_TEST_ASSERT_MSG_EQ((run.observer.broken.empty() ? "" : run.observer.broken[0]),
                              "",
                              "seed " << seed);
        NS_TEST_ASSERT_MSG_LT_OR_EQ(run.observer.deepest,
                                    run.m_hostSettings.queueDepth,
                                    "no more commands than the queue has room for");
        all.responses += run.observer.responses;
        all.successes += run.observer.successes;
        all.inCapsule += run.observer.inCapsule;
        all.h2cData += run.observer.h2cData;
        all.turns += run.observer.turns;
        all.transient += run.transient;
        all.most = std::max(all.most, run.observer.most);
    }
    IWARP_COVERS("NVT-2-03 NVT-3.3-01 NVT-3.3.1-02 NVT-3.3.1.1-05 NVT-3.3.1.1-09 NVT-3.3.2.1-01 "
                 "NVT-3.3.2.1-05 NVT-3.3.2.1-07 NVT-3.3.2.1-08 NVT-3.3.2.2-01 NVT-3.3.2.2-04 "
                 "NVT-3.3.2.2-05 NVT-3.3.2.2-06 NVT-3.3.2.2-07 NVT-3.3.2.2-11 NVT-3.3.2.2-12 "
                 "NVT-3.3.2.2-15 NVT-3.3.2.2-17");
    NS_TEST_EXPECT_MSG_GT(all.responses, 1000, "responses");
    NS_TEST_EXPECT_MSG_GT(all.successes, 500, "completions by SUCCESS");
    NS_TEST_EXPECT_MSG_GT(all.inCapsule, 300, "data in capsules");
    NS_TEST_EXPECT_MSG_GT(all.h2cData, 1000, "data for R2Ts");
    NS_TEST_EXPECT_MSG_GT(all.turns, 100, "C2HData of several commands take turns");
    IWARP_COVERS("NVT-3.3.2.1-12");
    NS_TEST_EXPECT_MSG_GT(all.transient, 20, "commands whose data had changed");
    NS_TEST_EXPECT_MSG_GT(all.most, 2, "R2Ts at once");
}
