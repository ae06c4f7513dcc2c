// SPDX-License-Identifier: GPL-2.0-only
//
// The content that NvmeStorage begins with and NvmeHost writes, made and compared apart from them.
//
// usage: nvme-pattern make OCTETS FILE
//        nvme-pattern check FILE      counts blocks of 512 octets that have it, and those of zeros

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD = 65521, SHIFT = 7919, BLOCK = 512 };

static uint8_t table[PERIOD];

static uint8_t
pattern(uint64_t at)
{
    return table[(SHIFT + at) % PERIOD];
}

static int
make(uint64_t octets, const char* path)
{
    FILE* file = fopen(path, "wb");
    for (uint64_t at = 0; file && at < octets; at++)
        putc(pattern(at), file);
    return !file || fclose(file) ? 1 : 0;
}

static int
check(const char* path)
{
    static const uint8_t zeros[BLOCK];
    uint8_t block[BLOCK];
    uint64_t at = 0, same = 0, empty = 0, others = 0;
    FILE* file = fopen(path, "rb");
    while (file && fread(block, BLOCK, 1, file) == 1) {
        int good = 1;
        for (int i = 0; i < BLOCK; i++)
            good = good && block[i] == pattern(at + i);
        same += good;
        empty += !good && memcmp(block, zeros, BLOCK) == 0;
        others += !good && memcmp(block, zeros, BLOCK) != 0;
        at += BLOCK;
    }
    printf("%llu blocks of the pattern, %llu of zeros, %llu others\n", (unsigned long long)same,
           (unsigned long long)empty, (unsigned long long)others);
    if (others > 0)
        printf("CONTENT BAD of %llu blocks\n", (unsigned long long)others);
    return !file || others > 0;
}

int
main(int argc, char** argv)
{
    uint64_t state = 0x9E3779B97F4A7C15;
    for (int i = 0; i < PERIOD; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        table[i] = (uint8_t)(state >> 56);
    }
    if (argc == 4 && strcmp(argv[1], "make") == 0)
        return make(strtoull(argv[2], NULL, 10), argv[3]);
    if (argc == 3 && strcmp(argv[1], "check") == 0)
        return check(argv[2]);
    fprintf(stderr, "usage: nvme-pattern make OCTETS FILE | check FILE\n");
    return 2;
}
