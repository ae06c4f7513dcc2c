/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-decoder.h"

#include "ns3/decode-capture.h"
#include "ns3/decode-esp.h"
#include "ns3/decode-json.h"
#include "ns3/decode-session.h"
#include "ns3/decode-text.h"
#include "ns3/decode-timeline.h"
#include "ns3/decode-tls.h"

#include <filesystem>
#include <memory>
#include <utility>

namespace ns3
{

namespace
{

/// @param capture PREFIX-NODE.pcap @return PREFIX; "" if it has no such name
std::string
FindPrefix(const std::string& capture)
{
    const std::string ending = ".pcap";
    const std::size_t dash = capture.find_last_of("-/");
    if (dash == std::string::npos || capture[dash] != '-' ||
        capture.size() < dash + 1 + ending.size() ||
        capture.compare(capture.size() - ending.size(), ending.size(), ending) != 0)
    {
        return "";
    }
    return capture.substr(0, dash);
}

/// @param file of a run @return the same, "" if there is none
std::string
FindFile(const std::string& file)
{
    std::error_code error;
    return std::filesystem::is_regular_file(file, error) ? file : "";
}

/// @param capture PREFIX-NODE.pcap @return PREFIX-esp_sa if there is such a file, or ""
std::string
FindEspKeys(const std::string& capture)
{
    const std::string prefix = FindPrefix(capture);
    return prefix.empty() || !EspCodec::HasReal()
               ? ""
               : FindFile(GetWiresharkFile(prefix, WiresharkTable::TEN_COLUMNS));
}

/// @param capture PREFIX-NODE.pcap @return PREFIX-keys if there is such a file, or ""
std::string
FindTlsKeys(const std::string& capture)
{
    const std::string prefix = FindPrefix(capture);
    return prefix.empty() ? "" : FindFile(prefix + "-keys");
}

} // namespace

/// Decodes a capture, and writes what is found as text or JSON.
class IwarpDecoder::Writer : public DecodeListener
{
  public:
    Format format{TEXT};                //!< what to write
    DecodeConfig config;                //!< what the user wants
    DecodeListener* listener{nullptr};  //!< takes what is found
    std::string error;                  //!< why Open() failed
    uint64_t malformed{0};              //!< errors
    uint32_t streams{0};                //!< connections with MPA
    DecodeCapture capture;              //!< the file
    std::shared_ptr<TlsKeyLog> secrets; //!< of TLS; none: its records stay closed

    void Found(const DecodeEvent& event) override
    {
        malformed += event.kind == DecodeEvent::Kind::ERROR ? 1 : 0;
        if (event.from && event.stream >= streams)
        {
            streams = event.stream + 1;
        }
        const int64_t start = m_session->GetTotals().start;
        if (format == TEXT)
        {
            DecodeToText(event, start, m_out);
        }
        else if (format == JSON)
        {
            DecodeToJson(event, start, m_out);
        }
        else if (format == ROWS)
        {
            m_timeline.Found(event);
        }
        if (listener)
        {
            listener->Found(event);
        }
    }

    void Seen(const DecodeConnection& connection,
              unsigned side,
              const DecodeSegment& segment,
              const DecodeFrame& frame) override
    {
        if (format == ROWS)
        {
            m_timeline.Seen(connection, side, segment, frame);
        }
    }

    /// @param opened there is a capture @return the same, or false if no link type in it is known
    bool Begin(bool opened)
    {
        error = capture.GetError();
        m_done = !opened;
        if (!opened)
        {
            return false;
        }
        DecodeFrame frame;
        bool known = false;
        uint64_t frames = 0;
        while (!known && capture.Next(frame))
        {
            known = DecodeIsSupported(frame.linkType);
            frames++;
        }
        if (!known && frames > 0)
        {
            error = "link type " + std::to_string(frame.linkType) + " is not supported";
            m_done = true;
            return false;
        }
        capture.Rewind();
        m_tls = std::make_unique<DecodeFramer::Registration>(
            [log = secrets] { return std::make_unique<DecodeTls>(log); });
        m_session = std::make_unique<DecodeSession>(config, *this);
        return true;
    }

