using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>
/// The lock-free read of an object by its pointer, in the process that writes. Table entries are read through <c>EntryBlocks</c>, and by
/// other processes through <see cref="SharedReader"/>.
/// </summary>
/// <remarks>
/// A read takes no lock and writes nothing shared, except in a page that is not recovered yet. It is optimistic: load the header, check it
/// against the pointer and the page, let the reader copy the payload, then check everything again, and start over if anything differs. The
/// loads of sequence, header and page info come in this order; the lines say why.
/// An <see cref="IPayloadReader"/> may see bytes that are being changed. It must only copy them, never follow or trust them. Thread safety:
/// all members may be called concurrently.
/// </remarks>
internal sealed unsafe class BlockReader
{
    // A writer relinks a payload within far fewer attempts; a link that still has no target then is damage.
    private const int MaxLinkAttempts = 10_000;

    private readonly BlockStore _blocks; // page recovery, shadow headers, checksums
    private readonly OperationBarrier _barrier; // begins the critical region of a read
    private readonly SegmentMap _map; // memory and page info by address
    private readonly SeqLockStripes _stripes; // written by Replacer, Relocator and PartWriter
    private readonly SharedReader? _shared; // null unless the pile is open for reading only
    private readonly bool _checksEveryRead; // whether each read verifies the checksum

    /// <summary>Reads the blocks of a pile.</summary>
    /// <param name="blocks">The blocks.</param>
    /// <param name="shared">
    /// The reader of a pile that is open for reading only: it finds what this process's own map, which stays empty, does not. Otherwise
    /// null.
    /// </param>
    internal BlockReader(BlockStore blocks, SharedReader? shared = null)
    {
        _blocks = blocks;
        _barrier = blocks.Barrier;
        _map = blocks.Map;
        _stripes = blocks.Stripes;
        _shared = shared;
        _checksEveryRead = blocks.ChecksEveryRead;
    }

    /// <summary>Reads the payload that a pointer names.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryRead<TReader, AllReadChecks>(pointer, ref reader);

