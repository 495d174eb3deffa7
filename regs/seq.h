/* seq.h: the preprocessor's counting. SEQ_first_n(M, ...) is M(first, ...) M(first + 1, ...) ..., n times:
 * what the rows ARRAY and MORE of the register tables expand with. A missing pair of numbers is a
 * compile-time error: add it here. */
#ifndef ATOLL_REGS_SEQ_H
#define ATOLL_REGS_SEQ_H

#define SEQ_0_2(M, ...)   M(0, __VA_ARGS__) M(1, __VA_ARGS__)
#define SEQ_2_2(M, ...)   M(2, __VA_ARGS__) M(3, __VA_ARGS__)
#define SEQ_4_2(M, ...)   M(4, __VA_ARGS__) M(5, __VA_ARGS__)
#define SEQ_6_2(M, ...)   M(6, __VA_ARGS__) M(7, __VA_ARGS__)
#define SEQ_4_4(M, ...)   SEQ_4_2(M, __VA_ARGS__) SEQ_6_2(M, __VA_ARGS__)
#define SEQ_8_4(M, ...) \
    M(8, __VA_ARGS__) M(9, __VA_ARGS__) M(10, __VA_ARGS__) M(11, __VA_ARGS__)
#define SEQ_12_4(M, ...) \
    M(12, __VA_ARGS__) M(13, __VA_ARGS__) M(14, __VA_ARGS__) M(15, __VA_ARGS__)
#define SEQ_16_4(M, ...) \
    M(16, __VA_ARGS__) M(17, __VA_ARGS__) M(18, __VA_ARGS__) M(19, __VA_ARGS__)
#define SEQ_20_4(M, ...) \
    M(20, __VA_ARGS__) M(21, __VA_ARGS__) M(22, __VA_ARGS__) M(23, __VA_ARGS__)
#define SEQ_24_4(M, ...) \
    M(24, __VA_ARGS__) M(25, __VA_ARGS__) M(26, __VA_ARGS__) M(27, __VA_ARGS__)
#define SEQ_28_4(M, ...) \
    M(28, __VA_ARGS__) M(29, __VA_ARGS__) M(30, __VA_ARGS__) M(31, __VA_ARGS__)
#define SEQ_20_12(M, ...) \
    SEQ_20_4(M, __VA_ARGS__) SEQ_24_4(M, __VA_ARGS__) SEQ_28_4(M, __VA_ARGS__)
#define SEQ_16_16(M, ...) SEQ_16_4(M, __VA_ARGS__) SEQ_20_12(M, __VA_ARGS__)

#define SEQ_0_4(M, ...)   SEQ_0_2(M, __VA_ARGS__) SEQ_2_2(M, __VA_ARGS__)
#define SEQ_0_6(M, ...)   SEQ_0_4(M, __VA_ARGS__) SEQ_4_2(M, __VA_ARGS__)
#define SEQ_0_8(M, ...)   SEQ_0_6(M, __VA_ARGS__) SEQ_6_2(M, __VA_ARGS__)
#define SEQ_0_12(M, ...)  SEQ_0_8(M, __VA_ARGS__) SEQ_8_4(M, __VA_ARGS__)
#define SEQ_0_16(M, ...)  SEQ_0_12(M, __VA_ARGS__) SEQ_12_4(M, __VA_ARGS__)
#define SEQ_0_20(M, ...)  SEQ_0_16(M, __VA_ARGS__) SEQ_16_4(M, __VA_ARGS__)
#define SEQ_0_32(M, ...)  SEQ_0_16(M, __VA_ARGS__) SEQ_16_16(M, __VA_ARGS__)

#define SEQ_1_3(M, ...)   M(1, __VA_ARGS__) SEQ_2_2(M, __VA_ARGS__)
#define SEQ_1_7(M, ...)   SEQ_1_3(M, __VA_ARGS__) SEQ_4_4(M, __VA_ARGS__)
#define SEQ_1_15(M, ...) \
    SEQ_1_7(M, __VA_ARGS__) SEQ_8_4(M, __VA_ARGS__) SEQ_12_4(M, __VA_ARGS__)
#define SEQ_1_31(M, ...)  SEQ_1_15(M, __VA_ARGS__) SEQ_16_16(M, __VA_ARGS__)

#endif
