namespace BigPile.Caching.Tables;

/// <summary>What a table counts of its entries' blocks.</summary>
internal readonly record struct BlockCount(int Entries, long RoomBytes, long PayloadBytes);
