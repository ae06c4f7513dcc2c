/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_MACHINE_H
#define NVME_MACHINE_H

#include "nvme-pdu.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-nvme
/// @brief What host and controller have settled by ICReq and ICResp.
struct NvmeTerms
{
    bool headerDigest{false};        //!< PDUs have HDGST
    bool dataDigest{false};          //!< data have DDGST
    uint32_t hostAlignment{4};       //!< HPDA in octets: of data that go to the host
    uint32_t controllerAlignment{4}; //!< CPDA in octets: of data that go to the controller
    uint32_t maxR2t{1};              //!< R2Ts of a command outstanding at most
    uint32_t maxH2cData{0};          //!< MAXH2CDATA, octets

    /// Tell how PDUs of a direction look. @param toController which @return digests, alignment
    NvmePduFormat GetFormat(bool toController) const;
};

/// @ingroup iwarp-nvme
/// @brief How a connection has ended.
struct NvmeEnd
{
    /// Why
    enum class Kind : uint8_t
    {
        CLOSED,     //!< one of both has closed it
        ERROR,      //!< a fatal error was found here, and the peer was told
        PEER_ERROR, //!< the peer has found one, and told
        BAD_TERM,   //!< the peer's Terminate Connection Request was too short or too long to be one
        REFUSED,    //!< the controller has not enabled a digest that this host requires
        TIMEOUT,    //!< the peer has not answered ICReq, or sent none
        LOST,       //!< TCP has failed, or ended within a PDU
    };

    Kind kind{Kind::CLOSED}; //!< why
    NvmeFatalError error;    //!< of ERROR and PEER_ERROR
};

/// @ingroup iwarp-nvme
/// @brief Name an end. @param end any @param host it is that of a host @return for people
std::string NvmeEndName(const NvmeEnd& end, bool host);

/// @ingroup iwarp-nvme
/// @brief A PDU that is to be sent, and where its data are.
struct NvmeOutgoing
{
    NvmePdu pdu;              //!< header, complete
    uint16_t cid{0};          //!< command whose data it has
    uint32_t offset{0};       //!< of these, where its own begin
    uint32_t size{0};         //!< and how many octets
    std::vector<uint8_t> own; //!< DATA of a Terminate Connection Request
};

/**
 * @ingroup iwarp-nvme
 * @brief What host and controller have in common as ends of a connection: ICReq and ICResp, checks
 * of what comes, fatal errors and how they end a connection (NVMe/TCP sections 3.1 and 3.5).
 *
 * Pure: PDUs in, PDUs out, and calls of a listener. Data are named, not touched.
 */
class NvmeMachine
{
  public:
    /// What the connection has come to.
    enum class State : uint8_t
    {
        IDLE,        //!< TCP is not connected
        STARTING,    //!< ICReq or ICResp is to come
        READY,       //!< capsules may go
        TERMINATING, //!< a fatal error was found, and the peer is to end TCP
        OVER,        //!< TCP is to be ended
    };

    /// Is told of what happens.
    class Listener
    {
      public:
        /// Capsules may go. @param terms settled
        virtual void HandleReady(const NvmeTerms& terms) = 0;
        /// The data of the PDU at hand are those of a command. @param cid of it @param offset of
        /// them in its data @param size octets
        virtual void HandleData(uint16_t cid, uint32_t offset, uint32_t size) = 0;
        /// Nothing more comes of the connection. @param end why
        virtual void HandleEnd(const NvmeEnd& end) = 0;

      protected:
        ~Listener() = default;
    };

    virtual ~NvmeMachine() = default;
    NvmeMachine(const NvmeMachine&) = delete;
    NvmeMachine& operator=(const NvmeMachine&) = delete;

    State GetState() const;            //!< Get the state. @return state
    const NvmeTerms& GetTerms() const; //!< Get what was settled. @return terms, from READY on

    void Start(); //!< TCP is connected
    /// What has been waited for has not come: ICReq or ICResp, or the peer's end of TCP.
    void HandleTimeout();
    void Close(); //!< This end closes: nothing more is taken or sent
    /// TCP has ended. @param whole behind a whole PDU
    void HandleClosed(bool whole);

    /**
     * @brief The common header of the next PDU is there. That it cannot be one is an error, for
     * which what follows need not come.
     * @param octets nvme::CH_SIZE
     */
    void ProcessHeader(const uint8_t* octets);

    /**
     * @brief A PDU is there.
     * @param octets its header, with HDGST if it has that
     * @param size how many
     * @param good its data are those that DDGST is of, or it has none
     */
    void ProcessPdu(const uint8_t* octets, uint32_t size, bool good);

    /// Take the next PDU out that is to be sent. @param [out] out it @return false if there is none
    bool Pop(NvmeOutgoing& out);

  protected:
    /// @param listener told of what happens @param host this end is a host
    NvmeMachine(Listener& listener, bool host);

    /// Begin a PDU of this end. @param type of it @param psh PSH @param flags LAST_PDU and SUCCESS
    /// @param data octets of DATA @return it, complete
    NvmePdu MakePdu(NvmePduType type, const NvmePdu::Psh& psh, uint8_t flags, uint32_t data) const;

    /// Send a PDU ahead of all others. @param pdu ICResp
    void Answer(const NvmePdu& pdu);
    /// ICReq and ICResp have come and gone. @param terms settled
    void BecomeReady(const NvmeTerms& terms);
    /// The connection is over, and TCP is to be ended. @param end why
    void End(const NvmeEnd& end);

    NvmeTerms m_terms; //!< settled

  private:
    /// TCP is connected. @return PDU to begin with, if this end begins
    virtual std::optional<NvmePdu> Begin() = 0;
    /// Check what the data of a PDU are limited by. @param ch of it, otherwise valid @return error
    virtual NvmeFatalError CheckData(const NvmeCommonHeader& ch) const = 0;
    /// Process a PDU that may come now. @param pdu it @param good its data are @return error
    virtual NvmeFatalError Process(const NvmePdu& pdu, bool good) = 0;
    /// See Pop(), in READY. @param [out] out it @return false if there is none
    virtual bool PopNext(NvmeOutgoing& out) = 0;
    virtual void Clear() = 0; //!< forget what is to be sent

    /// @param ch of a PDU @return what is wrong with that it comes now
    NvmeFatalError Check(const NvmeCommonHeader& ch) const;
    /// @param ch of a PDU @return it is a Terminate Connection Request of the peer
    bool IsTerm(const NvmeCommonHeader& ch) const;
    bool IsReceiving() const; //!< @return PDUs are taken
    /// A fatal error was found. @param error it @param octets of the header at fault @param size
    /// how many
    void Fail(const NvmeFatalError& error, const uint8_t* octets, uint32_t size);

    Listener& m_listener;              //!< told of what happens
    bool m_host;                       //!< this end is a host
    State m_state{State::IDLE};        //!< state
    std::optional<NvmeOutgoing> m_own; //!< PDU of the connection itself that is to be sent
};

} // namespace ns3

#endif // NVME_MACHINE_H
