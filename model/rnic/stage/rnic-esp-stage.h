/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ESP_STAGE_H
#define RNIC_ESP_STAGE_H

#include "ns3/esp-engine.h"
#include "ns3/rnic-link.h"
#include "ns3/rnic-part.h"
#include "ns3/rnic-server.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RnicAssociationCache;
class RnicCpu;
class RnicHostInterface;

/**
 * @ingroup iwarp-rnic
 * @brief Crypto engines of an adapter, for what goes out and what comes in together: those who come
 * first are served first, whichever way they go. So what one direction takes the other has not: of
 * work of t for a packet both together have at most Engines / t packets a second.
 */
class RnicEspCore : public RnicPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;
    bool IsIdeal() const override;

    /**
     * @brief Occupy an engine.
     * @param now ps, the clock
     * @param at ps, when the work is there
     * @param engine any number, modulo engines
     * @param work ps that it takes
     * @return ps, when it is done
     */
    RnicTime Use(RnicTime now, RnicTime at, uint64_t engine, RnicTime work);

    /// Count the engines. @return see Engines; 0 if each direction has its own
    uint32_t GetEngines() const;
    /// Sum up the work done or booked. @return ps, all engines and both directions together
    RnicTime GetBusy() const;

  protected:
    void DoInitialize() override;

  private:
    uint32_t m_count{0};             //!< see Engines
    std::vector<RnicLink> m_engines; //!< engines
};

/**
 * @ingroup iwarp-rnic
 * @brief A stage that protects segments by ESP, or takes the protection off: what a packet costs,
 * wherever that is done.
 *
 * A segment needs the context of its association, from part AssociationCache, and then work. The
 * frame is another behind the stage. Segments without protection pass.
 */
class RnicEspStage : public RnicStage
{
  public:
    /// What a stage has done.
    struct Statistics
    {
        uint64_t packets{0};     //!< packets served
        uint64_t octets{0};      //!< that the cipher worked on
        RnicTime work{0};        //!< ps of work, all engines or CPUs together
        RnicTime contextWait{0}; //!< ps for which packets waited for their context, all together
        RnicTime spent{0};       //!< ps that packets were in the stage, all together
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicEspStage();
    ~RnicEspStage() override;

    std::string Check() const override;
    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;
    void Serve(RnicSegment& segment) override;
    RnicTime Reserve(RnicSegment& segment) override;

    /// Tell what the stage has done. @return since the start
    const Statistics& GetStatistics() const;

    /// Count what works at a time. @return engines or CPUs
    virtual uint32_t GetWorkers() const = 0;

  protected:
    void DoInitialize() override;

    /// Do the work of a packet. @param segment it, whose time moves on
    /// @param work ps that an engine or a CPU is occupied
    virtual void Work(RnicSegment& segment, RnicTime work) = 0;

    /// Tell whether packets of an association may go to any engine. @return see Spread
    bool IsSpread() const;

    /// Choose who works on a packet. @param segment it @return number of its association; of those
    /// that are spread the number of packets before it
    uint64_t ChooseWorker(const RnicSegment& segment);

    /// Have a packet leave behind those before it, if they are spread. @param segment it, done
    void KeepTurn(RnicSegment& segment);

  private:
    /// Rates of one direction, each with what it has left of a picosecond.
    struct Rates
    {
        RnicRate any;    //!< of any transform
        RnicRate gcm;    //!< of AES-GCM
        RnicRate cbc;    //!< of AES-CBC
        RnicRate ctr;    //!< of AES-CTR
        RnicRate chacha; //!< of ChaCha20-Poly1305
        RnicRate sha1;   //!< of HMAC-SHA1
        RnicRate sha2;   //!< of HMAC-SHA2

        /// @param work what a packet needs @return ps for its octets
        RnicTime Serve(const EspWork& work);
    };

    /// @return all rates
    std::vector<uint64_t> GetRates() const;

    RnicTime m_timePerPacket{0}; //!< see TimePerPacket
    RnicTime m_keySetup{0};      //!< see KeySetup
    uint64_t m_bitRate{0};       //!< see Rate
    uint64_t m_gcmBitRate{0};    //!< see AesGcmRate
    uint64_t m_cbcBitRate{0};    //!< see AesCbcRate
    uint64_t m_ctrBitRate{0};    //!< see AesCtrRate
    uint64_t m_chachaBitRate{0}; //!< see ChaCha20Poly1305Rate
    uint64_t m_sha1BitRate{0};   //!< see HmacSha1Rate
    uint64_t m_sha2BitRate{0};   //!< see HmacSha2Rate
    bool m_spread{false};        //!< see Spread
    uint64_t m_next{0};          //!< worker of the next packet, if they take turns
    RnicTime m_lastOut{0};       //!< ps, when the last packet was done, if they take turns

    Rates m_rates;                     //!< octets to time
    Rates m_aheadRates;                //!< the same, of what began to be sent
    RnicServer m_ahead;                //!< all engines or CPUs, if all that were here at once
    Ptr<RnicAssociationCache> m_cache; //!< contexts of associations
    Statistics m_statistics;           //!< what was done
};

/// @ingroup iwarp-rnic
/// @brief ESP in engines on the way of segments: first come, first served, in the order of arrivals
/// of all associations (Spread), or of those that share an engine. They are engines of the
/// direction, unless part EspCore has some for both.
class RnicInlineEspStage : public RnicEspStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicInlineEspStage();
    ~RnicInlineEspStage() override;
    std::string Check() const override;
    void Bind(const RnicDatapath& path) override;
    uint32_t GetWorkers() const override;

  protected:
    void DoInitialize() override;
    void Work(RnicSegment& segment, RnicTime work) override;

  private:
    Ptr<RnicEspCore> m_core;           //!< engines of both directions, if they are shared
    uint32_t m_engines{1};             //!< see Engines
    RnicTime m_latency{0};             //!< see Latency
    std::vector<RnicServer> m_servers; //!< one of all engines, or one of each
};

/// @ingroup iwarp-rnic
/// @brief ESP in engines across the host interface: packets go there and come back, beside all else
/// that the host interface carries.
class RnicLookasideEspStage : public RnicInlineEspStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicLookasideEspStage();
    ~RnicLookasideEspStage() override;
    void Bind(const RnicDatapath& path) override;

  protected:
    void Work(RnicSegment& segment, RnicTime work) override;

  private:
    Ptr<RnicHostInterface> m_host; //!< host interface
};

/// @ingroup iwarp-rnic
/// @brief ESP by the host's CPUs, of part Cpu: those of a receiver in software do TCP as well.
class RnicSoftwareEspStage : public RnicEspStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicSoftwareEspStage();
    ~RnicSoftwareEspStage() override;
    std::string Check() const override;
    void Bind(const RnicDatapath& path) override;
    uint32_t GetWorkers() const override;

  protected:
    void Work(RnicSegment& segment, RnicTime work) override;

  private:
    Ptr<RnicCpu> m_cpu;      //!< CPUs
    Ptr<RnicEspCore> m_core; //!< of no use
};

} // namespace ns3

#endif // RNIC_ESP_STAGE_H
