/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_FIELDS_H
#define IWARP_TRACE_FIELDS_H

#include "iwarp-trace-words.h"

#include "ns3/data-rate.h"
#include "ns3/ddp-header.h"
#include "ns3/esp-work.h"
#include "ns3/ipsec-association.h"
#include "ns3/ipsec-selector.h"
#include "ns3/mpa-receiver.h"
#include "ns3/nstime.h"
#include "ns3/nvme-command.h"
#include "ns3/nvme-machine.h"
#include "ns3/nvme-pdu.h"
#include "ns3/packet.h"
#include "ns3/queue-item.h"
#include "ns3/rdma-perf-report.h"
#include "ns3/rdma-types.h"
#include "ns3/rdmap-terminate.h"
#include "ns3/record-segment-report.h"
#include "ns3/rnic-ops.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"
#include "ns3/tls-connection.h"

#include <sstream>
#include <type_traits>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The cells of a row, filled from the left.
 */
class TraceRow
{
  public:
    /// Begin a row. @param cells of all columns
    explicit TraceRow(std::vector<TraceCells>& cells)
        : m_next(cells.data())
    {
    }

    /// Fill the next cell. @tparam T of its column @param value it
    template <typename T>
    void Add(T value)
    {
        (m_next++)->Add(value);
    }

    /// Fill the next cell. @param word it
    void AddWord(const std::string& word)
    {
        (m_next++)->AddWord(word);
    }

  private:
    TraceCells* m_next; //!< cells to be filled next
};

/// @ingroup iwarp-helper
/// @brief What columns an argument of a trace source becomes: TYPES, and Put() that fills them.
/// Objects become none: a row says whose it is.
/// @tparam T the argument, without const and reference
template <typename T, typename = void>
struct TraceField
{
    /// @return types of the columns
    static std::vector<TraceType> Types()
    {
        return {};
    }

    /// Fill nothing.
    static void Put(TraceRow& /* row */, const T& /* value */)
    {
    }
};

/// A number: the narrowest type of a table that holds it
template <typename T>
struct TraceField<T, std::enable_if_t<std::is_arithmetic_v<T>>>
{
    /// Integers, by sign and size
    using Whole =
        std::conditional_t<std::is_signed_v<T>,
                           int64_t,
                           std::conditional_t<(sizeof(T) <= sizeof(uint32_t)), uint32_t, uint64_t>>;
    /// What is stored
    using Stored =
        std::conditional_t<std::is_same_v<T, bool>,
                           uint8_t,
                           std::conditional_t<std::is_floating_point_v<T>, double, Whole>>;

    /// @return types of the columns
    static std::vector<TraceType> Types()
    {
        return {std::is_same_v<Stored, uint8_t>    ? TraceType::BOOL
                : std::is_same_v<Stored, uint32_t> ? TraceType::UINT32
                : std::is_same_v<Stored, uint64_t> ? TraceType::UINT64
                : std::is_same_v<Stored, int64_t>  ? TraceType::INT64
                                                   : TraceType::DOUBLE};
    }

    /// @param row to fill @param value the argument
    static void Put(TraceRow& row, T value)
    {
        row.Add(static_cast<Stored>(value));
    }
};

/// A value of an enum: its word
template <typename T>
struct TraceField<T, std::enable_if_t<std::is_enum_v<T>>>
{
    /// @return types of the columns
    static std::vector<TraceType> Types()
    {
        return {TraceType::STRING};
    }

    /// @param row to fill @param value the argument
    static void Put(TraceRow& row, T value)
    {
        row.AddWord(NameTraced(value));
    }
};

/// Make what other arguments become. @param Type the argument @param ... types of its columns
#define IWARP_TRACE_FIELD(Type, ...)                                                               \
    template <>                                                                                    \
    struct TraceField<Type>                                                                        \
    {                                                                                              \
        static std::vector<TraceType> Types()                                                      \
        {                                                                                          \
            using T = TraceType;                                                                   \
            return {__VA_ARGS__};                                                                  \
        }                                                                                          \
                                                                                                   \
        static void Put(TraceRow& row, const Type& value);                                         \
    };                                                                                             \
                                                                                                   \
    inline void TraceField<Type>::Put(TraceRow& row, [[maybe_unused]] const Type& value)

IWARP_TRACE_FIELD(std::string, T::STRING)
{
    row.AddWord(value);
}

IWARP_TRACE_FIELD(Time, T::INT64)
{
    row.Add(value.GetNanoSeconds());
}

IWARP_TRACE_FIELD(SequenceNumber32, T::UINT32)
{
    row.Add(value.GetValue());
}

IWARP_TRACE_FIELD(DataRate, T::UINT64)
{
    row.Add(value.GetBitRate());
}

IWARP_TRACE_FIELD(Ptr<const Packet>, T::UINT32, T::UINT64)
{
    row.Add(value ? value->GetSize() : 0);
    row.Add(value ? value->GetUid() : uint64_t{0});
}

IWARP_TRACE_FIELD(Ptr<const QueueDiscItem>, T::UINT32, T::UINT64)
{
    row.Add(value->GetSize());
    row.Add(value->GetPacket()->GetUid());
}

IWARP_TRACE_FIELD(TcpHeader, T::UINT32, T::UINT32, T::STRING, T::UINT32)
{
    row.Add(value.GetSequenceNumber().GetValue());
    row.Add(value.GetAckNumber().GetValue());
    row.AddWord(TcpHeader::FlagsToString(value.GetFlags()));
    row.Add(uint32_t{value.GetWindowSize()});
}

