/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// For Doxygen alone: the groups that the module's classes belong to.

/**
 * @defgroup iwarp RDMA over TCP
 * MPA, DDP and RDMAP over ns-3's TCP.
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-tcp TCP
 * TCP by the RFCs on ns-3's, and a table of connections between IP and TCP.
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-record Records over TCP
 * A TCP socket that keeps the boundaries of records.
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-mpa MPA
 * Marker PDU Aligned framing (RFC 5044, RFC 6581).
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-ddp DDP
 * Direct Data Placement (RFC 5041).
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-rdmap RDMAP
 * Remote Direct Memory Access Protocol (RFC 5040).
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-verbs Verbs
 * Devices, memory, queues, queue pairs and connections, named as libibverbs and librdmacm name
 * them.
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-ipsec IPsec
 * ESP (RFC 4303), security associations and policies (RFC 4301).
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-decode Decoder
 * Reads captures: frames, TCP, and what MPA, DDP and RDMAP carry.
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-app Applications
 * Senders and receivers of messages over an MPA stream.
 */

/**
 * @ingroup iwarp
 * @defgroup iwarp-util Utilities
 * Texts, names, files and samples; they know nothing of the module.
 */
