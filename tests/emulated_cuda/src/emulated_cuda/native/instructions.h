/* What kernels compute with. Short functions are inline; what needs more than a line lies in arithmetic.c and half.c. */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H
#include "device.h"

/* Bits of numbers. */
static inline float f32_of_bits(uint32_t bits) { union { uint32_t u; float f; } x = { bits }; return x.f; }
static inline double f64_of_bits(uint64_t bits) { union { uint64_t u; double f; } x = { bits }; return x.f; }
static inline uint32_t bits_of_f32(float number) { union { float f; uint32_t u; } x = { number }; return x.u; }
static inline uint64_t bits_of_f64(double number) { union { double f; uint64_t u; } x = { number }; return x.u; }
double f16_of_bits(uint16_t), bf16_of_bits(uint16_t);
uint16_t bits_of_f16(double), bits_of_bf16(double);

/* The parts of C's library that kernels use; to read its headers would take longer than to compile a kernel. */
float fmaf(float, float, float), fabsf(float), sqrtf(float), sinf(float), cosf(float), log2f(float), exp2f(float), tanhf(float);
double fma(double, double, double), fabs(double), sqrt(double), sin(double), cos(double), log2(double), exp2(double), tanh(double);
float copysignf(float, float), rintf(float), truncf(float), floorf(float), ceilf(float);
double copysign(double, double), rint(double), trunc(double), floor(double), ceil(double);
int fesetround(int);
enum { FE_TONEAREST = 0, FE_DOWNWARD = 0x400, FE_UPWARD = 0x800, FE_TOWARDZERO = 0xc00 }; /* x86-64 */

/* Minima pass over nan, unless they are asked for it; -0 is less than 0. */
#define MINIMA(T, C)                                                                                                   \
    static inline C min_##T(C a, C b) { return a != a ? b : b != b || a < b || (a == b && 1 / a < 1 / b) ? a : b; }    \
    static inline C max_##T(C a, C b) { return a != a ? b : b != b || a > b || (a == b && 1 / a > 1 / b) ? a : b; }    \
    static inline C min_##T##_nan(C a, C b) { return a != a ? a : b != b ? b : min_##T(a, b); }                        \
    static inline C max_##T##_nan(C a, C b) { return a != a ? a : b != b ? b : max_##T(a, b); }                        \
    static inline C saturate_##T(C a) { return a > 0 ? a < 1 ? a : 1 : 0; }
MINIMA(f32, float)
MINIMA(f64, double)
MINIMA(f16, double)
MINIMA(bf16, double)

/* Integer division by zero gives all bits set on a device, and the least number over -1 itself. */
#define DIVISION(T, C, LEAST)                                                                                          \
    static inline C div_##T(C a, C b) { return b == 0 ? (C)-1 : LEAST && b == (C)-1 ? -a : a / b; }                    \
    static inline C rem_##T(C a, C b) { return b == 0 ? a : LEAST && b == (C)-1 ? 0 : a % b; }
DIVISION(u16, uint16_t, 0)
DIVISION(u32, uint32_t, 0)
DIVISION(u64, uint64_t, 0)
DIVISION(s16, int16_t, 1)
DIVISION(s32, int32_t, 1)
DIVISION(s64, int64_t, 1)

/* Shifts by more than there are bits. */
#define SHIFTS(N)                                                                                                      \
    static inline uint##N##_t shl_b##N(uint##N##_t a, uint32_t n) { return n < N ? a << n : 0; }                       \
    static inline uint##N##_t shr_u##N(uint##N##_t a, uint32_t n) { return n < N ? a >> n : 0; }                       \
    static inline uint##N##_t shr_b##N(uint##N##_t a, uint32_t n) { return n < N ? a >> n : 0; }                       \
    static inline int##N##_t shr_s##N(int##N##_t a, uint32_t n) { return a >> (n < N ? n : N - 1); }
SHIFTS(16)
SHIFTS(32)
SHIFTS(64)
static inline uint32_t funnel_l(uint32_t low, uint32_t high, uint32_t n) { return ((uint64_t)high << 32 | low) << n >> 32; }
static inline uint32_t funnel_r(uint32_t low, uint32_t high, uint32_t n) { return ((uint64_t)high << 32 | low) >> n; }

