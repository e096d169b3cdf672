using System;
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

/// <summary>Reads a pile that another process may be writing.</summary>
/// <remarks>
/// The protocol of <see cref="BlockReader"/> on words in files: the writer's sequences are in the stripe file, and a page's layout is its
/// page word in the segment. A payload changes in place only while the sequence is odd and the stripe names its address. A reused slot has
/// another generation, and a page laid out anew another base in its word; both only grow. A busy header means that a change is being
/// prepared, or that a shadow header is current; the payload is whole until the sequence is odd. So an undisturbed read returns what one
/// <c>Put</c> wrote, and a checksum mismatch then is damage. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe class SharedReader
{
    private enum SharedRead
    {
        /// <summary>No such object.</summary>
        None,

        /// <summary>Read.</summary>
        Whole,

        /// <summary>Something changed meanwhile: start over.</summary>
        Disturbed,

        /// <summary>The object is being replaced.</summary>
        Held,

        /// <summary>Nothing changed, and the bytes are not what was written.</summary>
        Damaged,
    }

    private readonly WriterFollower _writer; // the writer's segments, stripes and shadow headers
    private readonly PagePool _pool; // what this process has mapped; written by WriterFollower
    private readonly SeqLockStripes _ownStripes; // all even: for a directory without a writer
    private readonly BlockChecksumKind _checksums; // as the superblock stated at opening

    /// <summary>Reads a pile that another process may be writing.</summary>
    /// <param name="writer">The state shared with that process.</param>
    /// <param name="pool">The segments that this process has mapped.</param>
    /// <param name="ownStripes">Stripes to use while there is no writer.</param>
    /// <param name="checksums">
    /// The kind of checksum that blocks have. Without one (only in shared memory, which no power cut survives) an undisturbed read is taken
    /// as whole.
    /// </param>
    internal SharedReader(WriterFollower writer, PagePool pool, SeqLockStripes ownStripes, BlockChecksumKind checksums) =>
        (_writer, _pool, _ownStripes, _checksums) = (writer, pool, ownStripes, checksums);

    /// <summary>Reads the payload that a pointer names.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool TryRead<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(PileRegions.Current.IsOpen, "Trimmed segments are unmapped after all critical regions.");
        return (_checksums == BlockChecksumKind.None && TryReadFast(pointer, ref reader))
            || TryReadWithBackoff(pointer, ref reader);
    }

    /// <summary>The same protocol for the common case: a plain block without a checksum that nobody is changing.</summary>
    /// <returns><see langword="false"/> if it is another case, or something changed meanwhile: nothing is known then.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadFast<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        if (_writer.KnownSnapshot is not { } snapshot
            || !snapshot.TryFind(pointer.Address, out byte* start, out ulong* wordAt, out long bytesLeft))
            return false;
        ref SequenceLock stripe = ref snapshot.Stripes.Of(pointer.Address)->Lock;
        ulong sequence = stripe.Sequence; // acquire; the count that KnownSnapshot loaded comes before it
        var block = new BlockSnapshot(start, wordAt);
        BlockHeader header = block.Header;
        PageWord word = block.PageWord;
        bool isThere = header.IsPlain && header.Generation == pointer.Generation && header.Generation >= word.GenerationBase;
        // An odd sequence may be for another address, which the slow path tells.
        if (!isThere || SequenceLock.IsOdd(sequence) || !word.Info.HasSlotAt(pointer.Address))
            return false;
        long lengthBytes = header.OwnPayloadBytes;
        if (lengthBytes > Math.Min(word.CapacityBytes, bytesLeft - BlockHeader.SizeBytes)) // the two words may be of different instants
            return false;
        reader.Read(block.Payload, lengthBytes, header.Kind);
        // Header and page word, then sequence, then change count: the reverse of their loads.
        return block.Validate() && stripe.IsUnchanged(sequence) && snapshot.IsCurrent;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadWithBackoff<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        var backoff = new WriterBackoff(_writer);
        while (true)
        {
            WriterSnapshot? snapshot = _writer.CurrentSnapshot(ref backoff);
            SeqLockStripes.Stripe* stripe = (snapshot?.Stripes ?? _ownStripes).Of(pointer.Address);
            ulong sequence = stripe->Lock.Sequence;
            // A stripe serves many addresses: a writer that was killed, or is slow, keeps readers only from the one that it names. What
            // another change of the stripe disturbs is noticed by the sequence.
            bool isHeld = SequenceLock.IsOdd(sequence) && stripe->Address == pointer.Address;
            SharedRead read = isHeld ? SharedRead.Held : TryReadOnce(pointer, ref reader);
            bool isQuiet = stripe->Lock.IsUnchanged(sequence) && _writer.IsCurrent(snapshot);
            // "No such object" needs a quiet read, too: its segment may have come since the snapshot.
            if (isQuiet && read is SharedRead.None or SharedRead.Whole)
                return read == SharedRead.Whole;
            if (isQuiet && read == SharedRead.Damaged)
                Throw.Damaged(_writer.DirectoryPath, pointer);
            if (isQuiet && read == SharedRead.Held)
                backoff.WaitForReplacement(pointer, sequence);
            else
                backoff.Pause(); // disturbed: the writer makes progress, so no time limit
        }
    }

    /// <summary>Maps the writer's current segments, and waits while it recovers the pile.</summary>
    internal void MapNewSegments() => _writer.MapNewSegments();

    /// <summary>The layout of a page, as the files say at this instant.</summary>
    internal PageInfo InfoAt(ulong address) =>
        _pool.Find(address) is { } segment ? segment.WordOf(segment.PageOf(address)).Info : default;

    /// <summary>The header of the block at an address, as the files say at this instant.</summary>
    internal BlockHeader HeaderAt(ulong address) => SnapshotOf(address).Header;

    private SharedRead TryReadOnce<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        SharedBlock origin = SnapshotOf(pointer.Address);
        if (origin.Header.Generation != pointer.Generation || !origin.Header.IsAddressable || !(origin.IsSlot || Mutation.SlotNotChecked))
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
        // The link first, then the target: a link that led to this target throughout, and a target that was no valid one, are damage.
        bool isSame = Validate(origin) && (!isLink || Validate(target));
        return !isSame ? SharedRead.Disturbed : isWhole ? SharedRead.Whole : SharedRead.Damaged;
    }

    private bool TryReadTarget<TReader>(PilePointer origin, in SharedBlock target, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        if (!target.IsSlot || target.Header.Kind != BlockKind.LinkTarget || target.Header.PayloadBytes < OwnerWord.SizeBytes)
            return false;
        var back = new OwnerWord(*(ulong*)(target.Start + BlockHeader.SizeBytes)); // may be torn; the checks that follow decide
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
        Debug.Assert(offsetBytes <= lengthBytes && lengthBytes <= block.CapacityBytes, "A valid payload fits its slot.");
        reader.Read(block.Start + BlockHeader.SizeBytes + offsetBytes, lengthBytes - offsetBytes, kind);
        return true;
    }

    /// <summary>What the files say about an address at this instant; not a slot if no segment is there.</summary>
    private SharedBlock SnapshotOf(ulong address)
    {
        if (_pool.Find(address) is not { } segment)
            return default;
        byte* start = segment.Region.Start + segment.OffsetOf(address);
        BlockHeader effective = EffectiveHeader(start, address);
        PageWord word = segment.WordOf(segment.PageOf(address)); // behind the header
        bool isSlot = segment.HasBlockAt(address, word, out long capacityBytes);
        BlockHeader header = isSlot && effective.IsUndoableFree && _writer.UndoRule.Undoes(effective)
            ? BlockInspector.TryUndo(start, effective, capacityBytes, _checksums) // as the owner's page recovery will do
            : effective;
        isSlot = isSlot && header.Generation >= word.GenerationBase; // below: bytes of an older layout
        return new SharedBlock(segment, address, start, effective, header, word, isSlot ? capacityBytes : SharedBlock.NoSlot);
    }

    /// <summary>As <see cref="BlockSnapshot.Validate"/>, for the words of another process.</summary>
    private bool Validate(in SharedBlock block)
    {
        if (block.Segment is not { } segment || Mutation.HeaderNotLoadedAgain)
            return true;
        Volatile.ReadBarrier(); // checksum and copy end before the words are loaded again; pairs as in BlockSnapshot.Validate
        return EffectiveHeader(block.Start, block.Address).Word == block.Effective.Word
            && segment.WordOf(segment.PageOf(block.Address)).Word == block.PageWord.Word;
    }

    /// <summary>A live block's current header without the busy bit, or a free header as it is; resolves shadow headers.</summary>
    private BlockHeader EffectiveHeader(byte* block, ulong address)
    {
        while (true)
        {
            var own = new BlockHeader(Volatile.Read(ref *(ulong*)block));
            if (!own.IsBusy || own.IsFree)
                return own;
            // The block may be shadowed: until its next flush the writer keeps the current header in the table.
            ShadowHeaderTable? shadowHeaders = _writer.ShadowHeaders();
            ulong* word = shadowHeaders == null ? null : shadowHeaders.Find(address, own.Generation);
            var header = new BlockHeader(word == null ? own.Word : Volatile.Read(ref *word));
            bool isCurrent = word == null || ShadowHeaderTable.Validate(word, header, address, own.Generation);
            // A flush stores the own header before it deletes the entry. So own header and entry unchanged: the entry was current, or
            // there was none.
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

        /// <summary>The current header in the files.</summary>
        internal readonly BlockHeader Effective = effective;

        /// <summary>The same with unflushed deletions undone.</summary>
        internal readonly BlockHeader Header = header;

        internal readonly PageWord PageWord = pageWord;
        internal readonly long CapacityBytes = capacityBytes;

        /// <summary>Whether a slot of the page's current layout begins here, and the header belongs to that layout.</summary>
        internal bool IsSlot => Segment != null && CapacityBytes >= 0;
    }
}
