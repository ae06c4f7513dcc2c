/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * rdma-peer: one connection through librdmacm and libibverbs, whose work is told on the command
 * line.
 *
 * rdma-peer server PORT [OPTION=VALUE]...    serve one connection until it ends
 *    reject=1            reject it, with "the machine says no"
 *    nrecv=N rsize=N     number and size of the receives posted (16 of 65536 octets)
 *    access=rw|r|w|n     remote access to the memory of which the private data tell
 *    length=N            its length (1 MiB)
 *    ird=N ord=N         RDMA Reads at a time, inbound and outbound (4)
 *    pd=N                octets of private data, at least 20
 *    closefirst=1        disconnect after the first receive
 *    ipv6=1              of IPv6
 * rdma-peer client ADDRESS PORT [OPTION=VALUE]... OPERATION...
 *    receiving=1         post receives, too
 *    send:N sendinv:N write:N[:AT] read:N[:AT]   one, of N octets, at an offset
 *    echo:N              write, then read the same back and compare
 *    pread:N             read what no one has written, and compare with the pattern
 *    wbadkey:N rbadkey:N an STag that the peer does not know
 *    woob:N roob:N       beyond the end of the peer's memory
 *    atomic              Fetch and Add
 *    sends:M:N reads:M:N writes:M:N mix:M:N      M at a time
 *    waitclose           wait for the peer to disconnect
 *    sleep:MS
 *
 * Memory that nobody has written has octet i as the exclusive or of i, i / 2^8 and i / 2^16.
 * The private data of the server's Reply: address (8 octets), STag, length, 0x51575457 (4 each),
 * big endian.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x51575457
#define BAD_KEY 0xabcd00 /* turns a key into one that is not there */
#define ERROR_TIME 3000  /* ms that the peer's Terminate may take */
#define QUIET_TIME 700   /* ms without one */

#define DIE(...)                                                                                   \
    do                                                                                             \
    {                                                                                              \
        printf("FATAL " __VA_ARGS__);                                                              \
        printf(" (errno %d %s)\n", errno, strerror(errno));                                        \
        exit(1);                                                                                   \
    } while (0)

struct advertisement
{
    uint64_t address;
    uint32_t key;
    uint32_t length;
    uint32_t magic;
} __attribute__((packed));

static struct rdma_event_channel* channel;
static struct ibv_pd* pd;
static struct ibv_cq* cq;
static struct ibv_mr* region;
static char* memory;
static size_t length = 1 << 20;
static int ird = 4, ord = 4, nrecv = 16, rsize = 65536, rejecting, private_length = -1, closefirst,
           ipv6, receiving;
static const char* access_letters = "rw";
static struct advertisement peer;

static char
pattern(size_t i)
{
    return (char)(i ^ (i >> 8) ^ (i >> 16));
}

static void
fill(size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        memory[i] = pattern(i);
}

static void
set_option(const char* text)
{
    const struct
    {
        const char* name;
        int* value;
    } numbers[] = {{"ird=", &ird},
                   {"ord=", &ord},
                   {"nrecv=", &nrecv},
                   {"rsize=", &rsize},
                   {"reject=", &rejecting},
                   {"pd=", &private_length},
                   {"closefirst=", &closefirst},
                   {"ipv6=", &ipv6},
                   {"receiving=", &receiving}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strncmp(text, numbers[i].name, strlen(numbers[i].name)))
        {
            *numbers[i].value = atoi(strchr(text, '=') + 1);
            return;
        }
    if (!strncmp(text, "length=", 7))
        length = atol(text + 7);
    else if (!strncmp(text, "access=", 7))
        access_letters = text + 7;
    else
        DIE("bad option %s", text);
}

