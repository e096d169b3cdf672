namespace BigPile.Hash;

/// <summary>The kinds of <see cref="RecordChange"/>.</summary>
internal enum RecordChangeKind
{
    Keep,
    Set,
    Remove,
}
