namespace BigPile.Tests.Durability;

/// <summary>What became of the bits that were flipped.</summary>
internal sealed class Tally
{
    internal int Flips { get; set; }

    internal int Reported { get; set; }

    internal int Harmless { get; set; }

    internal int Refused { get; set; }

    internal long Dropped { get; set; }

    internal int ReadRefused { get; set; }

    internal long ReadMissing { get; set; }
}