static struct rdma_cm_event*
next_event(int milliseconds)
{
    struct pollfd p = {channel->fd, POLLIN, 0};
    struct rdma_cm_event* event;
    if (poll(&p, 1, milliseconds) <= 0)
        return NULL;
    if (rdma_get_cm_event(channel, &event))
        DIE("rdma_get_cm_event");
    const struct rdma_conn_param* c = &event->param.conn;
    printf("EVENT %s status %d, %d octets of private data",
           rdma_event_str(event->event),
           event->status,
           c->private_data_len);
    if (event->event == RDMA_CM_EVENT_REJECTED && c->private_data_len)
        printf(" \"%.*s\"", c->private_data_len, (const char*)c->private_data);
    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST || event->event == RDMA_CM_EVENT_ESTABLISHED)
        printf(", responder resources %d, initiator depth %d",
               c->responder_resources,
               c->initiator_depth);
    printf("\n");
    return event;
}

static struct rdma_cm_event*
want_event(enum rdma_cm_event_type kind)
{
    struct rdma_cm_event* event = next_event(30000);
    if (!event)
        DIE("no %s", rdma_event_str(kind));
    if (event->event != kind)
    {
        printf("not %s\n", rdma_event_str(kind));
        sleep(1);
        exit(2);
    }
    return event;
}

static void
drop_event(int milliseconds)
{
    struct rdma_cm_event* event = next_event(milliseconds);
    if (event)
        rdma_ack_cm_event(event);
}

static void
make_pair(struct rdma_cm_id* id, int access)
{
    struct ibv_qp_init_attr attributes = {
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
        .cap = {.max_send_wr = 128, .max_recv_wr = 128, .max_send_sge = 2, .max_recv_sge = 1}};
    const size_t size = length < (1 << 20) ? (1 << 20) : length;
    if (!(pd = ibv_alloc_pd(id->verbs)))
        DIE("ibv_alloc_pd");
    if (!(cq = ibv_create_cq(id->verbs, 512, NULL, NULL, 0)))
        DIE("ibv_create_cq");
    attributes.send_cq = attributes.recv_cq = cq;
    if (posix_memalign((void**)&memory, 4096, size))
        DIE("posix_memalign");
    fill(size);
    if (!(region = ibv_reg_mr(pd, memory, length, access)))
        DIE("ibv_reg_mr");
    if (rdma_create_qp(id, pd, &attributes))
        DIE("rdma_create_qp");
}

static double
now(void) /* ms */
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * time.tv_sec + 1e-6 * time.tv_nsec;
}

static void
print_completion(const char* what, const struct ibv_wc* wc)
{
    printf("%s: work request %lu, opcode %d, status %d (%s), %u octets\n",
           what,
           (unsigned long)wc->wr_id,
           wc->opcode,
           wc->status,
           ibv_wc_status_str(wc->status),
           wc->byte_len);
}

static int
wait_completion(int milliseconds, const char* what)
{
    struct ibv_wc wc;
    for (const double end = now() + milliseconds; now() < end; usleep(1000))
    {
        const int n = ibv_poll_cq(cq, 1, &wc);
        if (n < 0)
            DIE("ibv_poll_cq");
        if (n)
        {
            print_completion(what, &wc);
            return wc.status;
        }
    }
    printf("%s: no completion\n", what);
    return -1;
}

static void
compare(const char* octets, size_t size, int turned)
{
    size_t i = 0;
    while (i < size && octets[i] == (char)(pattern(i) + turned))
        i++;
    printf(i == size ? "CONTENT OK %zu\n" : "CONTENT BAD of %zu\n", size);
}

/* What came unasked: completions, asynchronous events */
static void
print_rest(struct rdma_cm_id* id)
{
    struct ibv_async_event event;
    struct ibv_wc wc;
    int flushed = 0;
    while (ibv_poll_cq(cq, 1, &wc) > 0)
        if (wc.status == IBV_WC_WR_FLUSH_ERR)
            flushed++;
        else
            print_completion("late", &wc);
    printf("%d flushed\n", flushed);
    fcntl(id->verbs->async_fd, F_SETFL, fcntl(id->verbs->async_fd, F_GETFL) | O_NONBLOCK);
    while (!ibv_get_async_event(id->verbs, &event))
    {
        printf("ASYNC %s\n", ibv_event_type_str(event.event_type));
        ibv_ack_async_event(&event);
    }
}

