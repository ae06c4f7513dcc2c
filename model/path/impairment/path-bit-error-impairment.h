/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_BIT_ERROR_IMPAIRMENT_H
#define PATH_BIT_ERROR_IMPAIRMENT_H

#include "path-impairment.h"

#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Changes bits of TCP's payload, or of what ESP protects, each with the same probability.
 *
 * The checksum of TCP is kept right, as it is where a router or a host spoils data that it then
 * sends with a new checksum: the errors for which MPA has a CRC (RFC 5044 section 2.1). With
 * Detected the packet is dropped instead, as the FCS of Ethernet or TCP's checksum would have it.
 * ESP has no checksum; its receiver finds the ICV wrong. Of n bits none is changed with the
 * probability (1 - Rate)^n.
 *
 * Payload without real octets gets them only where a bit is changed.
 */
class PathBitErrorImpairment : public PathImpairment
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathBitErrorImpairment();
    ~PathBitErrorImpairment() override;

    std::string GetIdleAttribute() const override;

  private:
    int64_t DoAssignStreams(int64_t stream) override;
    bool Impair(Ptr<Packet> packet) override;

    uint64_t DrawGap(); //!< Draw the bits up to the next error. @return number of good ones
    /// Draw the errors of a packet. @param bits that it has @return those with errors, ascending
    std::vector<uint64_t> DrawBits(uint64_t bits);

    double m_rate;                              //!< probability of each bit
    bool m_detected;                            //!< drop the packet
    bool m_begun{false};                        //!< m_next is set
    uint64_t m_next{0};                         //!< good bits up to the next error
    Ptr<UniformRandomVariable> m_random;        //!< decides
    TracedCallback<Ptr<const Packet>> m_errors; //!< a packet has errors
};

} // namespace ns3

#endif // PATH_BIT_ERROR_IMPAIRMENT_H
