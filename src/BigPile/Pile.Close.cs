using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile;

/// <summary>Giving memory back, and closing.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>Gives empty segments back to the system. The pile does so by itself when it has shrunk by more than a segment.</summary>
    /// <remarks>
    /// What is not given back: a segment in which one object lives, since pointers name places. Free pages of it serve objects of any size.
    /// A free slot in a page that still holds an object serves objects of its size, and in a fragmented pile of down to half of it.
    /// <see cref="Compact(System.Threading.CancellationToken)"/> moves what can be moved first.
    /// </remarks>
    public void Trim()
    {
        Exit(Enter());
        lock (_closing)
        {
            if (!IsClosed && !IsReadOnly)
                _allocator.Trim();
        }
    }

    /// <summary>Closes the pile once the calls that run have ended. A mapped pile is written through and marked as cleanly closed.</summary>
    /// <exception cref="PileStorageException">The device refused. The pile is closed as by a kill; what was flushed before is durable.</exception>
    public void Dispose()
    {
        Recovery.Stop();
        _flushTimer?.Dispose();
        lock (_flushing)
        {
            lock (_closing)
            {
                if (IsClosed)
                    return;
                Volatile.Write(ref _gate, GateClosed);
                ThreadPresence.WaitForOthers();
                try
                {
                    MarkClean();
                }
                finally
                {
                    Abandon();
                }
            }
        }
    }

    private void TrimQuietly()
    {
        if (!_closing.TryEnter())
            return;
        try
        {
            if (IsClosed)
                return;
            if (_hasRetired)
                FreeRetired();
            if (_allocator.WantsTrim)
                _allocator.Trim();
        }
        finally
        {
            _closing.Exit();
        }
    }

    private void FreeRetired()
    {
        Volatile.Write(ref _hasRetired, false);
        nint[] retired = [.. _retired];
        if (retired.Length == 0)
            return;
        ThreadPresence.WaitForOthers();
        for (int i = 0; i < retired.Length; i++)
        {
            if (_retired.TryDequeue(out nint memory))
                NativeMemory.Free((void*)memory);
        }
    }

    private void MarkClean()
    {
        if (_directory is not { IsReadOnly: false })
            return;
        try
        {
            SyncSegments();
            _directory.MarkClean(Volatile.Read(ref _versions.Last));
        }
        catch (IOException e)
        {
            throw new PileStorageException($"The pile in '{DirectoryPath}' could not be written through at its end: {e.Message} What was flushed before is durable.", e);
        }
    }

    private void Abandon()
    {
        _flushTimer?.Dispose();
        _log?.Dispose();
        _redo?.Dispose();
        _directory?.Dispose();
        if (!_leases.IsAny)
            FreeMemory();
    }

    // Called once nobody is inside any more, and again by the last lease if there was one.
    private void FreeMemory()
    {
        while (_retired.TryDequeue(out nint memory))
            NativeMemory.Free((void*)memory);
        _allocator?.Dispose();
        _map?.Dispose();
        _stripes.Dispose();
    }
}
