using System;
using System.Numerics;

namespace BigPile.Hash;

/// <summary>Properties fixed at the creation of a database; only <see cref="HashDatabase.Rebuild"/> changes them.</summary>
public sealed record HashTuning
{
    /// <summary>The least number of buckets.</summary>
    public const int MinBuckets = 256;

    /// <summary>The greatest number of buckets.</summary>
    public const long MaxBuckets = 1L << 40;

    /// <summary>
    /// The number of hash chains: about as many as there will be records. 1,048,576 by default, from 1; rounded up to a power of two of at
    /// least <see cref="MinBuckets"/>. Each takes <see cref="OffsetWidth"/> bytes of the file.
    /// </summary>
    public long Buckets { get; init; } = 1 << 20;

    /// <summary>
    /// The bytes of a bucket: 8 by default, or 4, which limits the file to 4,294,967,296 times <see cref="Alignment"/> bytes. A kill could
    /// tear other widths.
    /// </summary>
    public int OffsetWidth { get; init; } = 8;

    /// <summary>The unit of record offsets and extent lengths, in bytes: a power of two from 8, the default, to 4,096.</summary>
    public int Alignment { get; init; } = 8;

    internal HashTuning Checked()
    {
        if (Buckets is < 1 or > MaxBuckets)
            throw new ArgumentException($"HashTuning.Buckets is {Buckets:N0}: give it a number from 1 to {MaxBuckets:N0}.", "options");
        if (OffsetWidth is not (4 or 8))
            throw new ArgumentException($"HashTuning.OffsetWidth is {OffsetWidth}: give it 4 or 8.", "options");
        if (Alignment is < 8 or > 4096 || !BitOperations.IsPow2(Alignment))
            throw new ArgumentException($"HashTuning.Alignment is {Alignment}: give it a power of two from 8 to 4,096.", "options");
        return this with { Buckets = (long)BitOperations.RoundUpToPowerOf2((ulong)Math.Max(Buckets, MinBuckets)) };
    }
}
