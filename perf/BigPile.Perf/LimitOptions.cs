namespace BigPile.Perf;

/// <summary>What the limit load is asked to do.</summary>
/// <param name="LimitMebibytes">The table's limit.</param>
/// <param name="PutMebibytes">How much is put in all, keys and values.</param>
/// <param name="ValueBytes">The bytes of each value.</param>
/// <param name="SpillDirectory">The directory to which the table moves entries; <see langword="null"/>: none.</param>
internal sealed record LimitOptions(
    int LimitMebibytes = 1024, int PutMebibytes = 10_240, int ValueBytes = 1000, string? SpillDirectory = null)
{
    internal const int MaxLimitMebibytes = 1 << 20;
    internal const int MaxPutMebibytes = 1 << 24;
}
