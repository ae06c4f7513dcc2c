/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_CODEC_H
#define ESP_CODEC_H

#include "esp-algorithm.h"
#include "esp-format.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class EspCryptography;

/// @ingroup iwarp-ipsec
/// @brief Keys of an association: octets as key exchange hands them out.
struct EspKeys
{
    std::vector<uint8_t> cipher;    //!< the cipher's key, the salt behind it if it has one
    std::vector<uint8_t> integrity; //!< the integrity algorithm's key
};

/// @ingroup iwarp-ipsec
/// @brief What a packet says beside its payload.
struct EspFields
{
    uint32_t spi{0};       //!< security parameters index
    uint64_t sequence{0};  //!< sequence number; packets carry its lower half
    uint8_t nextHeader{0}; //!< IP protocol of the payload
};

/// @ingroup iwarp-ipsec
/// @brief What became of a received packet.
enum class EspResult : uint8_t
{
    OK,          //!< it is as it was sent
    TRUNCATED,   //!< too short for its fields, or not aligned
    BAD_ICV,     //!< not from who has the key, or changed on the way
    BAD_PADDING, //!< padding is longer than the packet, or is not 1, 2, 3, ...
};

/// @ingroup iwarp-ipsec
/// @brief A received packet, opened.
struct EspOpened
{
    EspResult result{EspResult::OK}; //!< the rest counts only if it is OK
    uint8_t nextHeader{0};           //!< IP protocol of the payload
    uint32_t head{0};                //!< octets before the payload
    uint32_t payload{0};             //!< octets of payload, and of TFC padding if there is any: the
                                     //!< payload tells its own length then
};

/**
 * @ingroup iwarp-ipsec
 * @brief Encapsulates payloads into ESP packets and takes them out again (RFC 4303).
 *
 * It is *real* (the octets are those of the cipher, by OpenSSL) or *modelled* (payload octets stay
 * as they are, and may be virtual; the ICV tells forged and changed packets apart, but anyone could
 * make it). Layout, sizes and checks are the same code. A codec belongs to one association: key
 * set-up happens once.
 */
class EspCodec
{
  public:
    /// What the octets of packets are.
    enum class Mode : uint8_t
    {
        MODELLED, //!< sizes are right, payload octets stay clear
        REAL,     //!< enciphered and authenticated
    };

    /// Most octets that can come behind payload and TFC padding.
    static constexpr uint32_t MAX_TAIL = ESP_MAX_PAD + ESP_TRAILER_SIZE + 32;
    /// Most octets that can come before the payload.
    static constexpr uint32_t MAX_HEAD = ESP_HEADER_SIZE + 16;

    /**
     * @brief Set up the keys of an association.
     * @param transform cipher and integrity; has to live as long as the codec
     * @param keys of the sizes that the transform says: CheckKeys() tells
     * @param mode real or modelled
     * @param extended sequence numbers have 64 bits, so that the ICV covers the upper half
     */
    EspCodec(const EspTransform& transform, const EspKeys& keys, Mode mode, bool extended = false);
    ~EspCodec();
    EspCodec(EspCodec&&) noexcept;
    EspCodec& operator=(EspCodec&&) noexcept;

    /// Tell whether this build can do the real mode. @return false if it was made without OpenSSL
    static bool HasReal();

    /**
     * @brief Check that keys fit a transform.
     * @param transform cipher and integrity
     * @param keys to check
     * @return what is wrong with them and what to do about it; empty if they fit
     */
    static std::string CheckKeys(const EspTransform& transform, const EspKeys& keys);

    /// Find the cipher and integrity algorithm. @return as the constructor was told
    const EspTransform& GetTransform() const;

    /// Tell what the octets of packets are. @return as the constructor was told
    Mode GetMode() const;

    /**
     * @brief Make the initialisation vector of a packet: for counter modes the sequence number,
     * which never repeats under a key (RFC 4106 section 3.1), for CBC that number enciphered, which
     * nobody can foretell (NIST SP 800-38A appendix C). In modelled mode it is the number for all.
     * @param sequence sequence number
     * @param iv receives GetTransform().ivSize octets
     */
    void MakeIv(uint64_t sequence, uint8_t* iv) const;

    /**
     * @brief Make an ESP packet, real mode.
     * @param fields SPI, sequence number, next header
     * @param iv initialisation vector; nullptr: as MakeIv() makes it
     * @param sizes as GetEspSizes() said for this transform
     * @param packet sizes.GetTotal() octets, of which sizes.payload, sizes.GetHead() octets in, are
     *        the payload; receives the packet
     */
    void Seal(const EspFields& fields,
              const uint8_t* iv,
              const EspSizes& sizes,
              uint8_t* packet) const;

    /**
     * @brief Make what surrounds the payload of an ESP packet, modelled mode. Payload and TFC
     * padding come between @p head and @p tail as they are.
     * @param fields SPI, sequence number, next header
     * @param sizes as GetEspSizes() said for this transform
     * @param digest of payload and TFC padding: any function that both ends compute alike, so that
     *        changes on the way are noticed, or 0
     * @param head receives sizes.GetHead() octets
     * @param tail receives sizes.GetTail() octets
     */
    void SealModelled(const EspFields& fields,
                      const EspSizes& sizes,
                      uint32_t digest,
                      uint8_t* head,
                      uint8_t* tail) const;

    /**
     * @brief Verify and decipher an ESP packet in place, real mode. What fails verification is left
     * as octets that mean nothing.
     * @param sequence whole sequence number, as EspReplayWindow::Check() told it
     * @param packet octets from the SPI to the ICV
     * @param size how many, any number
     * @return where its payload is, or why there is none
     */
    EspOpened Open(uint64_t sequence, uint8_t* packet, std::size_t size) const;

    /**
     * @brief Verify an ESP packet, modelled mode.
     * @param sequence whole sequence number
     * @param head first octets of the packet: GetHeadSize(), or all if it is shorter
     * @param tail last octets of the packet: MAX_TAIL, or all if it is shorter
     * @param size octets of the packet, any number
     * @param digest tells what SealModelled() was told, of so many octets behind the head
     * @return where its payload is, or why there is none
     */
    EspOpened OpenModelled(uint64_t sequence,
                           const uint8_t* head,
                           const uint8_t* tail,
                           std::size_t size,
                           const std::function<uint32_t(uint32_t octets)>& digest) const;

    /// Find what comes before a payload. @return octets of SPI, sequence number and IV
    uint32_t GetHeadSize() const;

  private:
    /// @param fields SPI and sequence number @param iv to write, or nullptr @param head receives
    /// all
    void WriteHead(const EspFields& fields, const uint8_t* iv, uint8_t* head) const;
    /// @param sequence whole sequence number @param head SPI to IV @param ciphered octets between
    /// head and ICV @param tail the last of these @param clear how many @param digest of the others
    /// @param icv receives the ICV of modelled mode
    void WriteModelledIcv(uint64_t sequence,
                          const uint8_t* head,
                          std::size_t ciphered,
                          const uint8_t* tail,
                          std::size_t clear,
                          uint32_t digest,
                          uint8_t* icv) const;
    /// @param size octets of a packet @return whether its fields have room and it is aligned
    bool IsWhole(std::size_t size) const;

    const EspTransform* m_transform;                       //!< cipher and integrity
    Mode m_mode;                                           //!< real or modelled
    bool m_extended;                                       //!< sequence numbers have 64 bits
    std::unique_ptr<const EspCryptography> m_cryptography; //!< keys set up, real mode
    uint64_t m_modelledKey{0};                             //!< what the keys come to, modelled mode
};

} // namespace ns3

#endif // ESP_CODEC_H
