using System;

namespace BigPile.Perf;

/// <summary>What the copy load is asked to do.</summary>
internal sealed record CopyOptions
{
    internal const int MaxRepetitions = 1000;
    internal const int MaxMilliseconds = 10_000;
    internal const int MaxPoolMebibytes = 1024;
    internal const int MinPoolMebibytes = 32; // an image has its place in it

    /// <summary>The bytes of a small write.</summary>
    internal const int SmallBytes = 8192;

    /// <summary>The bytes of an image of 2480 x 3508 pixels of three bytes: a page of paper at 300 dots an inch.</summary>
    internal const int ImageBytes = 2480 * 3508 * 3;

    /// <summary>How often each figure is measured.</summary>
    internal int Repetitions { get; init; } = 9;

    /// <summary>How long each measurement is at least.</summary>
    internal int Milliseconds { get; init; } = 20;

    /// <summary>The memory that cache-missing copies cycle through, on each of the two sides.</summary>
    internal int PoolMebibytes { get; init; } = 256;

    /// <summary>As <see cref="PoolMebibytes"/>.</summary>
    internal int PoolBytes => (int)Math.Min((long)PoolMebibytes << 20, Array.MaxLength - 64);

    /// <summary>As <see cref="Milliseconds"/>.</summary>
    internal TimeSpan Least => TimeSpan.FromMilliseconds(Milliseconds);
}
