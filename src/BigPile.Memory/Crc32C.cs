using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using ArmAes = System.Runtime.Intrinsics.Arm.Aes;

namespace BigPile.Memory;

/// <summary>CRC-32C without the final complement, so that parts can be added; uses processor instructions if available.</summary>
/// <remarks>
/// The CRC instruction has a latency of three cycles, and each needs the result of the one before. So longer input is folded first: 64
/// bytes at a time are multiplied forward by two carry-less products per 16 bytes, and combined with the next 64. The folded rest has the
/// same remainder, and goes through the instruction. Source: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
/// Instruction", Intel 2009.
/// </remarks>
internal static class Crc32C
{
    /// <summary>The initial value of a checksum.</summary>
    internal const uint Seed = uint.MaxValue;

    private const int LaneBytes = 16;
    private const int FoldBytes = 4 * LaneBytes;
    private const int FewestBytesToFold = 2 * FoldBytes;

    private static bool CanFold => Pclmulqdq.IsSupported || ArmAes.IsSupported;

    /// <summary>Adds a part. How the whole is divided into parts does not matter.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Add(uint checksum, ReadOnlySpan<byte> bytes)
    {
        ref byte start = ref MemoryMarshal.GetReference(bytes);
        return bytes.Length < FewestBytesToFold || !CanFold
            ? AddByWords(checksum, ref start, bytes.Length)
            : AddByFolding(checksum, ref start, bytes.Length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint AddByWords(uint checksum, ref byte start, int lengthBytes)
    {
        for (; lengthBytes >= sizeof(ulong); lengthBytes -= sizeof(ulong))
        {
            checksum = BitOperations.Crc32C(checksum, Unsafe.ReadUnaligned<ulong>(ref start));
            start = ref Unsafe.Add(ref start, sizeof(ulong));
        }
        return AddRest(checksum, ref start, lengthBytes);
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

    // Optimised at once, not by tiers: unoptimised vector products cost fifty times as much, and many processes end before the tier rises.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static uint AddByFolding(uint checksum, ref byte start, int lengthBytes)
    {
        Debug.Assert(lengthBytes >= FoldBytes, "The first four lanes are read without a look at the length.");

        // x^(distance + 31) and x^(distance - 33) modulo the polynomial, for distances of 512 and of 128 bits; the bits in reverse
        var by64 = Vector128.Create(0x740EEF02UL, 0x9E4ADDF8UL);
        var by16 = Vector128.Create(0xF20C0DFEUL, 0x493C7D27UL);
        Vector128<ulong> first = Lane(ref start, 0) ^ Vector128.CreateScalar((ulong)checksum);
        Vector128<ulong> second = Lane(ref start, 1);
        Vector128<ulong> third = Lane(ref start, 2);
        Vector128<ulong> fourth = Lane(ref start, 3);
        start = ref Unsafe.Add(ref start, FoldBytes);
        lengthBytes -= FoldBytes;
        for (; lengthBytes >= FoldBytes; lengthBytes -= FoldBytes)
        {
            first = Fold(first, by64) ^ Lane(ref start, 0);
            second = Fold(second, by64) ^ Lane(ref start, 1);
            third = Fold(third, by64) ^ Lane(ref start, 2);
            fourth = Fold(fourth, by64) ^ Lane(ref start, 3);
            start = ref Unsafe.Add(ref start, FoldBytes);
        }
        first = Fold(first, by16) ^ second;
        first = Fold(first, by16) ^ third;
        first = Fold(first, by16) ^ fourth;
        for (; lengthBytes >= LaneBytes; lengthBytes -= LaneBytes)
        {
            first = Fold(first, by16) ^ Lane(ref start, 0);
            start = ref Unsafe.Add(ref start, LaneBytes);
        }
        checksum = BitOperations.Crc32C(BitOperations.Crc32C(0, first.ToScalar()), first.GetElement(1));
        return AddByWords(checksum, ref start, lengthBytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ulong> Lane(ref byte start, int number) =>
        Unsafe.ReadUnaligned<Vector128<ulong>>(ref Unsafe.Add(ref start, number * LaneBytes));

    // Each half times its constant: the first one is 64 bits farther from the end.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ulong> Fold(Vector128<ulong> lane, Vector128<ulong> constants)
    {
        if (Pclmulqdq.IsSupported)
            return Pclmulqdq.CarrylessMultiply(lane, constants, 0x00) ^ Pclmulqdq.CarrylessMultiply(lane, constants, 0x11);
        return ArmAes.PolynomialMultiplyWideningLower(lane.GetLower(), constants.GetLower())
            ^ ArmAes.PolynomialMultiplyWideningUpper(lane, constants);
    }
}
