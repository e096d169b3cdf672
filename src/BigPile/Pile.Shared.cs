using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Blocks;

namespace BigPile;

/// <summary>Reading a pile that another process may be writing.</summary>
/// <remarks>
/// The writer's locks, sequences and page records are in its own memory. What is in the files is enough: the word of the page says where
/// slots begin, the header says which object is there, and the checksum says whether the copy is whole. A copy that is not, or whose
/// header or page changed meanwhile, is made again.
/// </remarks>
public sealed unsafe partial class Pile
{
    private const int MaxLooksAtBlock = 10_000;

    private readonly Lock _mapping = new();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadShared<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        PileBuffer copy = BufferRental.Rent();
        try
        {
            var spinner = default(SpinWait);
            for (int look = 0; look < MaxLooksAtBlock; look++)
            {
                switch (TryCopyShared(pointer, copy, out long offsetBytes, out BlockHeader header, out BlockKind kind))
                {
                    case SharedCopy.None:
                        return false;
                    case SharedCopy.Whole:
                        reader.Read(copy.Start + BlockHeader.SizeBytes + offsetBytes, header.PayloadBytes - offsetBytes, kind);
                        return true;
                }
                spinner.SpinOnce(sleep1Threshold: -1);
            }
        }
        finally
        {
            BufferRental.Return(copy);
        }
        throw new PileStorageException(
            $"The object of {pointer} in '{DirectoryPath}' is damaged, or its writer was killed while it replaced it. Open the pile for writing once, which recovers it.");
    }

    private enum SharedCopy
    {
        /// <summary>There is no such object.</summary>
        None,

        /// <summary>It was changed meanwhile.</summary>
        Torn,

        /// <summary>It is whole.</summary>
        Whole,
    }

    private SharedCopy TryCopyShared(PilePointer pointer, PileBuffer copy, out long offsetBytes, out BlockHeader header, out BlockKind kind)
    {
        offsetBytes = 0;
        kind = default;
        if (!TryFindShared(pointer.Address, out byte* block, out long capacityBytes, out header) || header.Generation != pointer.Generation || !header.IsAddressable)
            return SharedCopy.None;
        kind = header.Kind;
        if (kind != BlockKind.Link)
            return CopyShared(pointer.Address, block, header, capacityBytes, copy) ? SharedCopy.Whole : SharedCopy.Torn;
        BlockHeader link = header.NotBusy;
        if (!TryFindShared(link.TargetAddress, out byte* target, out capacityBytes, out header) || header.Kind != BlockKind.LinkTarget
            || !CopyShared(link.TargetAddress, target, header, capacityBytes, copy))
        {
            return SharedCopy.Torn;
        }
        var back = new BackWord(*(ulong*)(copy.Start + BlockHeader.SizeBytes));
        offsetBytes = BackWord.SizeBytes;
        kind = back.Kind;
        bool isSame = back.OriginAddress == pointer.Address && back.OriginGeneration == pointer.Generation
            && new BlockHeader(Volatile.Read(ref *(ulong*)block)).NotBusy.Word == link.Word;
        return isSame ? SharedCopy.Whole : SharedCopy.Torn;
    }

    private bool CopyShared(ulong address, byte* block, BlockHeader header, long capacityBytes, PileBuffer copy)
    {
        BlockHeader settled = header.NotBusy;
        if (!BlockSeal.Fits(settled.PayloadBytes, capacityBytes))
            return false;
        long bytes = settled.PayloadBytes + BlockSeal.TailBytesOf(settled, capacityBytes);
        byte* start = copy.Prepare((int)(BlockHeader.SizeBytes + bytes + sizeof(ulong)));
        Unsafe.CopyBlockUnaligned(start + BlockHeader.SizeBytes, block + BlockHeader.SizeBytes, (uint)bytes);
        Volatile.ReadBarrier();
        bool isSame = TryFindShared(address, out _, out long capacityAfter, out BlockHeader after) && after.NotBusy.Word == settled.Word
            && capacityAfter == capacityBytes;
        *(ulong*)start = settled.Word;
        return isSame && BlockSeal.IsIntact(start, settled, capacityBytes);
    }

    /// <summary>Finds a slot by what the file says of its page at this instant.</summary>
    private bool TryFindShared(ulong address, out byte* block, out long capacityBytes, out BlockHeader header)
    {
        header = default;
        if (_allocator.Pool.Find(address) is not { IsGivenBack: false })
            MapNewSegments();
        bool found = _inspector!.TryFindRaw(address, out block, out capacityBytes);
        if (found)
            header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
        return found;
    }

    /// <summary>Maps the segments that the writer has made since.</summary>
    private void MapNewSegments()
    {
        lock (_mapping)
        {
            try
            {
                foreach ((int number, long lengthBytes) in _directory!.ReadListedSegments())
                {
                    if (_allocator.Pool.Find(_map.AddressOf(number)) is not { IsGivenBack: false })
                        MapSegment(_directory, number, lengthBytes);
                }
            }
            catch (Exception e) when (e is PileStorageException or IOException)
            {
                // the writer gave the segment back between two looks: there is nothing in it
            }
        }
    }
}
