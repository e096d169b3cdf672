namespace BigPile.Caching.Tables;

/// <summary>A change of one slot of an index: the block that it is to lead to, and the one that it leads to now.</summary>
/// <param name="NewAddress">The block that comes; 0: none.</param>
/// <param name="OldAddress">The block that goes; 0: none.</param>
/// <param name="OldVersion">Its version.</param>
/// <param name="OwnsNew">Whether the new entry's object was made for it.</param>
internal readonly record struct NotedChange(ulong NewAddress, ulong OldAddress, ulong OldVersion, bool OwnsNew = false);
