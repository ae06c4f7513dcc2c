/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_ASCII_TRACE_H
#define IWARP_ASCII_TRACE_H

#include "ns3/mpa-stream.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/simple-ref-count.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Writes the events of MPA streams as lines of text, see IwarpHelper::EnableAscii().
 *
 * Lines: `TIME node=N fpdu-sent seq=S ulpdu=L wire=W`, `passed seq=S ulpdu=L in-order=B wait=T`,
 * `delivered ulpdus=N`, `segment seq=S size=N header-aligned=B fpdu-aligned=B`, `drop seq=S
 * size=N`, `error code=N text`, `startup state=N`.
 */
class IwarpAsciiTrace : public SimpleRefCount<IwarpAsciiTrace>
{
  public:
    /// Write lines for one node. @param stream where lines go @param node number of the node to
    /// write into them
    IwarpAsciiTrace(Ptr<OutputStreamWrapper> stream, uint32_t node);

    /// Write the events of a stream from here on. @param stream it
    void Watch(Ptr<MpaStream> stream);

  private:
    std::ostream& Line(const char* event); //!< @param event name @return where its figures go
    // trace sinks, with the signatures of MpaStream's traces
    void FpduSent(uint32_t seq, uint32_t ulpduLength, uint32_t wireSize);      //!< FpduSent
    void Passed(const MpaUlpdu& ulpdu, Time wait);                             //!< Passed
    void Delivered(uint32_t count);                                            //!< Delivered
    void Classified(uint32_t seq, uint32_t size, bool header, bool fpdu);      //!< Classified
    void Drop(uint32_t seq, uint32_t size, MpaStream::DropReason reason);      //!< Drop
    void Error(MpaError error, const std::string& reason);                     //!< Error
    void StartupState(MpaStartup::State oldState, MpaStartup::State newState); //!< StartupState

    Ptr<OutputStreamWrapper> m_stream; //!< where lines go
    uint32_t m_node;                   //!< number of the node
};

} // namespace ns3

#endif // IWARP_ASCII_TRACE_H
