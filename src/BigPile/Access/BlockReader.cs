using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>The one way in which every payload is read.</summary>
/// <remarks>
/// A read takes no lock and writes nothing shared, but in a page that nobody has examined since the pile was opened. It loads the header,
/// checks that the pointer's generation is in it and that the address is a slot of its page, lets the reader copy the payload, and then
/// looks at everything again. In order:
/// <list type="number">
/// <item>sequence of the address's stripe (acquire), even;</item>
/// <item>header (acquire): live, of the pointer's generation. Busy: the header in <see cref="ShadowHeaderTable"/> counts if there is one, else
/// start over;</item>
/// <item>page info, behind the header's load: a page that changes its slot size is taken from readers before its slots are laid out, so
/// whoever saw bytes of the new layout in the header sees the new info as well. Nobody has examined it: that is done, and start over;
/// </item>
/// <item>of what is not there: the header again, behind the info's load. The examiner puts headers right and tells of the page behind that,
/// so the first look may have been at a deletion that it has undone since. Another header: start over;</item>
/// <item>of a link: the target's header, info and back word likewise;</item>
/// <item>the copy;</item>
/// <item>a read barrier, which pairs with the writers' releases;</item>
/// <item>header, info and sequence again. Any difference: start over.</item>
/// </list>
/// An <see cref="IPayloadReader"/> that is handed a payload may see bytes that are being changed. It must not follow or trust them, only
/// copy.
/// </remarks>
internal sealed unsafe class BlockReader
{
    // A writer that moves a payload is done after far fewer looks; a link that still leads nowhere then is damage.
    private const int MaxLinkAttempts = 10_000;

    private readonly BlockStore _blocks;
    private readonly OperationBarrier _barrier;
    private readonly SegmentMap _map;
    private readonly SeqLockStripes _stripes;
    private readonly SharedReader? _shared;
    private readonly bool _checksEveryRead;

    /// <summary>Reads the blocks of a pile.</summary>
    /// <param name="blocks">The blocks.</param>
    /// <param name="shared">
    /// Of a pile that is opened for reading only: reads what its own map, which stays empty, does not find. Else null.
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
            GC.KeepAlive(this); // a pile that nobody refers to any more must not be collected under its own last call
        }
    }

    /// <summary>As <see cref="TryRead{TReader, TChecks}"/>, of a caller that is inside the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReadInRegion<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "Memory stays only as long as its reader is inside.");
        if (!pointer.IsValid)
            return false;
        ulong address = pointer.Address;
        SeqLockStripes.Stripe* stripe = _stripes.Of(address);
        var spinner = default(SpinWait);
        while (true)
        {
            ulong sequence = stripe->Sequence;
            byte* block = _map.Find(address, out PageInfo* infoAt);
            if (block == null)
                return _shared != null && _shared.TryRead<TReader, TChecks>(pointer, ref reader); // whoever only reads has no map
            var header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
            TChecks.BehindHeader();
            PageInfo info = SegmentMap.Load(infoAt);
            if (header.Generation != pointer.Generation || !header.IsAddressable || (TChecks.Slot && !info.HasSlotAt(address)))
            {
                if (_blocks.RecoverPageIfNeeded(info, address) || (TChecks.HeaderAgain && Volatile.Read(ref *(ulong*)block) != header.Word))
                    continue;
                return false;
            }
            if (!TChecks.Sequence || ((sequence & 1) == 0 && !header.IsBusy))
            {
                bool whole = true;
                if (header.Kind != BlockKind.Link)
                    reader.Read(block + BlockHeader.SizeBytes, header.PayloadBytes, header.Kind);
                else
                    whole = TryReadTarget(address, header, ref reader);
                Volatile.ReadBarrier();
                bool isSame = !TChecks.HeaderAgain || (*(ulong*)block == header.Word && infoAt->Word == info.Word);
                bool isQuiet = !TChecks.Sequence || stripe->Sequence == sequence;
                if (whole && isSame && isQuiet && (!_checksEveryRead || IsIntact(address, block, header, info, infoAt, stripe, sequence)))
                    return true;
                if (!whole && isSame && isQuiet && spinner.Count > MaxLinkAttempts)
                    Throw.DanglingLink(pointer);
            }
            else if (TChecks.Sequence && (sequence & 1) == 0
                && TryReadShadowed(pointer, block, header, ref reader, out bool isLive)
                && infoAt->Word == info.Word && stripe->Sequence == sequence)
            {
                return isLive;
            }
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <summary>Reads what is at the far end of a link; <see langword="false"/> when it was moved meanwhile.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadTarget<TReader>(ulong originAddress, BlockHeader origin, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        ulong address = origin.TargetAddress;
        byte* block = _map.Find(address, out PageInfo* infoAt);
        if (block == null)
            return false;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
        PageInfo info = SegmentMap.Load(infoAt);
        if (header.Kind != BlockKind.LinkTarget || !info.HasSlotAt(address))
        {
            _ = _blocks.RecoverPageIfNeeded(info, address);
            return false;
        }
        var back = new OwnerWord(*(ulong*)(block + BlockHeader.SizeBytes));
        if (back.LinkAddress != originAddress)
            return false;
        reader.Read(block + BlockHeader.SizeBytes + OwnerWord.SizeBytes, header.PayloadBytes - OwnerWord.SizeBytes, back.Kind);
        Volatile.ReadBarrier();
        return *(ulong*)block == header.Word && infoAt->Word == info.Word;
    }

    /// <summary>Reads the payload of a block whose own header is busy.</summary>
    /// <param name="pointer">The block.</param>
    /// <param name="block">Where it is.</param>
    /// <param name="own">Its own header.</param>
    /// <param name="reader">The reader.</param>
    /// <param name="isLive">Whether the pointer names it.</param>
    /// <returns><see langword="false"/> when it has to be looked at again, from the beginning.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadShadowed<TReader>(PilePointer pointer, byte* block, BlockHeader own, ref TReader reader, out bool isLive)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        isLive = false;
        ulong* word = null;
        if (!_blocks.IsShadowed(pointer.Address, own, ref word))
            return false;
        var header = new BlockHeader(Volatile.Read(ref *word));
        isLive = header.Generation == pointer.Generation && header.IsAddressable;
        bool isWhole = !header.IsBusy;
        if (isWhole && isLive && header.Kind == BlockKind.Link)
            isWhole = TryReadTarget(pointer.Address, header, ref reader);
        else if (isWhole && isLive)
            reader.Read(block + BlockHeader.SizeBytes, header.PayloadBytes, header.Kind);
        bool isIntact = !isWhole || !isLive || !_checksEveryRead || IsShadowedIntact(pointer.Address, block, header);
        Volatile.ReadBarrier();
        bool isSame = *word == header.Word && ShadowHeaderTable.IsCurrent(word, pointer.Address, own.Generation) && *(ulong*)block == own.Word;
        if (isWhole && isSame && !isIntact)
            Throw.Damaged(_blocks.DirectoryPath, header.PayloadBytes);
        return isWhole && isSame;
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
    /// Whether what was just read matches its checksum; <see langword="false"/> when it was changed meanwhile, which calls for another
    /// read.
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
        Volatile.ReadBarrier();
        bool isSame = *(ulong*)block == header.Word && infoAt->Word == info.Word && stripe->Sequence == sequence;
        if (isSame && !isIntact)
            Throw.Damaged(_blocks.DirectoryPath, header.PayloadBytes);
        return isSame;
    }
}
