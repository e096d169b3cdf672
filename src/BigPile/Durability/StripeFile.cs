using System;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>The stripes of a mapped pile, in a file that readers in other processes map as well.</summary>
/// <remarks>
/// <code>
/// byte 0    "BIGPILES"
/// byte 8    number of stripes, a power of two from 256 to 4096; 4 bytes of zero
/// byte 16   the pile's number
/// byte 64   changes: raised by 2 when segments come or go; odd while an owner recovers the pile; all bits set: the pile was removed
/// byte 128  stripes of 64 bytes: lock (4, the owner's alone), 4 of zero, sequence (8), address (8)
/// </code>
/// The file has room for the most stripes, and is never made shorter or replaced while it has its length: whoever maps it sees every later
/// owner. None of its bytes has a meaning for the owner's objects: what a killed owner leaves is put right by the next one. While an owner
/// opens the pile the changes are odd, and nobody reads: it may put blocks back, and change the number of stripes.
/// </remarks>
internal sealed unsafe class StripeFile : IDisposable
{
    internal const string Name = "stripes";

    /// <summary>The number of changes of a pile that was removed.</summary>
    internal const ulong Removed = ulong.MaxValue;

    private const long LengthBytes = HeadBytes + SeqLockStripes.MaxCount * (long)StripeBytes;
    private const string UnfinishedSuffix = ".new";
    private const int HeadBytes = 128;
    private const int StripeBytes = 64;
    private const ulong ExpectedMagic = 0x53454C4950474942; // "BIGPILES"

    private readonly MappedRegion _region;
    private bool _isRecovering;

    private StripeFile(MappedRegion region) => _region = region;

    /// <summary>The stripes that are in use.</summary>
    internal SeqLockStripes Stripes => StripesOf(Head->Count);

    /// <summary>How often the list of segments changed, twice; odd while an owner recovers the pile.</summary>
    internal ulong Changes => Volatile.Read(ref Head->Changes);

    /// <summary>Where that number is.</summary>
    internal ulong* ChangesAt => &Head->Changes;

    private FileHead* Head => (FileHead*)_region.Start;

    /// <summary>Opens the file, or makes it, and keeps readers out. The caller owns the directory.</summary>
    /// <exception cref="IOException">It can't be made.</exception>
    internal static StripeFile OpenForWriting(HeldDirectory directory, Guid pileId)
    {
        bool isUsable;
        using (HeldFile? found = directory.TryOpen(Name, FileAccess.Read))
            isUsable = found?.LengthBytes == LengthBytes;
        if (!isUsable)
            Create(directory, pileId);
        var file = new StripeFile(MappedRegion.Open(directory, Name, LengthBytes, readOnly: false));
        if (!file.Head->IsOf(pileId))
            *file.Head = FileHead.For(pileId, file.Changes | 1);
        file.BeginRecovery();
        return file;
    }

    /// <summary>Whether an owner has made the file.</summary>
    internal static bool Exists(HeldDirectory directory) => FileStatus.Of(directory.PathOf(Name)) != null;

    /// <summary>Opens the file for a reader; null when no owner has made it yet.</summary>
    /// <exception cref="PileStorageException">It is damaged.</exception>
    internal static StripeFile? OpenForReading(HeldDirectory directory, Guid pileId)
    {
        if (!Exists(directory))
            return null;
        StripeFile? file = null;
        try
        {
            file = new StripeFile(MappedRegion.Open(directory, Name, LengthBytes, readOnly: true));
            if (!file.Head->IsOf(pileId))
                throw new InvalidDataException($"The file '{directory.PathOf(Name)}' does not belong to this pile.");
            return file;
        }
        catch (Exception e) when (e is InvalidDataException or IOException)
        {
            file?.Dispose();
            throw new PileStorageException(
                $"What readers need of the pile's writer can't be read: {e.Message} Open the pile for writing once, which makes the file "
                + "anew.", e);
        }
    }

    /// <summary>Tells readers that the pile is about to be removed. The caller owns the directory.</summary>
    internal static void MarkRemoved(HeldDirectory directory)
    {
        using (HeldFile? found = directory.TryOpen(Name, FileAccess.Read))
        {
            if (found?.LengthBytes != LengthBytes)
                return;
        }
        using MappedRegion region = MappedRegion.Open(directory, Name, LengthBytes, readOnly: false);
        Volatile.Write(ref ((FileHead*)region.Start)->Changes, Removed);
    }

    /// <summary>Lets readers in, and gives the stripes. The blocks that a killed owner was changing are whole again.</summary>
    internal SeqLockStripes EndRecovery()
    {
        Debug.Assert(_isRecovering && (Head->Changes & 1) != 0, "Readers were let in before what a killed owner left was put right.");
        StripesOf(SeqLockStripes.MaxCount).Recover();
        Head->Count = SeqLockStripes.DefaultCount;
        _isRecovering = false;
        Interlocked.Increment(ref Head->Changes);
        return Stripes;
    }

    /// <summary>Tells readers that the list of segments is another one.</summary>
    internal void OnSegmentsChanged() => Interlocked.Add(ref Head->Changes, 2);

    public void Dispose()
    {
        if (_isRecovering)
            Interlocked.Increment(ref Head->Changes); // the opening failed: nobody is recovering any more
        _isRecovering = false;
        _region.Dispose();
    }

    // A reader finds the file with its head, or none.
    private static void Create(HeldDirectory directory, Guid pileId)
    {
        using HeldFile file = directory.Open(Name + UnfinishedSuffix, FileMode.Create, FileAccess.ReadWrite, LengthBytes);
        try
        {
            file.Allocate(LengthBytes, isNew: true);
            FileHead head = FileHead.For(pileId, 1);
            file.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<FileHead>(in head)), 0);
            directory.Rename(file, Name);
        }
        catch
        {
            directory.TryDelete(Name + UnfinishedSuffix);
            throw;
        }
    }

    private void BeginRecovery()
    {
        Debug.Assert(!_isRecovering, "The recovery has begun already.");
        _isRecovering = true;
        if ((Head->Changes & 1) == 0)
            Interlocked.Increment(ref Head->Changes);
    }

    private SeqLockStripes StripesOf(int count) => new((SeqLockStripes.Stripe*)(_region.Start + HeadBytes), count);

    [StructLayout(LayoutKind.Explicit, Size = HeadBytes)]
    private struct FileHead
    {
        [FieldOffset(0)]
        internal ulong Magic;

        [FieldOffset(8)]
        internal int Count;

        [FieldOffset(16)]
        internal Guid PileId;

        [FieldOffset(64)]
        internal ulong Changes;

        /// <summary>A head.</summary>
        internal static FileHead For(Guid pileId, ulong changes) =>
            new() { Magic = ExpectedMagic, Count = SeqLockStripes.DefaultCount, PileId = pileId, Changes = changes };

        internal readonly bool IsOf(Guid pileId) =>
            Magic == ExpectedMagic && PileId == pileId
            && Count is >= SeqLockStripes.MinCount and <= SeqLockStripes.MaxCount && BitOperations.IsPow2(Count);
    }
}