/* Words of longer numbers. */
#define CARRIES(N)                                                                                                     \
    static inline uint##N##_t add_u##N(uint##N##_t a, uint##N##_t b, uint32_t carry, uint32_t *after) {                \
        uint##N##_t sum = a + b + carry;                                                                               \
        *after = sum < a || (carry && sum == a);                                                                       \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static inline uint##N##_t subtract_u##N(uint##N##_t a, uint##N##_t b, uint32_t borrow, uint32_t *after) {          \
        uint##N##_t difference = a - b - borrow;                                                                       \
        *after = a < b || (borrow && a == b);                                                                          \
        return difference;                                                                                             \
    }
CARRIES(32)
CARRIES(64)
static inline int16_t high_s16(int16_t a, int16_t b) { return (int32_t)a * b >> 16; }
static inline uint16_t high_u16(uint16_t a, uint16_t b) { return (uint32_t)a * b >> 16; }
static inline int32_t high_s32(int32_t a, int32_t b) { return (int64_t)a * b >> 32; }
static inline uint32_t high_u32(uint32_t a, uint32_t b) { return (uint64_t)a * b >> 32; }
int64_t high_s64(int64_t, int64_t);
uint64_t high_u64(uint64_t, uint64_t);

/* Bits of integers. */
uint32_t popc_b32(uint32_t), popc_b64(uint64_t), clz_b32(uint32_t), clz_b64(uint64_t), brev_b32(uint32_t);
uint32_t bfind_u32(uint32_t), bfind_s32(int32_t), bfind_u64(uint64_t), bfind_s64(int64_t);
uint32_t bfind_amount_u32(uint32_t), bfind_amount_s32(int32_t), bfind_amount_u64(uint64_t), bfind_amount_s64(int64_t);
uint64_t brev_b64(uint64_t);
uint32_t lop3(uint32_t, uint32_t, uint32_t, uint32_t), prmt(uint32_t, uint32_t, uint32_t);
uint32_t bfi_b32(uint32_t, uint32_t, uint32_t, uint32_t), bfe_u32(uint32_t, uint32_t, uint32_t);
uint64_t bfi_b64(uint64_t, uint64_t, uint32_t, uint32_t), bfe_u64(uint64_t, uint32_t, uint32_t);
int32_t bfe_s32(int32_t, uint32_t, uint32_t);
int64_t bfe_s64(int64_t, uint32_t, uint32_t);

/* Floats as integers: truncated already or to be, nan is 0, and what does not fit is the last that does. */
int8_t s8_of_float(double);
int16_t s16_of_float(double);
int32_t s32_of_float(double);
int64_t s64_of_float(double);
uint8_t u8_of_float(double);
uint16_t u16_of_float(double);
uint32_t u32_of_float(double);
uint64_t u64_of_float(double);

/* Memory. */
extern char *emulated_shared;
extern uint64_t emulated_local_begin, emulated_local_end;
extern const uint32_t static_shared;
static inline uint32_t dynamic_offset(void) { return (static_shared + 15) & ~15u; }
static inline int is_shared(struct thread *t, uint64_t p) { return p - (uint64_t)emulated_shared < SHARED_BYTES; }
static inline int is_local(struct thread *t, uint64_t p) { return p - emulated_local_begin < emulated_local_end - emulated_local_begin; }
static inline int is_global(struct thread *t, uint64_t p) { return !is_shared(t, p) && !is_local(t, p); }
static inline void loaded(struct thread *t, uint64_t p, uint32_t size) {
    t->loaded += size;
    if (emulated_tracing) emulated_touch(p, size, 0);
}
static inline void stored(struct thread *t, uint64_t p, uint32_t size) {
    t->stored += size;
    if (emulated_tracing) emulated_touch(p, size, 1);
}
static inline void aligned(struct thread *t, uint64_t p, uint32_t size) {
    if (p & (size - 1)) fail(t, "misaligned address");
}
uint64_t read_clock(void);
#endif
