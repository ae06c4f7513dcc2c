/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_RECEIVER_TEST_UTIL_H
#define MPA_RECEIVER_TEST_UTIL_H

#include "mpa-test-util.h"

#include "ns3/mpa-receiver.h"
#include "ns3/util-crc32c.h"

#include <algorithm>
#include <string>
#include <vector>

namespace mpatest
{

/// A stream of FPDUs and where they lie in it.
struct Stream
{
    /// One FPDU.
    struct Fpdu
    {
        uint32_t start; //!< position
        uint32_t end;   //!< position behind it
        Octets ulpdu;   //!< what was posted
        bool marker;    //!< it holds a Marker
    };

    ns3::mpa::FpduFormat format; //!< framing
    Octets octets;               //!< the stream
    std::vector<Fpdu> fpdus;     //!< what is in it

    /// @param markers Markers in use @param crc CRC in use
    explicit Stream(bool markers, bool crc = true)
        : format{markers, crc}
    {
    }

    /// @param ulpdu posted next
    void Post(const Octets& ulpdu)
    {
        const auto start = static_cast<uint32_t>(octets.size());
        const auto size = static_cast<uint32_t>(ulpdu.size());
        const uint32_t wire = ns3::mpa::WireSize(size, start, format.markers);
        octets.resize(start + wire);
        ns3::mpa::EncodeFpdu(&octets[start], ulpdu.data(), size, nullptr, 0, start, format);
        const uint32_t d = ns3::mpa::DistanceToMarker(start);
        fpdus.push_back({start, start + wire, ulpdu, format.markers && d < wire});
    }

    /// @param sizes ULPDUs posted next, each octet telling its place in the stream
    void PostSizes(const std::vector<uint32_t>& sizes)
    {
        for (uint32_t size : sizes)
        {
            Octets ulpdu(size);
            for (uint32_t i = 0; i < size; ++i)
            {
                ulpdu[i] = static_cast<uint8_t>((fpdus.size() + 1) * 37 + i * 11 + i / 251);
            }
            Post(ulpdu);
        }
    }

    /// Compute the CRC of an FPDU anew. @param index which
    void FixCrc(std::size_t index)
    {
        const Fpdu& f = fpdus[index];
        ns3::iwarp::Crc32c crc;
        crc.Update(&octets[f.start], f.end - f.start - 4);
        crc.Write(&octets[f.end - 4]);
    }
};

/// @param stream what is to come @param seqStart its first sequence number @return configuration
inline ns3::MpaReceiverConfig
ReceiverConfig(const Stream& stream, uint32_t seqStart = 1000)
{
    ns3::MpaReceiverConfig config;
    config.seqStart = seqStart;
    config.format = stream.format;
    return config;
}

/// A receiver and what came out of it.
class ReceiverProbe : public ns3::MpaReceiver::Listener
{
  public:
    /// A call of Pass().
    struct Passed
    {
        ns3::MpaUlpdu ulpdu; //!< what came; its data are in @ref octets
        Octets octets;       //!< the ULPDU
    };

    /// A call of Classified().
    struct Class
    {
        uint32_t seq;  //!< sequence number
        uint32_t size; //!< octets
        bool header;   //!< begins with an FPDU
        bool fpdu;     //!< whole FPDUs only

        /// @param o other @return equal
        bool operator==(const Class& o) const
        {
            return seq == o.seq && size == o.size && header == o.header && fpdu == o.fpdu;
        }

        /// @param o other @return an order
        bool operator<(const Class& o) const
        {
            return seq != o.seq ? seq < o.seq : size < o.size;
        }
    };

    /// @param config how the receiver works
    explicit ReceiverProbe(const ns3::MpaReceiverConfig& config)
        : receiver(config, *this),
          m_seqStart(config.seqStart)
    {
    }

    /// @param stream where from @param from first position @param to behind the last
    /// @param stamp goes with the segment @return what the receiver says
    ns3::RecordSegmentReport Feed(const Stream& stream,
                                  uint32_t from,
                                  uint32_t to,
                                  uint64_t stamp = 0)
    {
        // in memory of its own, so that a sanitizer sees who reads beyond or too late
        const Octets segment(stream.octets.begin() + from, stream.octets.begin() + to);
        return receiver.Segment(m_seqStart + from, segment.data(), to - from, stamp);
    }

    /// @return positions of the FPDUs passed, in the order of the calls, e.g. "0 52+ " where + is
    /// "in order"
    std::string Order() const
    {
        std::string text;
        for (const auto& p : passed)
        {
            text += std::to_string(p.ulpdu.seq - m_seqStart) + (p.ulpdu.inOrder ? "+ " : " ");
        }
        return text;
    }

    /// @param stream what was sent @return everything passed is what was posted
    bool Same(const Stream& stream) const
    {
        return std::all_of(passed.begin(), passed.end(), [&](const Passed& p) {
            const uint32_t at = p.ulpdu.seq - m_seqStart;
            const auto f = std::find_if(stream.fpdus.begin(),
                                        stream.fpdus.end(),
                                        [at](const Stream::Fpdu& s) { return s.start == at; });
            return f != stream.fpdus.end() && f->ulpdu == p.octets &&
                   f->end - f->start == p.ulpdu.wireSize;
        });
    }

    void Pass(const ns3::MpaUlpdu& ulpdu) override
    {
        passed.push_back({ulpdu, Octets(ulpdu.data, ulpdu.data + ulpdu.length)});
        passedAfterError += errors.empty() ? 0 : 1;
    }

    void Deliver(uint32_t count) override
    {
        delivered += count;
        deliveredAfterError += errors.empty() ? 0 : count;
    }

    void Error(ns3::MpaError error, uint32_t seq) override
    {
        errors.push_back(static_cast<int>(error));
        errorAt = seq - m_seqStart;
    }

    void Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned) override
    {
        classes.push_back({seq - m_seqStart, size, headerAligned, fpduAligned});
    }

    ns3::MpaReceiver receiver;       //!< the receiver
    std::vector<Passed> passed;      //!< calls of Pass()
    std::vector<Class> classes;      //!< calls of Classified()
    std::vector<int> errors;         //!< calls of Error()
    uint32_t errorAt{0};             //!< position of the last error
    uint32_t delivered{0};           //!< sum of Deliver()
    uint32_t passedAfterError{0};    //!< must stay 0
    uint32_t deliveredAfterError{0}; //!< must stay 0

  private:
    uint32_t m_seqStart; //!< as configured
};

} // namespace mpatest

#endif // MPA_RECEIVER_TEST_UTIL_H
