namespace BigPile.Caching.Tests.Durability;

/// <summary>An entry as a table shows it.</summary>
/// <param name="Value">Its value; none when it could not be read.</param>
/// <param name="Entry">All else, as it was before the value was read.</param>
/// <param name="Reading">What came of reading the value.</param>
internal readonly record struct FoundEntry(byte[]? Value, TableEntry<long> Entry, string Reading)
{
    public override string ToString() =>
        $"{Value?.Length ?? -1} bytes, version {Entry.Info.Version}, until {Entry.ExpiresAt:T}, which {Reading}";
}
