namespace BigPile.Access;

/// <summary>A change that a reader waited for in vain: later readers that meet the same one fail at once.</summary>
internal sealed record BusyMark(ulong Address, ulong Number);
