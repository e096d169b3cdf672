using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Reading a pile that another process may be writing.</summary>
/// <remarks>
/// The protocol is that of <see cref="BlockReader"/>, by words that lie in files: the writer's sequences are in the file of stripes, and
/// the layout of a page is the word in its segment. In order:
/// <list type="number">
/// <item>changes (acquire): segments and number of stripes are as this process knows them, and no owner is recovering;</item>
/// <item>sequence of the address's stripe (acquire): even, or the stripe names another address, which has other blocks;</item>
/// <item>header (acquire): live, of the pointer's generation;</item>
/// <item>page word, behind the header's load: a page that is laid out anew states that it is unused before its slots change;</item>
/// <item>of a link: the target's header, page word and back word likewise;</item>
/// <item>the copy, and the checksum;</item>
/// <item>a read barrier, which pairs with the writer's releases;</item>
/// <item>origin's header and page word, then the target's, then sequence and changes again. Any difference: start over.</item>
/// </list>
/// Why nothing else can be served: a payload changes where it lies only while the sequence is odd and names its pointer. A slot that is
/// used again has another generation, and a page that is laid out again another base in its word; both only grow. A busy header says that
/// a change is being prepared, or that another header counts, which is read then; its payload is whole until the sequence is odd. So what
/// was undisturbed is what one <c>Put</c> wrote, and a checksum that does not match then is damage. The target is looked at last, so that
/// one which is none all the while is damage, too.
/// </remarks>
internal sealed unsafe class SharedReader
{
    private enum SharedRead
    {
        /// <summary>There is no such object.</summary>
        None,

        /// <summary>It was read.</summary>
        Whole,

        /// <summary>Something changed meanwhile.</summary>
        Disturbed,

        /// <summary>It is being replaced.</summary>
        Held,

        /// <summary>Nothing changed, and it is not what was written.</summary>
        Damaged,
    }

    private readonly SharedCatalog _writer;
    private readonly PagePool _pool;
    private readonly SeqLockStripes _ownStripes;
    private readonly BlockChecksumKind _checksums;

    /// <summary>Reads a pile that another process may be writing.</summary>
    /// <param name="writer">What is known of that process.</param>
    /// <param name="pool">The segments that this process has mapped.</param>
    /// <param name="ownStripes">For a pile without a writer.</param>
    /// <param name="checksums">
    /// Which checksums blocks have. Where they have none, in a pile that no power cut reads, what was undisturbed is taken for whole.
    /// </param>
    internal SharedReader(SharedCatalog writer, PagePool pool, SeqLockStripes ownStripes, BlockChecksumKind checksums) =>
        (_writer, _pool, _ownStripes, _checksums) = (writer, pool, ownStripes, checksums);

