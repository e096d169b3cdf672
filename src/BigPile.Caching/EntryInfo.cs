namespace BigPile.Caching;

/// <summary>What a table knows of an entry beside its key and value.</summary>
/// <param name="Version">Higher than that of every entry put before in the same pile; a new one at each put. It survives restarts.</param>
/// <param name="ValueBytes">The bytes of the value as it is stored.</param>
public readonly record struct EntryInfo(ulong Version, int ValueBytes);
