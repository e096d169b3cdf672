using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Hash.Checking;
using BigPile.Hash.Format;
using BigPile.Hash.Space;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Records;

/// <summary>Sets and removes records. README.md, "Design", has the order of the stores, and what each leaves after a crash.</summary>
/// <remarks>The caller holds the record's stripe, and has looked up the record (<see cref="RecordFile.Find"/>) under it.</remarks>
internal sealed partial class RecordStore(RecordFile file, HashDatabaseOptions options)
{
    private long _syncedSequence;

    internal RecordFile File { get; } = file;

    internal PendingFrees PendingFrees { get; } = new PendingFrees(file, options.UpdateMode == HashUpdateMode.InPlace);

    /// <summary>
    /// Records up to this sequence are durable, so their extents must wait when they die. Raised while all stripes are held.
    /// </summary>
    internal long SyncedSequence
    {
        get => Volatile.Read(ref _syncedSequence);
        set
        {
            Debug.Assert(value >= _syncedSequence, "What is durable stays so.");
            Volatile.Write(ref _syncedSequence, value);
        }
    }

    /// <summary>Sets the value of a key.</summary>
    /// <param name="stripeIndex">The index of the key's stripe, which the caller holds.</param>
    /// <param name="stripe">The key's stripe.</param>
    /// <param name="location">The location of the record, or of its chain.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    internal void PutLocked(
        int stripeIndex, ref Stripe stripe, in RecordLocation location, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        bool isThere = location.Offset != 0;
        Debug.Assert(isThere || File.Layout.IsBucket(location.Link), "A new record is the first of its chain.");
        Debug.Assert(!isThere || location.Head.Word.IsLive, "What is replaced is a record.");
        bool hides = isThere && IsNeeded(location.Head);
        Extent extent = File.Extents.Allocate(stripeIndex, RecordHead.Bytes + key.Length + value.Length);
        Debug.Assert(extent.Offset != location.Offset, "The record that is replaced keeps its extent.");
        CrashPoints.Pass(HashCrashPoint.ExtentTaken);
        try
        {
            ExtentWord word = WordOf(extent, hides ? ExtentKind.LiveHiding : ExtentKind.Live);
            long next = isThere ? location.Head.Next : location.First;
            long sequence = NextSequence(ref stripe);
            Debug.Assert(!isThere || location.Head.Sequence < sequence, "Of one key the newest record has the highest sequence.");
            if (isThere && HashMutation.ExtentFreedFirst)
                FreeOrDefer(stripeIndex, location);
            if (HashMutation.LinkFirst)
            {
                File.WriteLink(location.Link, location.LinkTag, extent.Offset);
                CrashPoints.Pass(HashCrashPoint.Linked);
            }
            File.WriteRecord(extent.Offset, word, next, sequence, key, value);
            CrashPoints.Pass(HashCrashPoint.RecordWritten);
            Link(location, extent.Offset);
        }
        catch
        {
            if (!MayPointTo(location.Link, extent.Offset))
                PendingFrees.MarkDeadAndFree(stripeIndex, extent);
            throw;
        }
        CrashPoints.Pass(HashCrashPoint.Linked);
        if (!isThere)
            Volatile.Write(ref stripe.Records, stripe.Records + 1);
        else if (!HashMutation.ExtentFreedFirst)
            FreeOrDefer(stripeIndex, location);
    }

    /// <summary>Removes an existing record.</summary>
    /// <inheritdoc cref="PutLocked" path="/param"/>
    internal void RemoveLocked(int stripeIndex, ref Stripe stripe, in RecordLocation location, ReadOnlySpan<byte> key)
    {
        Debug.Assert(location.Offset != 0 && location.Head.Word.IsLive, "What is removed is a record.");
        if (IsNeeded(location.Head) && !HashMutation.NoTombstones)
            RemoveWithTombstone(stripeIndex, ref stripe, location, key);
        else
            Link(location, location.Head.Next);
        CrashPoints.Pass(HashCrashPoint.Linked);
        Volatile.Write(ref stripe.Records, stripe.Records - 1);
        FreeOrDefer(stripeIndex, location);
    }

    /// <summary>Whether a recovery after a power cut could find the record, or one that it hides.</summary>
    private bool IsNeeded(in RecordHead head) => head.Sequence <= SyncedSequence || head.Word.Kind == ExtentKind.LiveHiding;

    private void RemoveWithTombstone(int stripeIndex, ref Stripe stripe, in RecordLocation location, ReadOnlySpan<byte> key)
    {
        Extent extent = File.Extents.Allocate(stripeIndex, RecordHead.Bytes + key.Length);
        CrashPoints.Pass(HashCrashPoint.ExtentTaken);
        try
        {
            ExtentWord word = WordOf(extent, ExtentKind.Tombstone);
            File.WriteRecord(extent.Offset, word, 0, NextSequence(ref stripe), key, default);
            CrashPoints.Pass(HashCrashPoint.TombstoneWritten);
            Link(location, location.Head.Next);
        }
        catch
        {
            PendingFrees.MarkDeadAndFree(stripeIndex, extent);
            throw;
        }
        PendingFrees.DeferTombstone(stripeIndex, extent);
    }

    private void FreeOrDefer(int stripeIndex, in RecordLocation location)
    {
        var extent = new Extent(location.Offset, location.Head.Word.Units << File.Layout.AlignmentShift);
        if (location.Head.Sequence <= SyncedSequence && !HashMutation.NothingDeferred)
        {
            PendingFrees.DeferRecord(stripeIndex, extent);
            return;
        }
        if (HashMutation.NoMarks)
            File.Extents.Free(stripeIndex, extent);
        else
            PendingFrees.MarkDeadAndFree(stripeIndex, extent);
        CrashPoints.Pass(HashCrashPoint.Marked);
    }

    // A device may report a failure for a store that succeeded.
    private void Link(in RecordLocation location, long target)
    {
        try
        {
            File.WriteLink(location.Link, location.LinkTag, target);
        }
        catch (IOException) when (PointsTo(location.Link, target) == true)
        {
            // the link is as intended
        }
    }

    private bool MayPointTo(long link, long target) => PointsTo(link, target) ?? true;

    private bool? PointsTo(long link, long target)
    {
        try
        {
            return File.ReadLink(link) == target;
        }
        catch (IOException)
        {
            return null;
        }
    }

    private ExtentWord WordOf(Extent extent, ExtentKind kind)
    {
        Debug.Assert((extent.Bytes & (File.Layout.Alignment - 1)) == 0, "The word states the length in whole units.");
        Debug.Assert(extent.Bytes >> File.Layout.AlignmentShift <= uint.MaxValue, "The length fits into the word.");
        return ExtentWord.Of(extent.Bytes >> File.Layout.AlignmentShift, kind, extent.Offset, File.Layout.Salt);
    }

    private long NextSequence(ref Stripe stripe)
    {
        long sequence = Math.Max(stripe.Sequence, SyncedSequence) + 1;
        if (sequence > RecordHead.MaxSequence)
        {
            throw new HashDatabaseException(
                $"'{File.File.Path}' has used up its {RecordHead.MaxSequence:N0} sequences. Copy its records to a new one.");
        }
        stripe.Sequence = sequence;
        return sequence;
    }
}
