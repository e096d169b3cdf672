using System;
using System.Numerics;

namespace BigPile.Memory.Concurrency;

/// <summary>How many sequence locks stand for all objects or blocks: enough that threads seldom meet, few enough for a cache.</summary>
internal static class StripeCount
{
    internal const int Min = 256;
    internal const int Max = 4096;

    private const int StripesPerProcessor = 64;

    /// <summary>The number for this machine's processors; a power of two.</summary>
    internal static int Default { get; } =
        (int)Math.Clamp(BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * StripesPerProcessor)), Min, Max);
}
