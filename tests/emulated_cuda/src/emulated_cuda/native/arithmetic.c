/* Instructions on bits and numbers that C has no word for. */
#include "instructions.h"
#include <time.h>

int64_t high_s64(int64_t a, int64_t b) { return (__int128)a * b >> 64; }
uint64_t high_u64(uint64_t a, uint64_t b) { return (unsigned __int128)a * b >> 64; }

uint32_t popc_b32(uint32_t a) { return __builtin_popcount(a); }
uint32_t popc_b64(uint64_t a) { return __builtin_popcountll(a); }
uint32_t clz_b32(uint32_t a) { return a ? __builtin_clz(a) : 32; }
uint32_t clz_b64(uint64_t a) { return a ? __builtin_clzll(a) : 64; }

uint64_t brev_b64(uint64_t a) {
    uint64_t reversed = 0;
    for (int k = 0; k < 64; k++) reversed |= (a >> k & 1) << (63 - k);
    return reversed;
}
uint32_t brev_b32(uint32_t a) { return brev_b64(a) >> 32; }

/* The place of the highest bit that is no sign, or its distance from the top; all bits set where there is none. */
uint32_t bfind_u64(uint64_t a) { return a ? 63 - clz_b64(a) : ~0u; }
uint32_t bfind_u32(uint32_t a) { return bfind_u64(a); }
uint32_t bfind_s64(int64_t a) { return bfind_u64(a < 0 ? ~a : a); }
uint32_t bfind_s32(int32_t a) { return bfind_s64(a); }
static uint32_t from_top(uint32_t place, uint32_t last) { return place == ~0u ? place : last - place; }
uint32_t bfind_amount_u64(uint64_t a) { return from_top(bfind_u64(a), 63); }
uint32_t bfind_amount_u32(uint32_t a) { return from_top(bfind_u32(a), 31); }
uint32_t bfind_amount_s64(int64_t a) { return from_top(bfind_s64(a), 63); }
uint32_t bfind_amount_s32(int32_t a) { return from_top(bfind_s32(a), 31); }

/* Any function of three bits, by its table. */
uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (int k = 0; k < 8; k++)
        if (table >> k & 1) result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return result;
}

/* Four bytes out of eight; the top bit of a choice asks for the byte's sign instead. */
uint32_t prmt(uint32_t a, uint32_t b, uint32_t choices) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t choice = choices >> 4 * k & 15, byte = bytes >> 8 * (choice & 7) & 255;
        result |= (choice & 8 ? byte & 128 ? 255 : 0 : byte) << 8 * k;
    }
    return result;
}

static uint64_t ones(uint32_t count) { return count < 64 ? (1ull << count) - 1 : ~0ull; }

/* Of position and length the low eight bits count. */
static uint64_t inserted(uint64_t a, uint64_t b, uint32_t position, uint32_t length, uint32_t width) {
    position &= 255;
    if (position >= width) return b;
    uint64_t field = ones(length & 255) << position;
    return (b & ~field) | (a << position & field);
}
uint32_t bfi_b32(uint32_t a, uint32_t b, uint32_t p, uint32_t n) { return inserted(a, b, p, n, 32); }
uint64_t bfi_b64(uint64_t a, uint64_t b, uint32_t p, uint32_t n) { return inserted(a, b, p, n, 64); }

uint64_t bfe_u64(uint64_t a, uint32_t p, uint32_t n) { return (p & 255) < 64 ? a >> (p & 255) & ones(n & 255) : 0; }
uint32_t bfe_u32(uint32_t a, uint32_t p, uint32_t n) { return bfe_u64(a, p, n); }

/* The field's last bit, or the number's where the field goes beyond it, fills what lies above. */
static int64_t extracted(int64_t a, uint32_t p, uint32_t n, uint32_t width) {
    p &= 255, n &= 255;
    if (n == 0) return 0;
    uint32_t last = p + n - 1 < width - 1 ? p + n - 1 : width - 1;
    int64_t sign = a >> last & 1 ? -1 : 0;
    int64_t field = p < width ? a >> p : sign;
    return n > last - p + 1 || n >= width || p >= width ? field : (field & (int64_t)ones(n)) | (sign & ~(int64_t)ones(n));
}
int32_t bfe_s32(int32_t a, uint32_t p, uint32_t n) { return extracted(a, p, n, 32); }
int64_t bfe_s64(int64_t a, uint32_t p, uint32_t n) { return extracted(a, p, n, 64); }

#define OF_FLOAT(NAME, C, LEAST, BEYOND)                                                                               \
    C NAME##_of_float(double a) { return a != a ? 0 : a <= (double)LEAST ? LEAST : a >= BEYOND ? (C)~(C)LEAST : (C)a; }
OF_FLOAT(s8, int8_t, INT8_MIN, 0x1p7)
OF_FLOAT(s16, int16_t, INT16_MIN, 0x1p15)
OF_FLOAT(s32, int32_t, INT32_MIN, 0x1p31)
OF_FLOAT(s64, int64_t, INT64_MIN, 0x1p63)
OF_FLOAT(u8, uint8_t, 0, 0x1p8)
OF_FLOAT(u16, uint16_t, 0, 0x1p16)
OF_FLOAT(u32, uint32_t, 0, 0x1p32)
OF_FLOAT(u64, uint64_t, 0, 0x1p64)

uint64_t read_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}