static void
post_receives(struct rdma_cm_id* id, char** octets)
{
    const size_t size = (size_t)rsize * (nrecv ? nrecv : 1) + 1;
    struct ibv_mr* mr;
    *octets = malloc(size);
    if (!(mr = ibv_reg_mr(pd, *octets, size, IBV_ACCESS_LOCAL_WRITE)))
        DIE("ibv_reg_mr of receives");
    for (int i = 0; i < nrecv; i++)
    {
        struct ibv_sge sge = {(uintptr_t)*octets + (size_t)i * rsize, rsize, mr->lkey};
        struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;
        if (ibv_post_recv(id->qp, &wr, &bad))
            DIE("ibv_post_recv");
    }
}

static void
accept_connection(struct rdma_cm_id* id)
{
    char octets[512];
    struct advertisement* ours = (void*)octets;
    struct rdma_conn_param parameters = {.responder_resources = ird, .initiator_depth = ord};
    memset(octets, 0x5a, sizeof octets);
    ours->address = htobe64((uintptr_t)memory);
    ours->key = htobe32(region->rkey);
    ours->length = htobe32(length);
    ours->magic = htobe32(MAGIC);
    parameters.private_data = octets;
    parameters.private_data_len = private_length < 0 ? (int)sizeof *ours : private_length;
    if (rdma_accept(id, &parameters))
        DIE("rdma_accept");
}

static void
serve(struct rdma_cm_id* id, const char* receives)
{
    for (int received = 0;;)
    {
        struct ibv_wc wc;
        struct rdma_cm_event* event;
        while (ibv_poll_cq(cq, 1, &wc) > 0)
        {
            print_completion("receive", &wc);
            if (wc.status == IBV_WC_SUCCESS && (wc.opcode & IBV_WC_RECV))
                compare(receives + wc.wr_id * rsize, wc.byte_len, 0);
            if (closefirst && !received++)
                rdma_disconnect(id);
        }
        if ((event = next_event(5)))
        {
            const int over = event->event == RDMA_CM_EVENT_DISCONNECTED;
            rdma_ack_cm_event(event);
            if (over)
                return;
        }
    }
}

static void
server(int argc, char** argv)
{
    struct rdma_cm_id *listener, *id;

    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    struct rdma_cm_event* event;
    int access = IBV_ACCESS_LOCAL_WRITE;
    char* receives;
    for (int i = 1; i < argc; i++)
        set_option(argv[i]);
    address.any.sa_family = ipv6 ? AF_INET6 : AF_INET;
    *(ipv6 ? &address.v6.sin6_port : &address.v4.sin_port) = htons(atoi(argv[0]));
    if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP))
        DIE("rdma_create_id");
    if (rdma_bind_addr(listener, &address.any))
        DIE("rdma_bind_addr");
    if (rdma_listen(listener, 4))
        DIE("rdma_listen");
    printf("LISTENING\n");
    event = want_event(RDMA_CM_EVENT_CONNECT_REQUEST);
    id = event->id;
    rdma_ack_cm_event(event);
    if (rejecting)
    {
        const char* text = "the machine says no";
        if (rdma_reject(id, text, strlen(text)))
            DIE("rdma_reject");
        printf("REJECTED\n");
        sleep(1);
        return;
    }
    access |= strchr(access_letters, 'w') ? IBV_ACCESS_REMOTE_WRITE : 0;
    access |= strchr(access_letters, 'r') ? IBV_ACCESS_REMOTE_READ : 0;
    make_pair(id, access);
    post_receives(id, &receives);
    accept_connection(id);
    serve(id, receives);
    print_rest(id);
    rdma_disconnect(id);
    rdma_destroy_qp(id);
    rdma_destroy_id(id);
    rdma_destroy_id(listener);
    printf("SERVER DONE\n");
}

