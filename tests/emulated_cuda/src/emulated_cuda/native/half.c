/* Half precision and bfloat16, in which kernels store numbers and compute in double: one rounding, to the nearest, ties to even. */
#include "instructions.h"
#include <math.h>

/* The number nearest to one, with `digits` binary digits, none of them below 2^lowest. */
static double nearest(double number, int digits, int lowest) {
    int exponent;
    frexp(number, &exponent);
    int last = exponent - digits > lowest ? exponent - digits : lowest;
    return ldexp(nearbyint(ldexp(number, -last)), last);
}

static uint16_t packed(double number, int digits, int bias) {
    uint16_t sign = signbit(number) ? 0x8000 : 0;
    uint16_t infinite = (2 * bias + 1) << (digits - 1);
    if (isnan(number)) return infinite | 1 << (digits - 2);
    double rounded = isinf(number) ? number : fabs(nearest(number, digits, 2 - bias - digits));
    if (rounded == 0) return sign;
    int exponent;
    double fraction = frexp(fabs(rounded), &exponent); /* in [1/2, 1) */
    if (isinf(rounded) || exponent > bias + 1) return sign | infinite;
    if (exponent < 2 - bias) return sign | (uint16_t)ldexp(fabs(rounded), bias + digits - 2); /* denormal */
    return sign | (((exponent + bias - 2) << (digits - 1)) + (int)ldexp(fraction, digits));
}

static double unpacked(uint16_t bits, int digits, int bias) {
    int exponent = (bits & 0x7fff) >> (digits - 1), fraction = bits & ((1 << (digits - 1)) - 1);
    double size = exponent == 2 * bias + 1 ? fraction ? NAN : INFINITY
                  : exponent ? ldexp(fraction + (1 << (digits - 1)), exponent - bias - digits + 1)
                             : ldexp(fraction, 2 - bias - digits);
    return bits & 0x8000 ? -size : size;
}

double f16_of_bits(uint16_t bits) { return unpacked(bits, 11, 15); }
double bf16_of_bits(uint16_t bits) { return unpacked(bits, 8, 127); }
uint16_t bits_of_f16(double number) { return packed(number, 11, 15); }
uint16_t bits_of_bf16(double number) { return packed(number, 8, 127); }
