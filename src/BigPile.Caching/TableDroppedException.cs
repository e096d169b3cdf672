using System;

namespace BigPile.Caching;

/// <summary>A table was dropped while somebody had it; the pile is open.</summary>
internal sealed class TableDroppedException(string name) : ObjectDisposedException(nameof(PileCache), $"The table '{name}' was dropped.");
