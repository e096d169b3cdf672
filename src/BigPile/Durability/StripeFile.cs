using System;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Memory;
using BigPile.Memory.Concurrency;

namespace BigPile.Durability;

/// <summary>The sequence-lock stripes of a mapped pile, in a file that readers in other processes map too.</summary>
/// <remarks>
/// <code>
/// byte 0    "BIGPILES"
/// byte 8    number of stripes, a power of two from 256 to 4096; 4 bytes of zero
/// byte 16   the pile's id
/// byte 64   changes: raised by 2 when segments come or go; odd while an owner recovers the pile; all bits set: the pile was removed
/// byte 128  stripes of 64 bytes: lock (1, the owner's alone), 7 of zero, sequence (8), address (8)
/// </code>
/// The file always has space for the most stripes, and is never shortened or replaced while its length is right: a process that maps it
/// sees every later owner. Owners store nothing durable in it: each owner resets what a killed one left. While an owner opens the pile the
/// change count is odd, and nobody reads: it may restore blocks, and change the number of stripes.
/// </remarks>
internal sealed unsafe class StripeFile : IDisposable
{
    internal const string Name = "stripes";

    /// <summary>The change count of a pile that was removed.</summary>
    internal const ulong Removed = ulong.MaxValue;

    private const long LengthBytes = HeadBytes + StripeCount.Max * (long)StripeBytes;
    private const string UnfinishedSuffix = ".new";
    private const int HeadBytes = 128;
    private const int StripeBytes = 64;
    private const ulong ExpectedMagic = 0x53454C4950474942; // "BIGPILES"

    private readonly MappedRegion _region; // the file
    private bool _isRecovering; // whether this owner keeps readers out

    private StripeFile(MappedRegion region) => _region = region;

    /// <summary>The stripes in use.</summary>
    internal SeqLockStripes Stripes => StripesOf(Head->Count);

    /// <summary>The change count: 2 more after each change of the segment list, and each opening; odd while an owner recovers.</summary>
    internal ulong Changes => Volatile.Read(ref Head->Changes);

    /// <summary>The address of that count.</summary>
    internal ulong* ChangesAt => &Head->Changes;

    private FileHead* Head => (FileHead*)_region.Start;

    /// <summary>Opens or creates the file, and keeps readers out. The caller owns the directory.</summary>
    /// <exception cref="IOException">It can't be created.</exception>
    internal static StripeFile OpenForWriting(HeldDirectory directory, Guid pileId)
    {
        bool isUsable;
        using (HeldFile? found = directory.TryOpen(Name, FileAccess.Read))
            isUsable = found?.LengthBytes == LengthBytes;
        if (!isUsable)
            Create(directory, pileId);
        var file = new StripeFile(MappedRegion.Open(directory, Name, LengthBytes, readOnly: false));
        if (!file.Head->IsOf(pileId))
        {
            // Of another pile, or damaged. The count of changes goes on from there, and is odd before the rest changes: a reader that has
            // the file open stays out.
            ulong changes = Interlocked.Or(ref file.Head->Changes, 1) | 1;
            *file.Head = FileHead.For(pileId, changes);
        }
        file.BeginRecovery(); // before segments are mapped or blocks repaired
        return file;
    }

    /// <summary>Whether an owner has created the file.</summary>
    internal static bool Exists(HeldDirectory directory) => FileStatus.Of(directory.PathOf(Name)) != null;

    /// <summary>Opens the file for a reader; null if no owner has created it yet.</summary>
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

    /// <summary>Lets readers in, and returns the stripes. Blocks that a killed owner was changing are repaired by now.</summary>
    internal SeqLockStripes EndRecovery()
    {
        Debug.Assert(_isRecovering && (Head->Changes & 1) != 0, "Readers were admitted before the recovery ended.");
        StripesOf(StripeCount.Max).Recover(); // all that any owner may have used
        Head->Count = StripeCount.Default;
        _isRecovering = false;
        // Last, with a full fence: readers that see the even count see the repaired blocks, the stripes and their count.
        Interlocked.Increment(ref Head->Changes);
        return Stripes;
    }

    /// <summary>Tells readers that the segment list changed.</summary>
    internal void OnSegmentsChanged() => Interlocked.Add(ref Head->Changes, 2);

    public void Dispose()
    {
        if (_isRecovering)
            Interlocked.Increment(ref Head->Changes); // the opening failed: end the recovery
        _isRecovering = false;
        _region.Dispose();
    }

    // Created under a temporary name: readers find a complete file, or none.
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
        if ((Head->Changes & 1) == 0) // odd already: an owner was killed during its recovery
            Interlocked.Increment(ref Head->Changes);
    }

    private SeqLockStripes StripesOf(int count) => new((SeqLockStripes.Stripe*)(_region.Start + HeadBytes), count);

    [StructLayout(LayoutKind.Explicit, Size = HeadBytes)]
    private struct FileHead
    {
        [FieldOffset(0)]
        internal ulong Magic;

        [FieldOffset(8)]
        // The number of stripes; changed by an owner during its recovery.
        internal int Count;

        [FieldOffset(16)]
        internal Guid PileId;

        [FieldOffset(64)]
        // The change count; raised by the owner (interlocked), set to Removed by a removal, read by readers in other processes.
        internal ulong Changes;

        internal static FileHead For(Guid pileId, ulong changes) =>
            new() { Magic = ExpectedMagic, Count = StripeCount.Default, PileId = pileId, Changes = changes };

        internal readonly bool IsOf(Guid pileId) =>
            Magic == ExpectedMagic && PileId == pileId
            && Count is >= StripeCount.Min and <= StripeCount.Max && BitOperations.IsPow2(Count);
    }
}
