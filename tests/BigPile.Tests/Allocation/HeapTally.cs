namespace BigPile.Tests.Allocation;

/// <summary>What happened in a run; a step that never came would prove nothing.</summary>
internal readonly record struct HeapTally
{
    public long Taken { get; init; }

    public long Freed { get; init; }

    public long FreedInTransit { get; init; }

    public long Transferred { get; init; }

    public long GivenUp { get; init; }

    public long Released { get; init; }

    public long Exhausted { get; init; }

    public static HeapTally operator +(HeapTally left, HeapTally right) => new()
    {
        Taken = left.Taken + right.Taken,
        Freed = left.Freed + right.Freed,
        FreedInTransit = left.FreedInTransit + right.FreedInTransit,
        Transferred = left.Transferred + right.Transferred,
        GivenUp = left.GivenUp + right.GivenUp,
        Released = left.Released + right.Released,
        Exhausted = left.Exhausted + right.Exhausted,
    };
}
