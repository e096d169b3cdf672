using System;

namespace BigPile.Caching;

/// <summary>The table was dropped while in use; the pile is open.</summary>
internal sealed class TableDroppedException(string name) : ObjectDisposedException(nameof(PileCache), $"The table '{name}' was dropped.");
