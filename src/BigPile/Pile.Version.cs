using System.Threading;

namespace BigPile;

/// <summary>Numbering the entries of tables.</summary>
public sealed partial class Pile
{
    // Written to the file in steps, before the first version of a step is used. Derived from what is alive, the counter would go
    // backwards once the youngest entries were removed.
    private const ulong VersionStep = 65_536;

    private readonly Lock _versionLock = new();
    private ulong _version;
    private ulong _versionLimit;

    /// <summary>The next version of an entry of a table: higher than every one before, also across restarts and kills.</summary>
    internal ulong NextVersion()
    {
        ulong version = Interlocked.Increment(ref _version);
        if (version > Volatile.Read(ref _versionLimit))
            RaiseVersionLimit(version);
        return version;
    }

    private void RaiseVersionLimit(ulong version)
    {
        lock (_versionLock)
        {
            if (version <= _versionLimit)
                return;
            ulong limit = version + VersionStep;
            _directory?.RaiseVersionLimit(limit);
            Volatile.Write(ref _versionLimit, limit);
        }
    }
}
