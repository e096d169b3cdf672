using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Allocation;
using BigPile.Durability;

namespace BigPile;

/// <summary>Keeping what was flushed as it is, until a later flush has ended.</summary>
/// <remarks>
/// Stores go through a shared map, so the system may write any page at any time, and a power cut leaves any of it. What a flush made
/// durable therefore stays in its place, freed or not, but for the header of a block, which is one sector and can be undone. Freed blocks
/// wait in quarantine: a flush takes the list together with the changes, and gives their room back once the device has the batch. When
/// it does not come to its end, the list stays for the next one.
/// A checkpoint makes final what was freed before it looked for the last time, by the epoch in the headers: so none that is freed later,
/// while the superblock still states the old epoch, may have the same one.
/// </remarks>
public sealed unsafe partial class Pile
{
    // More than one: a checkpoint that failed may have left a batch of the next epoch. And what has the mark of this one becomes final.
    private const int ClosingEpochs = 5;

    private readonly Quarantine _captured = new(); // under the flush lock
    private ulong _capturedVersion; // under the flush lock, as the others
    private long _freeEpoch;
    private int _isFlushRequested;

    /// <summary>Bytes that were freed and can be used again after the next flush.</summary>
    internal long QuarantinedBytes => _allocator.QuarantinedBytes;

    /// <summary>Takes what changed, and what was freed of what was flushed. Nothing changes meanwhile.</summary>
    private ulong[]? TakeChanges()
    {
        ulong[]? addresses = ChangeCapture.TakeAddresses(_allocator);
        _allocator.TakeQuarantine(_captured);
        _capturedVersion = Volatile.Read(ref _versions.Last); // of every entry that is there, since nobody is putting one
        _capturedMoves = _moved!.Count != 0 ? _moved.Entries() : [];
        return addresses;
    }

    /// <summary>Begins a checkpoint: the segments are written next. Nothing changes meanwhile.</summary>
    private void BeginCheckpoint()
    {
        _ = TakeChanges();
        long epoch = _directory!.LogEpoch;
        if (_freeEpoch == epoch)
            return;
        // A checkpoint failed after its last look: what was freed since would not become final with this one.
        _captured.Mark(epoch, _map);
        _freeEpoch = epoch;
    }

    /// <summary>Gives back the room of what a flush has made durably free.</summary>
    private void ReleaseCaptured()
    {
        if (_capturedMoves.Count != 0)
            Still(SettleMoves); // before the lists: those deleted as links are free by now
        _allocator.Release(_captured);
        _captured.Clear();
    }

    /// <summary>Flushes in the background; called where much waits for it.</summary>
    private void RequestFlush()
    {
        if (Interlocked.Exchange(ref _isFlushRequested, 1) == 0)
            Background.Queue("a flush that gives room back", FlushAsRequested);
    }

    private void FlushAsRequested()
    {
        Volatile.Write(ref _isFlushRequested, 0);
        FlushQuietly();
        if (_allocator.WantsTrim)
            TrimQuietly();
    }

    /// <summary>
    /// The records of the moved blocks: whatever the lists hold, a checkpoint has no other way to say what became of them.
    /// </summary>
    private Memory<byte> CaptureMoves() => NewCapture().Capture(WithMoves([]), int.MaxValue)!.Value;

    /// <summary>Some addresses, in order and each once, and those of the moved blocks.</summary>
    private ulong[] WithMoves(ulong[] addresses)
    {
        if (_capturedMoves.Count == 0)
            return addresses;
        var all = new List<ulong>(); // nearly always all of them are listed
        foreach (MovedTable.Entry entry in _capturedMoves)
        {
            if (Array.BinarySearch(addresses, entry.Address) < 0)
                all.Add(entry.Address);
        }
        if (all.Count == 0)
            return addresses;
        all.AddRange(addresses);
        return ChangeCapture.Distinct(all).ToArray();
    }

    private ChangeCapture NewCapture() => new(_map, _allocator, _moved!, _isSealed, _capturedVersion);

    // Closing: nobody is inside any more. The epoch makes final what was freed; then nothing is left that could be undone.
    private void SettleQuarantine()
    {
        BeginCheckpoint();
        if (_captured.IsEmpty && _capturedMoves.Count == 0)
            return;
        SyncSegments();
        if (_capturedMoves.Count != 0)
        {
            _log!.Restart(CaptureMoves().Span, Volatile.Read(ref _versions.Limit), _capturedVersion);
            SettleMoves();
            ReleaseCaptured();
            return;
        }
        _directory!.RaiseLogEpoch(_directory.LogEpoch + ClosingEpochs, _capturedVersion);
        ReleaseCaptured();
    }
}
