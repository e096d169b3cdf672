using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Access;

/// <summary>Lends each thread one buffer, and a new one to code that is called back while the first is in use.</summary>
internal static class BufferRental
{
    [ThreadStatic]
    private static PileBuffer? _spare;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static PileBuffer Rent()
    {
        PileBuffer? buffer = _spare;
        Debug.Assert(buffer == null || buffer.LengthBytes == 0, "A spare buffer is empty: encoders write from the beginning.");
        _spare = null;
        return buffer ?? new PileBuffer();
    }

    /// <summary>Rents a buffer until the loan is disposed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Loan Lend(out PileBuffer buffer) => new(buffer = Rent());

    /// <summary>Makes a payload the whole content of a buffer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static unsafe void Fill(PileBuffer buffer, byte* payload, long lengthBytes) =>
        Unsafe.CopyBlockUnaligned(buffer.Prepare((int)lengthBytes), payload, (uint)lengthBytes);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Return(PileBuffer buffer)
    {
        Debug.Assert(buffer != _spare, "A buffer is returned once: otherwise two threads would write to it.");
        buffer.Clear();
        _spare = buffer;
    }

    /// <summary>Returns a buffer when it is disposed.</summary>
    internal readonly struct Loan(PileBuffer buffer) : IDisposable
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Dispose() => Return(buffer);
    }
}
