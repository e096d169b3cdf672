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
    private int _left = -1; // keys of the watch that may have been missed; -1: the file is not walked to its end

    /// <summary>Whether the walk was too slow for what was promoted meanwhile, and begins anew.</summary>
    internal bool IsOverrun => _promoted.IsOverrun;

    internal bool TryNext([NotNullWhen(true)] out byte[]? key)
    {
        _keys ??= disk.Keys().GetEnumerator();
        if (_left < 0 && _keys.MoveNext())
        {
            key = _keys.Current;
            return true;
        }
        if (_left < 0)
            _left = _promoted.Count; // what is promoted from here on was met
        key = null;
        return _left-- > 0 && _promoted.TryNext(out key);
    }

    public void Dispose()
    {
        _keys?.Dispose();
        _promoted.Dispose();
    }
}