/* Returns the number of completions to wait for */
static int
post(struct rdma_cm_id* id, enum ibv_wr_opcode opcode, uint32_t size, uint64_t at, uint32_t key)
{
    static uint64_t number;
    struct ibv_sge sge = {(uintptr_t)memory, size, region->lkey};
    struct ibv_send_wr wr = {.wr_id = number++,
                             .sg_list = &sge,
                             .num_sge = size ? 1 : 0,
                             .opcode = opcode},
                       *bad;
    wr.wr.rdma.rkey =
        key; /* for a Send with Invalidate too: libsiw of rdma-core 44 takes it from there */
    if (opcode == IBV_WR_SEND_WITH_INV)
        wr.invalidate_rkey = key;
    else if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
    {
        wr.wr.atomic.remote_addr = peer.address;
        wr.wr.atomic.compare_add = 1;
        wr.wr.atomic.rkey = key;
    }
    else
        wr.wr.rdma.remote_addr = peer.address + at;
    const int error = ibv_post_send(id->qp, &wr, &bad);
    if (error)
        printf("ibv_post_send gives %d\n", error);
    return !error;
}

/* A Read whose octets are compared; what is turned was written before */
static int
read_back(struct rdma_cm_id* id, uint32_t size, int turned, const char* what)
{
    memset(memory, 0, size);
    post(id, IBV_WR_RDMA_READ, size, 0, peer.key);
    const int status = wait_completion(15000, what);
    if (!status)
        compare(memory, size, turned);
    fill(size);
    return status;
}

static int
echo(struct rdma_cm_id* id, uint32_t size, int turned, const char* what)
{
    for (uint32_t j = 0; j < size; j++)
        memory[j] = (char)(pattern(j) + turned);
    post(id, IBV_WR_RDMA_WRITE, size, 0, peer.key);
    const int status = wait_completion(15000, what);
    return status ? status : read_back(id, size, turned, what);
}

/* Several at a time; returns the number of completions to wait for */
static int
post_many(struct rdma_cm_id* id, const char* name, long count, uint32_t size)
{
    const int mixed = !strcmp(name, "mix");
    int waiting = 0;
    for (long j = 0; j < count; j++)
    {
        if (mixed || !strcmp(name, "writes"))
            waiting += post(id, IBV_WR_RDMA_WRITE, size, 0, peer.key);
        if (mixed || !strcmp(name, "reads"))
            waiting += post(id, IBV_WR_RDMA_READ, size, 0, peer.key);
        if (mixed || !strcmp(name, "sends"))
            waiting += post(id, IBV_WR_SEND, mixed && size > 4096 ? 4096 : size, 0, 0);
    }
    return waiting;
}

/* Does one operation; returns 0 if it ended well */
static int
operate(struct rdma_cm_id* id, const char* text, int number)
{
    const struct
    {
        const char* name;
        enum ibv_wr_opcode opcode;
        uint32_t turn; /* of the key */
        int beyond;    /* the end of the peer's memory */
    } single[] = {{"send", IBV_WR_SEND, 0, 0},
                  {"sendinv", IBV_WR_SEND_WITH_INV, 0, 0},
                  {"write", IBV_WR_RDMA_WRITE, 0, 0},
                  {"read", IBV_WR_RDMA_READ, 0, 0},
                  {"wbadkey", IBV_WR_RDMA_WRITE, BAD_KEY, 0},
                  {"rbadkey", IBV_WR_RDMA_READ, BAD_KEY, 0},
                  {"woob", IBV_WR_RDMA_WRITE, 0, 1},
                  {"roob", IBV_WR_RDMA_READ, 0, 1}};

    char name[32] = "";
    long a = 0, b = 0;
    int waiting = -1;
    sscanf(text, "%31[a-z]:%ld:%ld", name, &a, &b);
    printf("OPERATION %s\n", text);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (!strcmp(name, single[i].name))
            waiting = post(id,
                           single[i].opcode,
                           a,
                           single[i].beyond ? peer.length - 16 : b,
                           peer.key ^ single[i].turn);
    if (!strcmp(name, "atomic"))
    {
        if (!(waiting = post(id, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 0, peer.key)))
            return 1;
    }
    else if (!strcmp(name, "sends") || !strcmp(name, "reads") || !strcmp(name, "writes") ||
             !strcmp(name, "mix"))
        waiting = post_many(id, name, a, b);
    else if (!strcmp(name, "echo"))
        return echo(id, a, 7 + number, text);
    else if (!strcmp(name, "pread"))
        return read_back(id, a, 0, text);
    else if (!strcmp(name, "waitclose"))
    {
        drop_event(10000);
        return 1;
    }
    else if (!strcmp(name, "sleep"))
    {
        usleep(a * 1000);
        return 0;
    }
    if (waiting < 0)
        DIE("bad operation %s", text);
    while (waiting-- > 0)
        if (wait_completion(15000, text))
            return 1;
    return 0;
}

