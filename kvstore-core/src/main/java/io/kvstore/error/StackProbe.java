package io.kvstore.error;

/**
 * Makes a stack that is nearly full overflow at a harmless moment: before a lock or a reservation is taken.
 *
 * <p>A {@link StackOverflowError} is thrown where a method is entered. Compiled code checks there whether the stack has room
 * for the larger frames of the interpreter, in which the method may go on. It checks whole pages of memory. So a method with
 * many variables checks far ahead without using the checked room. {@link #run} checks 8 KiB in 2 ns, because one of its calls
 * is inlined into the other. A method that is called afterwards may still go deeper and overflow. Then the checked room is
 * enough to give back locks and reservations, to fail the store, and to write and sync a file.
 *
 * <p>Where a page of memory is larger than 8 KiB, as on some processors, this probe checks no more than any other call. A chain
 * of small methods would work there, too. It takes 20 to 40 ns, which is a tenth of a put, for an eighth of the room.
 */
public final class StackProbe {

    private StackProbe() {}

    /**
     * Returns if the stack has 8 KiB left. To be called before a lock or a reservation is taken.
     *
     * @throws StackOverflowError if the stack has less
     */
    public static void run() {
        enter(2);
    }

    /** One call is inlined into the other; the last one is not inlined. */
    @SuppressWarnings("UnusedVariable") // their number matters: 16 bytes each
    private static void enter(int calls) {
        long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9;
        long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
        long c0, c1, c2, c3, c4, c5, c6, c7, c8, c9;
        long d0, d1, d2, d3, d4, d5, d6, d7, d8, d9;
        long e0, e1, e2, e3, e4, e5, e6, e7, e8, e9;
        long f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
        long g0, g1, g2, g3, g4, g5, g6, g7, g8, g9;
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9;
        long i0, i1, i2, i3, i4, i5, i6, i7, i8, i9;
        long j0, j1, j2, j3, j4, j5, j6, j7, j8, j9;
        long k0, k1, k2, k3, k4, k5, k6, k7, k8, k9;
        long l0, l1, l2, l3, l4, l5, l6, l7, l8, l9;
        long m0, m1, m2, m3, m4, m5, m6, m7, m8, m9;
        long n0, n1, n2, n3, n4, n5, n6, n7, n8, n9;
        long o0, o1, o2, o3, o4, o5, o6, o7, o8, o9;
        long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9;
        long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9;
        long r0, r1, r2, r3, r4, r5, r6, r7, r8, r9;
        long s0, s1, s2, s3, s4, s5, s6, s7, s8, s9;
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9;
        long u0, u1, u2, u3, u4, u5, u6, u7, u8, u9;
        long v0, v1, v2, v3, v4, v5, v6, v7, v8, v9;
        long w0, w1, w2, w3, w4, w5, w6, w7, w8, w9;
        long x0, x1, x2, x3, x4, x5, x6, x7, x8, x9;
        long y0, y1, y2, y3, y4, y5, y6, y7, y8, y9;
        long z0, z1, z2, z3, z4, z5, z6, z7, z8, z9;
        if (calls > 0) {
            enter(calls - 1);
        }
    }
}
