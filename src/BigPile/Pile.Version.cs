using System;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile;

/// <summary>Numbering the entries of tables.</summary>
public sealed partial class Pile
{
    // Written to the file in steps, before the first version of a step is used. Derived from what is alive, the counter would go
    // backwards once the youngest entries were removed. A step is durable before it is used: the device may get entries at any time. It is
    // large, so that waiting for the device is seldom.
    private const ulong VersionStep = 1 << 20;
    private const int FirstVersionShift = 24;

    private readonly Lock _versionLock = new();
    private readonly VersionCounter _versions = new();

    /// <summary>The next version of an entry of a table: higher than every one before, also across restarts and kills.</summary>
    internal ulong NextVersion()
    {
        ulong version = Interlocked.Increment(ref _versions.Last);
        if (version > Volatile.Read(ref _versions.Limit))
            RaiseVersionLimit(version, 0);
        return version;
    }

    // A new pile begins at a number of its own, so that a version of another pile is not taken for one of this.
    private void StartVersions(Guid pileId, ulong storedLimit) =>
        _versions.Last = _versions.Limit = storedLimit != 0 && !Fault.VersionFromLive
            ? storedLimit
            : (ulong)(uint)BitConverter.ToInt32(pileId.ToByteArray()) << FirstVersionShift;

    /// <summary>Only for a control of the kill test: takes the counter from an entry that is alive.</summary>
    internal void NoteVersion(ulong version)
    {
        if (Fault.VersionFromLive && version > _versions.Last)
            _versions.Last = _versions.Limit = version;
    }

    private void RestoreVersions(ulong limit) => _versions.Last = _versions.Limit = Math.Max(limit, _versions.Limit);

    // From the clock's version and not from the last one: else each kill would leave the versions a step further ahead of the clock.
    private void RaiseVersionLimit(ulong version, ulong least)
    {
        lock (_versionLock)
        {
            if (version <= _versions.Limit)
                return;
            ulong limit = Math.Max(version + VersionStep, least);
            _directory?.RaiseVersionLimit(limit);
            KillPoint.Pass(KillWindow.VersionsReservedBeforeUse);
            Volatile.Write(ref _versions.Limit, limit);
        }
    }

    /// <summary>An object of its own, so that counting does not take the pile's fields from the readers' caches.</summary>
    private sealed class VersionCounter : CacheLineIsolated
    {
        internal ulong Last;
        internal ulong Limit;
    }
}