    /// <summary>Reads the payload that a pointer names, with the checks of a type.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        CriticalRegion critical = _barrier.EnterReader();
        try
        {
            return TryReadInRegion<TReader, TChecks>(pointer, ref reader);
        }
        finally
        {
            critical.Exit();
            GC.KeepAlive(this); // an unreferenced pile must not be collected during its own last call
        }
    }

    /// <summary>As <see cref="TryRead{TReader, TChecks}"/>, for a caller in a critical region.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReadInRegion<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "Memory stays mapped only during the critical region.");
        if (!pointer.IsValid)
            return false;
        ulong address = pointer.Address;
        SeqLockStripes.Stripe* stripe = _stripes.Of(address);
        var spinner = default(SpinWait);
        while (true)
        {
            ulong sequence = stripe->Sequence; // acquire; loaded first: a change that begins later is noticed at the end
            byte* block = _map.Find(address, out PageInfo* infoAt);
            if (block == null)
                return _shared != null && _shared.TryRead<TReader, TChecks>(pointer, ref reader); // a pile open for reading only has no map
            var header = new BlockHeader(Volatile.Read(ref *(ulong*)block)); // acquire; pairs with BlockStore.Publish
            TChecks.BehindHeader();
            // Behind the header: a page is hidden (Segment.Unpublish) before its slots are laid out anew. So who saw bytes of a new
            // layout as a header sees the new info, too.
            PageInfo info = SegmentMap.Load(infoAt);
            if (header.Generation != pointer.Generation || !header.IsAddressable || (TChecks.Slot && !info.HasSlotAt(address)))
            {
                // Absent, or so it seems: page recovery corrects headers before it publishes the info, so the first load may have seen a
                // deletion that recovery has undone since.
                if (_blocks.RecoverPageIfNeeded(info, address) || (TChecks.HeaderAgain && Volatile.Read(ref *(ulong*)block) != header.Word))
                    continue;
                return false;
            }
            if (!TChecks.SequenceAgain || ((sequence & 1) == 0 && !header.IsBusy))
            {
                bool whole = true;
                if (header.Kind != BlockKind.Link)
                    reader.Read(block + BlockHeader.SizeBytes, header.PayloadBytes, header.Kind);
                else
                    whole = TryReadTarget(address, header, ref reader);
                Volatile.ReadBarrier(); // the copy ends before the checks; pairs with BeginChangeLocked
                bool isSame = !TChecks.HeaderAgain || (*(ulong*)block == header.Word && infoAt->Word == info.Word); // not freed, nor reused
                bool isQuiet = !TChecks.SequenceAgain || stripe->Sequence == sequence; // a replacement may leave the header as it was
                if (whole && isSame && isQuiet && (!_checksEveryRead || IsIntact(address, block, header, info, infoAt, stripe, sequence)))
                    return true;
                if (!whole && isSame && isQuiet && spinner.Count > MaxLinkAttempts)
                    Throw.DanglingLink(pointer);
            }
            else if (TChecks.SequenceAgain && (sequence & 1) == 0
                && TryReadShadowed(pointer, block, header, ref reader, out bool isLive, out bool isIntact)
                && infoAt->Word == info.Word && stripe->Sequence == sequence)
            {
                if (!isIntact) // and nothing has changed meanwhile: this is damage
                    Throw.Damaged(_blocks.DirectoryPath, pointer);
                return isLive;
            }
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <summary>Reads a link's target; <see langword="false"/> if it was relinked meanwhile.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadTarget<TReader>(ulong originAddress, BlockHeader origin, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        ulong address = origin.TargetAddress;
        byte* block = _map.Find(address, out PageInfo* infoAt);
        if (block == null) // its segment was trimmed: the link leads elsewhere by now, or is damaged
            return false;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
        PageInfo info = SegmentMap.Load(infoAt);
        if (header.Kind != BlockKind.LinkTarget || !info.HasSlotAt(address))
        {
            _ = _blocks.RecoverPageIfNeeded(info, address);
            return false;
        }
        // The generation in the owner word needs no check: the caller checks the link's header again, which has it.
        var back = new OwnerWord(*(ulong*)(block + BlockHeader.SizeBytes));
        if (back.LinkAddress != originAddress) // the slot was reused, for another link's target
            return false;
        reader.Read(block + BlockHeader.SizeBytes + OwnerWord.SizeBytes, header.PayloadBytes - OwnerWord.SizeBytes, back.Kind);
        Volatile.ReadBarrier(); // as in TryReadInRegion; the caller checks the sequence
        return *(ulong*)block == header.Word && infoAt->Word == info.Word;
    }

    /// <summary>Reads the payload of a block whose own header is busy, by its shadow header.</summary>
    /// <param name="pointer">The block.</param>
    /// <param name="block">Its start.</param>
    /// <param name="own">Its own header.</param>
    /// <param name="reader">The reader.</param>
    /// <param name="isLive">Whether the pointer names a live object.</param>
    /// <param name="isIntact">
    /// Whether its payload matches its checksum, if each read checks it; it does not while the payload changes.
    /// </param>
    /// <returns><see langword="false"/> if the read must start over. The caller checks page info and sequence.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadShadowed<TReader>(
        PilePointer pointer, byte* block, BlockHeader own, ref TReader reader, out bool isLive, out bool isIntact)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        isLive = false;
        isIntact = true;
        ulong* word = null;
        if (!_blocks.IsShadowed(pointer.Address, own, ref word)) // a writer has the block: wait for it
            return false;
        var header = new BlockHeader(Volatile.Read(ref *word));
        isLive = header.Generation == pointer.Generation && header.IsAddressable;
        bool isWhole = !header.IsBusy; // busy here, too: a writer is changing a shadowed block
        if (isWhole && isLive && header.Kind == BlockKind.Link)
            isWhole = TryReadTarget(pointer.Address, header, ref reader);
        else if (isWhole && isLive)
            reader.Read(block + BlockHeader.SizeBytes, header.PayloadBytes, header.Kind);
        isIntact = !isWhole || !isLive || !_checksEveryRead || IsShadowedIntact(pointer.Address, block, header);
        Volatile.ReadBarrier(); // copy and checksum end before the checks
        // A flush deletes entries while readers run, and their places are used again. It stores the block's own header first
        // (FlushSnapshot.InstallShadowHeaders), so a read across that moment starts over.
        return isWhole && *word == header.Word && ShadowHeaderTable.IsCurrent(word, pointer.Address, own.Generation)
            && *(ulong*)block == own.Word;
    }

    private bool IsShadowedIntact(ulong address, byte* block, BlockHeader header)
    {
        PageInfo* info;
        if (header.Kind != BlockKind.Link)
        {
            _ = _map.Find(address, out info);
            return _blocks.IsIntact(block, header, address, SegmentMap.Load(info));
        }
        byte* target = _map.Find(header.TargetAddress, out info);
        return target != null && _blocks.IsIntact(target, new BlockHeader(*(ulong*)target), header.TargetAddress, SegmentMap.Load(info));
    }

    /// <summary>
    /// Whether the payload just read matches its checksum; <see langword="false"/> if it changed meanwhile, so that the read must start
    /// over.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsIntact(
        ulong address, byte* block, BlockHeader header, PageInfo info, PageInfo* infoAt, SeqLockStripes.Stripe* stripe, ulong sequence)
    {
        bool isIntact = true;
        if (header.Kind == BlockKind.Link)
        {
            byte* target = _map.Find(header.TargetAddress, out PageInfo* targetInfo);
            isIntact = target != null
                && _blocks.IsIntact(target, new BlockHeader(*(ulong*)target), header.TargetAddress, SegmentMap.Load(targetInfo));
        }
        else
        {
            isIntact = _blocks.IsIntact(block, header, address, info);
        }
        // A mismatch is damage only if nothing changed while the checksum was computed.
        Volatile.ReadBarrier();
        bool isSame = *(ulong*)block == header.Word && infoAt->Word == info.Word && stripe->Sequence == sequence;
        if (isSame && !isIntact)
            Throw.Damaged(_blocks.DirectoryPath, header.PayloadBytes);
        return isSame;
    }
}