static void
resolve(struct rdma_cm_id* id, const char* host, const char* port)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo(host, port, &hints, &found))
        DIE("no address: %s", host);
    if (rdma_resolve_addr(id, NULL, found->ai_addr, 5000))
        DIE("rdma_resolve_addr");
    rdma_ack_cm_event(want_event(RDMA_CM_EVENT_ADDR_RESOLVED));
    if (rdma_resolve_route(id, 5000))
        DIE("rdma_resolve_route");
    rdma_ack_cm_event(want_event(RDMA_CM_EVENT_ROUTE_RESOLVED));
}

static void
connect_peer(struct rdma_cm_id* id)
{
    static const char hello[512] = "rdma-peer";
    struct rdma_conn_param parameters = {.responder_resources = ird,
                                         .initiator_depth = ord,
                                         .retry_count = 7};
    struct rdma_cm_event* event;
    parameters.private_data = hello;
    parameters.private_data_len = private_length < 0 ? (int)strlen(hello) : private_length;
    if (rdma_connect(id, &parameters))
        DIE("rdma_connect");
    event = want_event(RDMA_CM_EVENT_ESTABLISHED);
    if (event->param.conn.private_data_len >= (int)sizeof peer)
        memcpy(&peer, event->param.conn.private_data, sizeof peer);
    rdma_ack_cm_event(event);
    peer.address = be64toh(peer.address);
    peer.key = be32toh(peer.key);
    peer.length = be32toh(peer.length);
}

static void
client(int argc, char** argv)
{
    struct rdma_cm_id* id;
    struct rdma_cm_event* event;
    char* octets;
    int i = 2, bad = 0;
    for (; i < argc && strchr(argv[i], '='); i++)
        set_option(argv[i]);
    if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
        DIE("rdma_create_id");
    resolve(id, argv[0], argv[1]);
    make_pair(id, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    if (receiving)
        post_receives(id, &octets);
    connect_peer(id);
    for (; i < argc && !bad; i++)
        bad = operate(id, argv[i], i);
    event = next_event(bad ? ERROR_TIME : QUIET_TIME);
    const int over = event && event->event == RDMA_CM_EVENT_DISCONNECTED;
    if (event)
        rdma_ack_cm_event(event);
    print_rest(id);
    rdma_disconnect(id);
    if (!over)
        drop_event(ERROR_TIME);
    rdma_destroy_qp(id);
    rdma_destroy_id(id);
    printf("CLIENT DONE, %s\n", bad ? "not all done" : "all done");
}

int
main(int argc, char** argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3 || (!strcmp(argv[1], "client") && argc < 4))
    {
        fprintf(stderr,
                "usage: rdma-peer server PORT [OPTION]... | client ADDRESS PORT [OPTION]... "
                "OPERATION...\n");
        return 2;
    }
    if (!(channel = rdma_create_event_channel()))
        DIE("rdma_create_event_channel");
    if (!strcmp(argv[1], "server"))
        server(argc - 2, argv + 2);
    else
        client(argc - 2, argv + 2);
    return 0;
}