IWARP_TRACE_FIELD(Address, T::STRING)
{
    row.AddWord(NameAddress(value));
}

IWARP_TRACE_FIELD(MpaUlpdu, T::UINT32, T::UINT32, T::UINT32, T::BOOL, T::BOOL)
{
    row.Add(value.seq);
    row.Add(value.wireSize);
    row.Add(value.length);
    row.Add(uint8_t{value.inOrder});
    row.Add(uint8_t{value.aligned});
}

IWARP_TRACE_FIELD(RecordSegmentReport,
                  T::BOOL,
                  T::BOOL,
                  T::BOOL,
                  T::BOOL,
                  T::BOOL,
                  T::UINT32,
                  T::UINT32,
                  T::UINT32,
                  T::UINT32)
{
    row.Add(uint8_t{value.inOrder});
    row.Add(uint8_t{value.aligned});
    row.Add(uint8_t{value.duplicate});
    row.Add(uint8_t{value.dropped});
    row.Add(uint8_t{value.memoryFull});
    row.Add(value.passed);
    row.Add(value.passedOutOfOrder);
    row.Add(value.stored);
    row.Add(value.markerSearches);
}

IWARP_TRACE_FIELD(DdpHeader,
                  T::BOOL,
                  T::BOOL,
                  T::UINT32,
                  T::UINT64,
                  T::UINT32,
                  T::UINT32,
                  T::UINT32)
{
    row.Add(uint8_t{value.tagged});
    row.Add(uint8_t{value.last});
    row.Add(value.stag);
    row.Add(value.to);
    row.Add(value.qn);
    row.Add(value.msn);
    row.Add(value.mo);
}

IWARP_TRACE_FIELD(RdmapTerminate, T::UINT32, T::UINT32, T::UINT32)
{
    row.Add(uint32_t{value.layer});
    row.Add(uint32_t{value.type});
    row.Add(uint32_t{value.code});
}

IWARP_TRACE_FIELD(RdmaCompletion, T::UINT64, T::UINT32, T::STRING, T::UINT32, T::UINT32)
{
    row.Add(value.id);
    row.Add(static_cast<uint32_t>(value.status));
    row.AddWord(NameTraced(value.opcode));
    row.Add(value.octets);
    row.Add(value.qpNumber);
}

IWARP_TRACE_FIELD(RdmaPerfReport, T::UINT32, T::UINT64, T::DOUBLE, T::INT64)
{
    row.Add(value.size);
    row.Add(value.iterations);
    row.Add(static_cast<double>(value.bwAverage.GetBitRate()));
    row.Add(value.tTypical.GetNanoSeconds());
}

IWARP_TRACE_FIELD(RnicOps, T::UINT64, T::UINT64, T::UINT64, T::UINT64, T::UINT64, T::UINT64)
{
    row.Add(value.stateFetch);
    row.Add(value.markerSearch);
    row.Add(value.crcRun);
    row.Add(value.crcOctets);
    row.Add(value.copy);
    row.Add(value.localStore);
}

IWARP_TRACE_FIELD(EspWork, T::UINT64, T::UINT32, T::UINT32)
{
    row.Add(value.association);
    row.Add(value.clear);
    row.Add(value.sealed);
}

IWARP_TRACE_FIELD(IpsecFlow, T::STRING, T::STRING, T::UINT32, T::UINT32, T::UINT32)
{
    row.AddWord(value.source.ToString());
    row.AddWord(value.destination.ToString());
    row.Add(uint32_t{value.protocol});
    row.Add(uint32_t{value.sourcePort});
    row.Add(uint32_t{value.destinationPort});
}

IWARP_TRACE_FIELD(IpsecAssociationConfig, T::UINT32, T::STRING, T::STRING)
{
    row.Add(value.spi);
    row.AddWord(value.source.ToString());
    row.AddWord(value.destination.ToString());
}

IWARP_TRACE_FIELD(NvmePdu, T::STRING, T::UINT32)
{
    row.AddWord(nvme::GetPduName(value.ch.type));
    row.Add(value.ch.plen);
}

IWARP_TRACE_FIELD(NvmeSqe, T::UINT32, T::UINT32, T::UINT32)
{
    row.Add(uint32_t{value.opcode});
    row.Add(uint32_t{value.cid});
    row.Add(value.nsid);
}

IWARP_TRACE_FIELD(NvmeCqe, T::UINT32)
{
    row.Add(uint32_t{value.status});
}

IWARP_TRACE_FIELD(NvmeEnd, T::STRING)
{
    row.AddWord(NameTraced(value.kind));
}

IWARP_TRACE_FIELD(TlsRecordReport, T::STRING, T::UINT32, T::UINT32, T::UINT32, T::BOOL, T::UINT64)
{
    row.AddWord(NameTraced(value.type));
    row.Add(value.content);
    row.Add(value.padding);
    row.Add(value.size);
    row.Add(uint8_t{value.encrypted});
    row.Add(value.sequence);
}

#undef IWARP_TRACE_FIELD

/// What a C string becomes
template <>
struct TraceField<const char*>
{
    /// @return types of the columns
    static std::vector<TraceType> Types()
    {
        return {TraceType::STRING};
    }

    /// @param row to fill @param value it
    static void Put(TraceRow& row, const char* value)
    {
        row.AddWord(value);
    }
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_FIELDS_H
