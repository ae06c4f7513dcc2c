/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/packet.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup internet-test
 *
 * @brief SACK blocks of what is acknowledged, or was never sent, say nothing new.
 */
class TcpSackBlocksTest : public TestCase
{
  public:
    /**
     * @brief Constructor.
     * @param desc Test description.
     * @param acked How much is acknowledged of 4000 octets.
     * @param left First octet of the block, from the first octet.
     * @param right First octet behind it.
     */
    TcpSackBlocksTest(const std::string& desc, uint32_t acked, uint32_t left, uint32_t right);

  private:
    void DoRun() override;

    uint32_t m_acked; //!< How much is acknowledged
    uint32_t m_left;  //!< First octet of the block
    uint32_t m_right; //!< First octet behind it
};

TcpSackBlocksTest::TcpSackBlocksTest(const std::string& desc,
                                     uint32_t acked,
                                     uint32_t left,
                                     uint32_t right)
    : TestCase(desc),
      m_acked(acked),
      m_left(left),
      m_right(right)
{
}

void
TcpSackBlocksTest::DoRun()
{
    const SequenceNumber32 first(1);
    Ptr<TcpTxBuffer> buffer = CreateObject<TcpTxBuffer>();
    buffer->SetRWndCallback(MakeCallback(+[]() { return 65535U; }));
    buffer->SetHeadSequence(first);
    buffer->SetSegmentSize(1000);
    buffer->SetDupAckThresh(3);
    buffer->Add(Create<Packet>(4000));
    for (uint32_t sent = 0; sent < 4000; sent += 1000)
    {
        buffer->CopyFromSequence(1000, first + sent);
    }
    buffer->DiscardUpTo(first + m_acked);

    const TcpOptionSack::SackList blocks{{first + m_left, first + m_right}};
    NS_TEST_EXPECT_MSG_EQ(buffer->Update(blocks), 0, "The block says something new");
    NS_TEST_EXPECT_MSG_EQ(buffer->GetSacked(), 0, "Octets count as received");
    NS_TEST_EXPECT_MSG_EQ(buffer->BytesInFlight(), 4000 - m_acked, "Octets in flight");
}

/**
 * @ingroup internet-test
 *
 * @brief SACK blocks: TestSuite
 */
class TcpSackBlocksTestSuite : public TestSuite
{
  public:
    TcpSackBlocksTestSuite()
        : TestSuite("tcp-sack-blocks-test", Type::UNIT)
    {
        AddTestCase(new TcpSackBlocksTest("octets that came twice, data in flight", 2000, 0, 1000),
                    TestCase::Duration::QUICK);
        AddTestCase(new TcpSackBlocksTest("a block of the octet expected next", 1000, 1000, 2000),
                    TestCase::Duration::QUICK);
        AddTestCase(
            new TcpSackBlocksTest("a block that begins with what is acknowledged", 1000, 0, 3000),
            TestCase::Duration::QUICK);
        AddTestCase(
            new TcpSackBlocksTest("octets that came twice, nothing in flight", 4000, 0, 1000),
            TestCase::Duration::QUICK);
    }
};

static TcpSackBlocksTestSuite g_tcpSackBlocksTestSuite; //!< Static variable for test initialization
