using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Codec.Payloads;
using BigPile.Concurrency;

namespace BigPile;

/// <summary>Giving memory back, and closing.</summary>
public sealed unsafe partial class Pile
{
    private const int TrimPauseMs = 1_000;

    private long _noTrimBefore;

    /// <summary>Gives empty segments back to the system. The pile does so by itself when it has shrunk by more than a segment.</summary>
    /// <remarks>
    /// What is not given back: a segment in which one object lives, since pointers name places. Free pages of it serve objects of any size.
    /// A free slot in a page that still holds an object serves objects of its size, and in a fragmented pile of down to half of it.
    /// <see cref="Compact(System.Threading.CancellationToken)"/> moves what can be moved first.
    /// </remarks>
    /// <exception cref="PileStorageException">
    /// The device refused. What could not be given back is used again, or given back by the next trim.
    /// </exception>
    public void Trim()
    {
        ThreadPresence.RefuseInside();
        Exit(Enter());
        if (_log != null && QuarantinedBytes != 0)
            _ = TryFlushToMakeRoom();
        Exception? failure = null;
        lock (_closing)
        {
            if (!IsClosed && !IsReadOnly)
                failure = _allocator.Trim();
        }
        if (failure != null)
        {
            throw new PileStorageException(
                $"Not all empty segments of the pile in '{DirectoryPath}' could be given back: {failure.Message} "
                + "Nothing is lost; trim again once the device can be written.", failure);
        }
    }

    /// <summary>
    /// Closes the pile once the calls that run have ended. A mapped pile is written through and marked as cleanly closed.
    /// </summary>
    /// <remarks>
    /// While payloads are leased, their segments stay, and in a mapped pile nobody can open the directory: see <see cref="PileLease"/>.
    /// </remarks>
    /// <exception cref="PileStorageException">
    /// The device refused. The pile is closed as by a kill; what was flushed before is durable.
    /// </exception>
    public void Dispose()
    {
        ThreadPresence.RefuseInside(); // first of all: what is closed half-way keeps its lock for ever
        Recovery.Stop();
        Background.TryRun("stopping the flushes by interval", StopFlushTimer);
        ExamineWhatIsLeft();
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

    // A closed pile states that no page has traces of a kill or of a power cut: what they mean is known only now.
    private void ExamineWhatIsLeft()
    {
        if (_directory is not { IsReadOnly: false, WasClean: false })
            return;
        try
        {
            ExamineAll();
        }
        catch (ObjectDisposedException) when (IsClosed)
        {
            // by another thread, which has examined them
        }
    }

    private void StopFlushTimer() => _flushTimer?.Dispose();

    // The caller's own work is done, whatever becomes of this.
    private void TrimQuietly()
    {
        if (IsTrimPutOff() || !_closing.TryEnter())
            return;
        Exception? thrown = null;
        try
        {
            thrown = GiveBackLocked();
        }
        catch (Exception e)
        {
            thrown = e;
        }
        finally
        {
            _closing.Exit();
        }
        if (thrown == null)
            return;
        _noTrimBefore = Environment.TickCount64 + TrimPauseMs;
        Background.NoteFailure("giving memory back", thrown);
    }

    private bool IsTrimPutOff() => _noTrimBefore != 0 && Environment.TickCount64 < _noTrimBefore;

    private Exception? GiveBackLocked()
    {
        if (IsClosed)
            return null;
        if (_hasRetired)
            FreeRetired();
        return _allocator.WantsTrim ? _allocator.Trim() : null;
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
            _directory.Catalog.Settle(); // first of all: what a failed call left must not go with what becomes durable
            if (!_directory.WasClean)
                _directory.MarkExamined(); // before the marks get the log's own epoch: a kill must not take them for marks of before a cut
            SettleQuarantine();
            SyncSegments();
            _directory.MarkClean(Volatile.Read(ref _versions.Last));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new PileStorageException($"The pile in '{DirectoryPath}' could not be written through at its end: {e.Message} What was "
                + "flushed before is durable.", e);
        }
    }

    // Each step is made whatever the ones before threw: a lock that stays would keep the directory from everybody.
    private void Abandon()
    {
        try
        {
            _log?.Dispose();
        }
        finally
        {
            try
            {
                _redo?.Dispose();
                _moved?.Dispose();
                _sharedMoves?.Dispose();
            }
            finally
            {
                if (!_leases.IsAny)
                    LetGo();
            }
        }
    }

    // Nobody knows of the pile but what it began itself, which looks whether it is closed.
    private void AbandonUnopened()
    {
        Volatile.Write(ref _gate, GateClosed);
        Background.TryRun("stopping the flushes by interval", StopFlushTimer);
        ThreadPresence.WaitForOthers();
        Abandon();
    }

    // Called once nobody is inside any more, and nobody looks at a payload. Until then the directory is nobody else's: whoever opened it
    // would write under the leases.
    private void LetGo()
    {
        (Codec as MessagePackPileCodec)?.Clear();
        try
        {
            FreeMemory();
        }
        finally
        {
            _directory?.Dispose();
        }
    }

    private void FreeMemory()
    {
        while (_retired.TryDequeue(out nint memory))
            NativeMemory.Free((void*)memory);
        _allocator?.Dispose();
        _map?.Dispose();
        _stripes?.Dispose();
        _stripeFile?.Dispose();
    }
}
