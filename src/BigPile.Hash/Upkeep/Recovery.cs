using System;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;

namespace BigPile.Hash.Upkeep;

/// <summary>Makes a database whole whose last process did not close it.</summary>
/// <remarks>
/// Chains are not trusted: all rooms are scanned, and of each key the record or tombstone of the highest sequence is linked anew. That is
/// right after a kill, since what is dead and was not hard-synchronized is marked before the call that killed it returns; and after a power
/// cut, since what is dead and was hard-synchronized keeps its room until the device has what outdates it. Three passes: link the newest;
/// unlink tombstones, and count; then free what is in no chain. Ended by a kill, it is done again from the beginning.
/// </remarks>
internal sealed class Recovery(RecordStore store, Stripes stripes, bool isPowerCut, FileState? state)
{
    private readonly RecordFile _file = store.File;
    private readonly bool _wasEverHard = state?.WasEverHard ?? true;
    private readonly byte[] _room = new byte[RecordFile.RoomBytes];
    private long _end;
    private long _lastSequence = state?.LastSequence ?? 0;

    /// <summary>The records that were found.</summary>
    internal long Records { get; private set; }

    /// <summary>Half-written records.</summary>
    internal long TornRecords { get; private set; }

    internal void Run()
    {
        _end = _file.Stock.End & -_file.Layout.Alignment;
        _file.EmptyBuckets();
        store.Pass(HashWindow.RecoveryBucketsEmptied);
        LinkNewest();
        UnlinkTombstones();
        store.Pass(HashWindow.RecoveryLinked);
        if (isPowerCut && _wasEverHard)
            _file.File.Synchronize(hard: true);
        FreeUnlinked();
        if (isPowerCut && _wasEverHard)
            _file.File.Synchronize(hard: true);
        Settle();
        store.Pass(HashWindow.RecoveryMarked);
    }

    private void LinkNewest()
    {
        var scanner = new RoomScanner(_file, _end);
        long usedEnd = _file.Layout.AreaStart;
        while (scanner.MoveNext())
        {
            if (!scanner.IsRoom)
                continue;
            usedEnd = scanner.Offset + scanner.Bytes;
            if (!scanner.IsRecord)
                continue;
            if (scanner.Matches())
                Link(scanner);
            else
                TornRecords++;
        }
        long kept = (usedEnd + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes;
        if (kept != _file.File.Size)
            _file.File.Truncate(kept); // behind the last room there is nothing that was ever used
        _end = kept;
        _file.Stock.Reset(kept);
    }

    private void Link(RoomScanner scanner)
    {
        ReadOnlySpan<byte> key = scanner.Key();
        _lastSequence = Math.Max(_lastSequence, scanner.Head.Sequence);
        ulong hash = KeyHash.Of(key, _file.Layout.Seed);
        if (_file.Find(key, hash, _room, out Place place, isRecovery: true) == Finding.Bad)
            throw _file.Damaged(place.Offset);
        if (place.Offset != 0 && place.Head.Sequence >= scanner.Head.Sequence)
            return;
        _file.WriteLink(scanner.Offset + RecordHead.NextAt, place.Offset != 0 ? place.Head.Next : place.First);
        _file.WriteLink(place.Link, scanner.Offset);
    }

    private void UnlinkTombstones()
    {
        var scanner = new RoomScanner(_file, _end);
        while (scanner.MoveNext())
        {
            if (!scanner.IsRecord || !IsLinked(scanner, out long link))
                continue;
            if (scanner.Head.Word.IsLive)
                Records++;
            else
                _file.WriteLink(link, _file.ReadLink(scanner.Offset + RecordHead.NextAt));
        }
        stripes[0].Records = Records; // the sum is all that counts
    }

    private void FreeUnlinked()
    {
        var scanner = new RoomScanner(_file, _end, _file.Stock.ForgetWord);
        for (int stripe = 0; scanner.MoveNext(); stripe = (stripe + 1) % Stripes.Count)
        {
            var room = new Room(scanner.Offset, scanner.Bytes);
            if (!scanner.IsRecord)
                _file.Stock.Give(stripe, room);
            else if (!IsLinked(scanner, out _))
                Free(stripe, room, scanner);
        }
    }

    // A tombstone stays until the device has the marks of what it hides: cut off between the two, what is dead would come back.
    private void Free(int stripe, Room room, RoomScanner scanner)
    {
        if (!scanner.Matches())
            store.Dead.Bury(stripe, room);
        else if (!scanner.Head.Word.IsLive && _wasEverHard)
            store.Dead.WaitAsTombstone(stripe, room);
        else if (!isPowerCut && scanner.Head.Sequence <= state!.Value.SyncedSequence)
            store.Dead.Wait(stripe, room);
        else
            store.Dead.Bury(stripe, room);
    }

    private bool IsLinked(RoomScanner scanner, out long link)
    {
        link = 0;
        return scanner.Head.NeededBytes <= scanner.Bytes
            && _file.IsLinked(KeyHash.Of(scanner.Key(), _file.Layout.Seed), scanner.Offset, out link);
    }

    private void Settle()
    {
        for (int i = 0; i < Stripes.Count; i++)
            stripes[i].Sequence = _lastSequence;
        store.SyncedSequence = !isPowerCut ? state!.Value.SyncedSequence : _wasEverHard ? _lastSequence : 0;
    }
}
