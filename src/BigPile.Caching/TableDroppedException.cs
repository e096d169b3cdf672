using System;

namespace BigPile.Caching;

/// <summary>The table was dropped while in use; the pile is open.</summary>
/// <param name="name">The name of the table.</param>
public sealed class TableDroppedException(string name) : ObjectDisposedException(nameof(PileCache), $"The table '{name}' was dropped.");
