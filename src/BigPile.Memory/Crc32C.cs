using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using ArmAes = System.Runtime.Intrinsics.Arm.Aes;

namespace BigPile.Memory;

/// <summary>CRC-32C without the final complement, so that parts can be added; by the processor's instruction where it has one.</summary>
/// <remarks>
/// The instruction takes three cycles, and a new one can begin with each. So longer parts are cut into four runs of words that are
/// summed side by side. Each run's sum begins at zero and is then moved to its place: times x^64 for each word behind it, modulo the
/// polynomial, which is a carry-less product with a constant and the instruction once more. Source of the constants: Gopal et al., "Fast
/// CRC Computation for iSCSI Polynomial Using CRC32 Instruction", Intel 2011.
/// </remarks>
internal static class Crc32C
{
    /// <summary>What a checksum begins with.</summary>
    internal const uint Seed = uint.MaxValue;

    private const int Lanes = 4;
    private const int FewestWordsForLanes = 24;
    private const int MostWordsForLanes = 8192;

    // x^(64 n - 33) modulo the polynomial, for each number of words n that three lanes can have; bits in the order of the instruction.
    private static readonly uint[] Shifts = MakeShifts(MostWordsForLanes / Lanes * (Lanes - 1));

    /// <summary>Adds a part. Parts of other lengths that make the same whole give the same checksum.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Add(uint checksum, ReadOnlySpan<byte> bytes)
    {
        ref byte start = ref MemoryMarshal.GetReference(bytes);
        return bytes.Length < FewestWordsForLanes * sizeof(ulong)
            ? AddInOneLane(checksum, ref start, bytes.Length)
            : AddInLanes(checksum, ref start, bytes.Length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint AddInOneLane(uint checksum, ref byte start, int lengthBytes)
    {
        for (; lengthBytes >= sizeof(ulong); lengthBytes -= sizeof(ulong))
        {
            checksum = BitOperations.Crc32C(checksum, Unsafe.ReadUnaligned<ulong>(ref start));
            start = ref Unsafe.Add(ref start, sizeof(ulong));
        }
        return AddRest(checksum, ref start, lengthBytes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static uint AddInLanes(uint checksum, ref byte start, int lengthBytes)
    {
        do
        {
            int laneWords = Math.Min(lengthBytes / sizeof(ulong), MostWordsForLanes) / Lanes;
            checksum = AddLanes(checksum, ref Unsafe.As<byte, ulong>(ref start), laneWords);
            int addedBytes = laneWords * Lanes * sizeof(ulong);
            start = ref Unsafe.Add(ref start, addedBytes);
            lengthBytes -= addedBytes;
        }
        while (lengthBytes >= FewestWordsForLanes * sizeof(ulong));
        return AddInOneLane(checksum, ref start, lengthBytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint AddRest(uint checksum, ref byte rest, int lengthBytes)
    {
        if ((lengthBytes & sizeof(uint)) != 0)
        {
            checksum = BitOperations.Crc32C(checksum, Unsafe.ReadUnaligned<uint>(ref rest));
            rest = ref Unsafe.Add(ref rest, sizeof(uint));
        }
        if ((lengthBytes & sizeof(ushort)) != 0)
        {
            checksum = BitOperations.Crc32C(checksum, Unsafe.ReadUnaligned<ushort>(ref rest));
            rest = ref Unsafe.Add(ref rest, sizeof(ushort));
        }
        return (lengthBytes & 1) != 0 ? BitOperations.Crc32C(checksum, rest) : checksum;
    }

    private static uint AddLanes(uint first, ref ulong word, int laneWords)
    {
        Debug.Assert(laneWords >= 1 && (Lanes - 1) * laneWords <= Shifts.Length, "There is no constant for so long a lane.");
        uint second = 0;
        uint third = 0;
        uint fourth = 0;
        ref ulong end = ref Unsafe.Add(ref word, laneWords);
        nint lane = laneWords;
        while (Unsafe.IsAddressLessThan(ref word, ref end))
        {
            first = BitOperations.Crc32C(first, word);
            second = BitOperations.Crc32C(second, Unsafe.Add(ref word, lane));
            third = BitOperations.Crc32C(third, Unsafe.Add(ref word, 2 * lane));
            fourth = BitOperations.Crc32C(fourth, Unsafe.Add(ref word, 3 * lane));
            word = ref Unsafe.Add(ref word, 1);
        }
        ulong behind = Multiply(first, Shifts[3 * laneWords - 1]) ^ Multiply(second, Shifts[2 * laneWords - 1])
            ^ Multiply(third, Shifts[laneWords - 1]);
        return BitOperations.Crc32C(0, behind) ^ fourth;
    }

    /// <summary>The product of two polynomials, not yet reduced.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Multiply(uint a, uint b)
    {
        if (Pclmulqdq.IsSupported)
            return Pclmulqdq.CarrylessMultiply(Vector128.CreateScalar((ulong)a), Vector128.CreateScalar((ulong)b), 0).ToScalar();
        return ArmAes.IsSupported
            ? ArmAes.PolynomialMultiplyWideningLower(Vector64.CreateScalar((ulong)a), Vector64.CreateScalar((ulong)b)).ToScalar()
            : MultiplyByBits(a, b);
    }

    internal static ulong MultiplyByBits(uint a, uint b)
    {
        ulong product = 0;
        for (int bit = 0; bit < 32; bit++)
            product ^= ((ulong)b << bit) & (0UL - ((a >> bit) & 1));
        return product;
    }

    private static uint[] MakeShifts(int count)
    {
        var shifts = new uint[count];
        shifts[0] = 1; // x^31
        for (int i = 1; i < count; i++)
            shifts[i] = BitOperations.Crc32C(shifts[i - 1], 0UL);
        return shifts;
    }
}
