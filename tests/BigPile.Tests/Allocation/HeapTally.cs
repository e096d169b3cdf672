namespace BigPile.Tests.Allocation;

/// <summary>What happened in a run; a step that never came would prove nothing.</summary>
internal readonly record struct HeapTally
{
    internal long Taken { get; init; }

    internal long Freed { get; init; }

    internal long FreedInTransit { get; init; }

    internal long Moved { get; init; }

    internal long GivenUp { get; init; }

    internal long Released { get; init; }

    internal long Worn { get; init; }

    public static HeapTally operator +(HeapTally left, HeapTally right) => new()
    {
        Taken = left.Taken + right.Taken,
        Freed = left.Freed + right.Freed,
        FreedInTransit = left.FreedInTransit + right.FreedInTransit,
        Moved = left.Moved + right.Moved,
        GivenUp = left.GivenUp + right.GivenUp,
        Released = left.Released + right.Released,
        Worn = left.Worn + right.Worn,
    };
}
