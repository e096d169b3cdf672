using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

/// <summary>
/// The lock-free read of an object by its pointer, in the process that writes. Table entries are read through <c>TableHeap</c>, and by
/// other processes through <see cref="SharedReader"/>.
/// </summary>
/// <remarks>
/// A read takes no lock and writes nothing shared, except in a page that is not recovered yet. It is optimistic: load the header, check it
/// against the pointer and the page, let the reader copy the payload, then check everything again, and start over if anything differs. The
/// loads of sequence, header and page info come in this order; <see cref="BlockSnapshot"/> says why.
/// An <see cref="IPayloadReader"/> may see bytes that are being changed. It must only copy them, never follow or trust them. Thread safety:
/// all members may be called concurrently.
/// </remarks>
internal sealed unsafe class BlockReader
{
    // A writer relinks a payload within far fewer attempts; a link that still has no target then is damage.
    private const int MaxLinkAttempts = 10_000;

    private readonly BlockStore _blocks; // page recovery, shadow headers, checksums
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
        _map = blocks.Map;
        _stripes = blocks.Stripes;
        _shared = shared;
        _checksEveryRead = blocks.ChecksEveryRead;
    }

    /// <summary>Reads the payload that a pointer names.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        using ReadScope scope = _blocks.EnterReader();
        return TryReadInRegion(pointer, ref reader);
    }

    /// <summary>As <see cref="TryRead{TReader}"/>, for a caller in a critical region.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReadInRegion<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(PileRegions.Current.IsOpen, "Memory stays mapped only during the critical region.");
        if (!pointer.IsValid)
            return false;
        ulong address = pointer.Address;
        ref SequenceLock stripe = ref _stripes.Of(address)->Lock;
        var spinner = default(SpinWait);
        while (true)
        {
            ulong sequence = stripe.Sequence; // loaded first: a change that begins later is noticed at the end
            byte* start = _map.Find(address, out PageInfo* infoAt);
            if (start == null)
                return _shared != null && _shared.TryRead(pointer, ref reader); // a pile open for reading only has no map
            var block = new BlockSnapshot(start, infoAt);
            BlockHeader header = block.Header;
            bool isSlot = block.Info.HasSlotAt(address) || Mutation.SlotNotChecked;
            if (header.Generation != pointer.Generation || !header.IsAddressable || !isSlot)
            {
                // Absent, or so it seems: page recovery corrects headers before it publishes the info, so the first load may have seen a
                // deletion that recovery has undone since.
                if (_blocks.RecoverPageIfNeeded(block.Info, address) || !block.Validate())
                    continue;
                return false;
            }
            if (!SequenceLock.IsOdd(sequence) && !header.IsBusy)
            {
                bool whole = true;
                if (header.Kind != BlockKind.Link)
                    reader.Read(block.Payload, header.PayloadBytes, header.Kind);
                else
                    whole = TryReadTarget(address, header, ref reader);
                // Neither freed, nor reused; nor replaced, which may leave the header as it was.
                bool isSame = block.Validate() && stripe.IsUnchanged(sequence);
                if (whole && isSame && (!_checksEveryRead || IsIntact(address, block, ref stripe, sequence)))
                    return true;
                if (!whole && isSame && spinner.Count > MaxLinkAttempts)
                    Throw.DanglingLink(pointer);
            }
            else if (!SequenceLock.IsOdd(sequence)
                && TryReadShadowed(pointer, block, ref reader, out bool isLive, out bool isIntact) && stripe.IsUnchanged(sequence))
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
        BlockSnapshot target = BlockSnapshot.Take(_map, address);
        if (target.IsNone) // its segment was trimmed: the link leads elsewhere by now, or is damaged
            return false;
        if (target.Header.Kind != BlockKind.LinkTarget || !target.Info.HasSlotAt(address))
        {
            _ = _blocks.RecoverPageIfNeeded(target.Info, address);
            return false;
        }
        // The generation in the owner word needs no check: the caller checks the link's header again, which has it.
        var back = new OwnerWord(*(ulong*)target.Payload);
        if (back.LinkAddress != originAddress) // the slot was reused, for another link's target
            return false;
        reader.Read(target.Payload + OwnerWord.SizeBytes, target.Header.PayloadBytes - OwnerWord.SizeBytes, back.Kind);
        return target.Validate(); // the caller checks the sequence
    }

    /// <summary>Reads the payload of a block whose own header is busy, by its shadow header.</summary>
    /// <param name="pointer">The block.</param>
    /// <param name="block">As it was found; its own header is busy.</param>
    /// <param name="reader">The reader.</param>
    /// <param name="isLive">Whether the pointer names a live object.</param>
    /// <param name="isIntact">
    /// Whether its payload matches its checksum, if each read checks it; it does not while the payload changes.
    /// </param>
    /// <returns><see langword="false"/> if the read must start over. The caller checks the sequence.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadShadowed<TReader>(
        PilePointer pointer, in BlockSnapshot block, ref TReader reader, out bool isLive, out bool isIntact)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        isLive = false;
        isIntact = true;
        ulong* word = null;
        if (!_blocks.IsShadowed(pointer.Address, block.Header, ref word)) // a writer has the block: wait for it
            return false;
        var header = new BlockHeader(Volatile.Read(ref *word));
        isLive = header.Generation == pointer.Generation && header.IsAddressable;
        bool isWhole = !header.IsBusy; // busy here, too: a writer is changing a shadowed block
        if (isWhole && isLive && header.Kind == BlockKind.Link)
            isWhole = TryReadTarget(pointer.Address, header, ref reader);
        else if (isWhole && isLive)
            reader.Read(block.Payload, header.PayloadBytes, header.Kind);
        isIntact = !isWhole || !isLive || !_checksEveryRead || IsShadowedIntact(pointer.Address, block.Start, header);
        // A flush deletes entries while readers run, and their places are used again. It stores the block's own header first
        // (FlushSnapshot.InstallShadowHeaders): that is compared last, so a read across that moment starts over.
        return isWhole && ShadowHeaderTable.Validate(word, header, pointer.Address, block.Header.Generation) && block.Validate();
    }

    private bool IsShadowedIntact(ulong address, byte* block, BlockHeader header)
    {
        if (header.Kind == BlockKind.Link)
            return IsTargetIntact(header);
        _ = _map.Find(address, out PageInfo* info);
        return _blocks.IsIntact(block, header, address, SegmentMap.Load(info));
    }

    /// <summary>
    /// Whether the payload just read matches its checksum; <see langword="false"/> if it changed meanwhile, so that the read must start
    /// over.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsIntact(ulong address, in BlockSnapshot block, ref SequenceLock stripe, ulong sequence)
    {
        bool isIntact = block.Header.Kind == BlockKind.Link
            ? IsTargetIntact(block.Header)
            : _blocks.IsIntact(block.Start, block.Header, address, block.Info);
        // A mismatch is damage only if nothing changed while the checksum was computed.
        bool isSame = block.Validate() && stripe.IsUnchanged(sequence);
        if (isSame && !isIntact)
            Throw.Damaged(_blocks.DirectoryPath, block.Header.PayloadBytes);
        return isSame;
    }

    private bool IsTargetIntact(BlockHeader link)
    {
        byte* target = _map.Find(link.TargetAddress, out PageInfo* info);
        return target != null && _blocks.IsIntact(target, new BlockHeader(*(ulong*)target), link.TargetAddress, SegmentMap.Load(info));
    }
}
