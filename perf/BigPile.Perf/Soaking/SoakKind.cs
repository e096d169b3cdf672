namespace BigPile.Perf.Soaking;

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