    /// <summary>Reads the payload that a pointer names.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool TryRead<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "Segments that the writer gave back are unmapped once nobody is inside.");
        return (_checksums == BlockChecksumKind.None && TryReadFast<TReader, TChecks>(pointer, ref reader))
            || TryReadWithBackoff<TReader, TChecks>(pointer, ref reader);
    }

    /// <summary>
    /// The same protocol for what nearly all reads find: a block with its payload, without a checksum, that nobody is changing.
    /// </summary>
    /// <returns><see langword="false"/> when it is not so, or something changed meanwhile: nothing is known then.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadFast<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        if (_writer.KnownSnapshot is not { } snapshot
            || !snapshot.TryFind(pointer.Address, out byte* block, out ulong* wordAt, out long bytesLeft))
            return false;
        SeqLockStripes.Stripe* stripe = snapshot.Stripes.Of(pointer.Address);
        ulong sequence = stripe->Sequence;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
        var word = new PageWord(Volatile.Read(ref *wordAt));
        bool isThere = header.IsPlain && header.Generation == pointer.Generation && header.Generation >= word.GenerationBase;
        bool isQuiet = !TChecks.Sequence || (sequence & 1) == 0;
        if (!isThere || !isQuiet || !word.Info.HasSlotAt(pointer.Address))
            return false;
        long lengthBytes = header.OwnPayloadBytes;
        if (lengthBytes > Math.Min(word.CapacityBytes, bytesLeft - BlockHeader.SizeBytes))
            return false;
        reader.Read(block + BlockHeader.SizeBytes, lengthBytes, header.Kind);
        Volatile.ReadBarrier();
        return (!TChecks.HeaderAgain || (*(ulong*)block == header.Word && *wordAt == word.Word))
            && (!TChecks.Sequence || stripe->Sequence == sequence) && snapshot.IsCurrent;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadWithBackoff<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        var backoff = new WriterBackoff(_writer);
        while (true)
        {
            WriterSnapshot? snapshot = _writer.CurrentSnapshot(ref backoff);
            SeqLockStripes.Stripe* stripe = (snapshot?.Stripes ?? _ownStripes).Of(pointer.Address);
            ulong sequence = stripe->Sequence;
            bool isHeld = TChecks.Sequence && (sequence & 1) != 0 && stripe->Address == pointer.Address;
            SharedRead read = isHeld ? SharedRead.Held : TryReadOnce<TReader, TChecks>(pointer, ref reader);
            bool isQuiet = (!TChecks.Sequence || stripe->Sequence == sequence) && _writer.IsCurrent(snapshot);
            if (isQuiet && read is SharedRead.None or SharedRead.Whole)
                return read == SharedRead.Whole;
            if (isQuiet && read == SharedRead.Damaged)
                Throw.Damaged(_writer.DirectoryPath, pointer);
            if (isQuiet && read == SharedRead.Held)
                backoff.WaitForReplacement(pointer, sequence);
            else
                backoff.Pause();
        }
    }

    /// <summary>Maps what the writer has by now, and waits while it recovers the pile.</summary>
    internal void MapNewSegments() => _writer.MapNewSegments();

    /// <summary>Where the blocks of a page begin, as the files say at this instant.</summary>
    internal PageInfo InfoAt(ulong address) =>
        _pool.Find(address) is { } segment ? segment.WordOf(segment.PageOf(address)).Info : default;

    /// <summary>What the files say at this instant of the block at an address.</summary>
    internal BlockHeader HeaderAt(ulong address) => SnapshotOf(address).Header;

    private SharedRead TryReadOnce<TReader, TChecks>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, IReadChecks
    {
        SharedBlock origin = SnapshotOf(pointer.Address);
        if (origin.Header.Generation != pointer.Generation || !origin.Header.IsAddressable || (TChecks.Slot && !origin.IsSlot))
            return SharedRead.None;
        SharedBlock target = default;
        bool isLink = origin.Header.Kind == BlockKind.Link;
        bool isWhole;
        if (isLink)
        {
            target = SnapshotOf(origin.Header.TargetAddress);
            isWhole = TryReadTarget(pointer, target, ref reader);
        }
        else
        {
            isWhole = TryReadPayload(origin, 0, origin.Header.Kind, ref reader);
        }
        Volatile.ReadBarrier();
        bool isSame = !TChecks.HeaderAgain || (IsUnchanged(origin) && (!isLink || IsUnchanged(target)));
        return !isSame ? SharedRead.Disturbed : isWhole ? SharedRead.Whole : SharedRead.Damaged;
    }

    private bool TryReadTarget<TReader>(PilePointer origin, in SharedBlock target, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        if (!target.IsSlot || target.Header.Kind != BlockKind.LinkTarget || target.Header.PayloadBytes < OwnerWord.SizeBytes)
            return false;
        var back = new OwnerWord(*(ulong*)(target.Start + BlockHeader.SizeBytes));
        return back.LinkAddress == origin.Address && back.LinkGeneration == origin.Generation
            && TryReadPayload(target, OwnerWord.SizeBytes, back.Kind, ref reader);
    }

    private bool TryReadPayload<TReader>(in SharedBlock block, int offsetBytes, BlockKind kind, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        long lengthBytes = block.Header.PayloadBytes;
        if (_checksums == BlockChecksumKind.None
            ? lengthBytes > block.CapacityBytes
            : !BlockChecksum.IsValid(block.Start, block.Header, block.CapacityBytes, _checksums))
            return false;
        Debug.Assert(offsetBytes <= lengthBytes && lengthBytes <= block.CapacityBytes, "A payload that is whole lies within its slot.");
        reader.Read(block.Start + BlockHeader.SizeBytes + offsetBytes, lengthBytes - offsetBytes, kind);
        return true;
    }

    /// <summary>What the files say of an address at this instant; no slot where no segment is.</summary>
    private SharedBlock SnapshotOf(ulong address)
    {
        if (_pool.Find(address) is not { } segment)
            return default;
        byte* start = segment.Region.Start + segment.OffsetOf(address);
        BlockHeader effective = EffectiveHeader(start, address);
        PageWord word = segment.WordOf(segment.PageOf(address));
        bool isSlot = segment.HasBlockAt(address, word, out long capacityBytes);
        BlockHeader header = isSlot && effective.IsUndoableFree && _writer.UndoRule.Undoes(effective)
            ? BlockInspector.TryUndo(start, effective, capacityBytes, _checksums) // the owner will when it comes by
            : effective;
        isSlot = isSlot && header.Generation >= word.GenerationBase;
        return new SharedBlock(segment, address, start, effective, header, word, isSlot ? capacityBytes : SharedBlock.NoSlot);
    }

    private bool IsUnchanged(in SharedBlock block) =>
        block.Segment is not { } segment
        || (EffectiveHeader(block.Start, block.Address).Word == block.Effective.Word
            && segment.WordOf(segment.PageOf(block.Address)).Word == block.PageWord.Word);

    /// <summary>What a block's header means to a reader, not busy: the one place that knows.</summary>
    private BlockHeader EffectiveHeader(byte* block, ulong address)
    {
        while (true)
        {
            var own = new BlockHeader(Volatile.Read(ref *(ulong*)block));
            if (!own.IsBusy || own.IsFree)
                return own;
            // It may be one that another one counts for: the writer keeps it elsewhere until its next flush.
            ShadowHeaderTable? shadowHeaders = _writer.ShadowHeaders();
            ulong* word = shadowHeaders == null ? null : shadowHeaders.Find(address, own.Generation);
            var header = new BlockHeader(word == null ? own.Word : Volatile.Read(ref *word));
            Volatile.ReadBarrier();
            bool isCurrent = word == null || ShadowHeaderTable.IsCurrent(word, address, own.Generation);
            if (isCurrent && Volatile.Read(ref *(ulong*)block) == own.Word)
                return header.IsFree ? header : header.NotBusy;
        }
    }

    /// <summary>A block as it was found in the files.</summary>
    private readonly struct SharedBlock(
        Segment segment, ulong address, byte* start, BlockHeader effective, BlockHeader header, PageWord pageWord, long capacityBytes)
    {
        internal const long NoSlot = -1;

        internal readonly Segment? Segment = segment;
        internal readonly ulong Address = address;
        internal readonly byte* Start = start;

        /// <summary>What the files say.</summary>
        internal readonly BlockHeader Effective = effective;

        /// <summary>What that means.</summary>
        internal readonly BlockHeader Header = header;

        internal readonly PageWord PageWord = pageWord;
        internal readonly long CapacityBytes = capacityBytes;

        /// <summary>Whether a slot of the page's present layout begins here, and the header belongs to that layout.</summary>
        internal bool IsSlot => Segment != null && CapacityBytes >= 0;
    }
}
