using System;
using System.Threading;

namespace BigPile.Perf.Soaking;

/// <summary>Counts the operations of one worker. The worker writes, others may read.</summary>
internal sealed class SoakTally
{
    private readonly long[] _byKind = new long[Enum.GetValues<SoakKind>().Length];
    private long _total;

    internal long Total => Volatile.Read(ref _total);

    internal long this[SoakKind kind] => Volatile.Read(ref _byKind[(int)kind]);

    internal void Count(SoakKind kind, int operations = 1)
    {
        Volatile.Write(ref _byKind[(int)kind], _byKind[(int)kind] + operations);
        Volatile.Write(ref _total, _total + operations);
    }

    /// <summary>Begins again at nothing.</summary>
    internal void Clear()
    {
        Array.Clear(_byKind);
        _total = 0;
    }
}

/// <summary>What an operation did.</summary>
internal enum SoakKind
{
    Put,
    ReplaceSameSize,
    ReplaceOtherSize,
    Delete,
    Get,
    GetMany,
    Lease,
    ReadDeleted,
    SharedRead,
    SharedChange,
    Walk,
    TablePut,
    TableGet,
    TableGetMany,
    TableRemove,
    TableWalk,
    RemoveByTag,
    DropTable,
    Sweep,
    Flush,
    Trim,
    Compact,
    Verify,
}
