using System;

namespace BigPile.Perf.Soaking;

/// <summary>Sizes of values: nine of ten have at most 128 bytes, one in a thousand up to a megabyte.</summary>
internal static class SoakSizes
{
    internal const int MaxBytes = 1_000_000;

    /// <summary>What a value has on the average, about.</summary>
    internal const int MeanBytes = 700;

    /// <summary>What a value of a table has on the average, about.</summary>
    internal const int MeanTableBytes = 160;

    private const int SmallBytes = 128;
    private const int MediumBytes = 4096;
    private const int LargeBytes = 65_536;

    /// <summary>Draws a size of a worker's own value.</summary>
    internal static int Next(Random dice) => dice.Next(1000) switch
    {
        0 => Between(dice, LargeBytes, MaxBytes),
        < 10 => Between(dice, MediumBytes, LargeBytes),
        < 100 => Between(dice, SmallBytes, MediumBytes),
        _ => Between(dice, SoakValue.MinBytes, SmallBytes),
    };

    /// <summary>Draws a size of a table's value: of at most some kilobytes, so that there are many.</summary>
    internal static int NextOfTable(Random dice) =>
        dice.Next(10) == 0 ? Between(dice, SmallBytes, MediumBytes) : Between(dice, SoakValue.MinBytes, SmallBytes);

    // Sizes are spread evenly over powers of two.
    private static int Between(Random dice, int min, int max) => (int)(min * Math.Pow((double)max / min, dice.NextDouble()));
}
