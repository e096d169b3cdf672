using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tables;

/// <summary>The keys of spilled entries, for a walk that has begun with those in memory.</summary>
/// <remarks>
/// An entry that stays is met in memory, in the file, or, promoted meanwhile, by the watch, which begins before all of it; some are met
/// twice.
/// </remarks>
internal sealed class SpilledWalk(DiskTier disk) : IDisposable
{
    private readonly PromotionWatch _promoted = disk.WatchPromotions();
    private IEnumerator<byte[]>? _keys; // null until the walk through memory has ended

    internal bool TryNext([NotNullWhen(true)] out byte[]? key)
    {
        _keys ??= disk.Keys().GetEnumerator();
        if (!_keys.MoveNext())
            return _promoted.TryNext(out key);
        key = _keys.Current;
        return true;
    }

    public void Dispose()
    {
        _keys?.Dispose();
        _promoted.Dispose();
    }
}