    /// See Read(). @param size enough @return text
    std::string Read(std::size_t size)
    {
        m_out.reserve(size + 4096);
        DecodeFrame frame;
        while (!m_done && m_out.size() < size)
        {
            if (capture.Next(frame))
            {
                m_session->Frame(frame);
            }
            else
            {
                Finish();
            }
        }
        return std::exchange(m_out, std::string());
    }

  private:
    void Finish()
    {
        m_done = true;
        m_session->Finish();
        uint64_t errors = 0;
        if (!capture.GetError().empty())
        {
            DecodeEvent event;
            event.kind = DecodeEvent::Kind::ERROR;
            event.layer = DecodeLayer::CAPTURE;
            event.frame = m_session->GetTotals().frames + 1;
            event.time = m_session->GetTotals().end;
            event.text = capture.GetError();
            Found(event);
            errors = 1;
        }
        if (format == ROWS)
        {
            m_timeline.Write(*m_session, m_out);
        }
        if (format == JSON || format == ROWS)
        {
            DecodeToJson(*m_session, errors, m_out);
        }
        else
        {
            DecodeToText(*m_session, errors, m_out);
        }
    }

    std::unique_ptr<DecodeFramer::Registration> m_tls; //!< TLS's records, with the secrets
    std::unique_ptr<DecodeSession> m_session;          //!< connections
    DecodeTimeline m_timeline;                         //!< rows
    bool m_done{true};                                 //!< everything is read
    std::string m_out;                                 //!< text not yet taken
};

IwarpDecoder::IwarpDecoder()
    : m_writer(std::make_unique<Writer>())
{
}

IwarpDecoder::~IwarpDecoder() = default;

void
IwarpDecoder::SetFormat(Format format)
{
    m_writer->format = format;
}

void
IwarpDecoder::AddPort(uint16_t port)
{
    m_writer->config.ports.push_back(port);
}

void
IwarpDecoder::SetMpaOnly()
{
    m_writer->config.mpaOnly = true;
}

void
IwarpDecoder::SetListener(DecodeListener* listener)
{
    m_writer->listener = listener;
}

bool
IwarpDecoder::ReadEspKeys(const std::string& file)
{
    auto esp = std::make_shared<DecodeEsp>();
    m_writer->error = esp->Read(file);
    m_writer->config.esp = esp;
    return m_writer->error.empty();
}

bool
IwarpDecoder::ReadTlsKeys(const std::string& file)
{
    m_writer->secrets = std::make_shared<TlsKeyLog>();
    m_writer->error = m_writer->secrets->Read(file);
    return m_writer->error.empty();
}

bool
IwarpDecoder::Open(const std::string& file)
{
    const std::string keys = m_writer->config.esp ? "" : FindEspKeys(file);
    const std::string secrets = m_writer->secrets ? "" : FindTlsKeys(file);
    if ((!keys.empty() && !ReadEspKeys(keys)) || (!secrets.empty() && !ReadTlsKeys(secrets)))
    {
        return false;
    }
    return m_writer->Begin(m_writer->capture.Open(file));
}

bool
IwarpDecoder::Attach(const uint8_t* data, std::size_t size)
{
    return m_writer->Begin(m_writer->capture.Attach(data, size));
}

std::string
IwarpDecoder::Read(std::size_t size)
{
    return m_writer->Read(size);
}

const std::string&
IwarpDecoder::GetError() const
{
    return m_writer->error;
}

uint64_t
IwarpDecoder::GetMalformed() const
{
    return m_writer->malformed;
}

uint32_t
IwarpDecoder::GetStreams() const
{
    return m_writer->streams;
}

} // namespace ns3
