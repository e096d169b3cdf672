using System;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Memory;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.Allocation;

/// <summary>Segments in memory of the process.</summary>
/// <remarks>
/// The next segment may be prepared in the background, so that the first writer does not pay for the first touch of huge pages. The lock is
/// held only to exchange it.
/// </remarks>
internal sealed unsafe class MemorySegmentStore(StoreKind kind, bool hugePages, BackgroundWork? background = null) : SegmentStore
{
    private const int SystemPageBytes = 4096;

    private readonly Lock _lock = new();
    private readonly BackgroundWork _background = background ?? new BackgroundWork(NullLogger.Instance, static () => false);
    private MemoryRegion? _spare;
    private bool _isPreparing;
    private bool _isDisposed;

    internal override StoreKind Kind => kind;

    /// <summary>Whether a prepared segment is ready. For tests.</summary>
    internal bool HasSpare
    {
        get
        {
            lock (_lock)
                return _spare != null;
        }
    }

    internal override MemoryRegion Create(int number, long lengthBytes)
    {
        lock (_lock)
        {
            if (_spare is { } spare && spare.LengthBytes == lengthBytes)
            {
                _spare = null;
                return spare;
            }
        }
        return kind == StoreKind.Managed ? new ManagedRegion(lengthBytes) : new NativeRegion(lengthBytes, hugePages);
    }

    internal override void Prepare(long lengthBytes, long touchedBytes)
    {
        lock (_lock)
        {
            if (kind != StoreKind.Native || _spare != null || _isPreparing || _isDisposed)
                return;
            _isPreparing = true;
        }
        _background.Queue("making a segment ahead", () => Make(lengthBytes, touchedBytes));
    }

    public override void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _spare?.Dispose();
            _spare = null;
        }
    }

    private void Make(long lengthBytes, long touchedBytes)
    {
        MemoryRegion? region = null;
        try
        {
            region = new NativeRegion(lengthBytes, hugePages);
            for (long at = 0; at < Math.Min(touchedBytes, lengthBytes); at += SystemPageBytes)
                Volatile.Write(ref region.Start[at], 0);
        }
        catch (OutOfMemoryException)
        {
            // The thread that needs the segment will try again, and report the failure.
        }
        finally
        {
            Offer(region);
        }
    }

    private void Offer(MemoryRegion? region)
    {
        lock (_lock)
        {
            _isPreparing = false;
            if (_isDisposed)
                region?.Dispose();
            else
                _spare = region;
        }
    }
}
