namespace BigPile.Access;

/// <summary>What a reader waited for in vain: whoever comes later need not wait as long again.</summary>
internal sealed record BusyMark(ulong Address, ulong Number);
