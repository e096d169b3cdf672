using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile;

/// <summary>Blocks that were flushed, and whose header can't change before the next flush: the one that counts is in a table.</summary>
/// <remarks>
/// The block's own header is busy meanwhile, and what it says is what the last flush knows. So whoever meets a busy header looks into the
/// table: with a place there, that word is the header; without one, somebody is at work. A flush takes what the table says as the blocks'
/// state, and once that is durable it stores it into the blocks, and gives up their places. A block that was changed between the two keeps
/// its place, and gets the header that was flushed.
/// </remarks>
public sealed unsafe partial class Pile
{
    private readonly MovedTable? _moved;
    private List<MovedTable.Entry> _capturedMoves = []; // under the flush lock

    /// <summary>Blocks whose header is in the table.</summary>
    internal int MovedCount => _moved?.Count ?? 0;

    private bool IsMoved(ulong address, BlockHeader own, ref ulong* word)
    {
        if (_moved == null || own.IsFree)
            return false;
        ulong* found = _moved.Find(address, own.Generation);
        if (found == null)
            return false;
        word = found;
        return true;
    }

    /// <summary>Replaces the header that counts by one store. The block is the caller's alone, and busy.</summary>
    private void SetHeader(Block block, BlockHeader header)
    {
        if (block.IsMoved || !_allocator.IsFrozen(block.Address, block.Info))
        {
            block.Publish(header);
            return;
        }
        _moved!.Add(block.Address, block.Header.Generation, header);
        _moved.BytesInPlace += header.PayloadBytes;
        if (_moved.IsHalfFull)
            RequestFlush();
    }

    // Before anything is changed. What a table frees under its lock can't wait for a flush, nor fail: the last places are for that, and
    // before each of its calls there is room in four of sixteen.
    private void CheckMovedRoom(bool usesReserve = false)
    {
        if (usesReserve ? _moved!.IsExhausted : _moved!.IsFull)
            throw new PileFullException(
                $"{_moved.Count:N0} objects that were flushed have been moved since, and there is room for no more. Flush the pile.", null);
    }

    /// <summary>Reads the payload of a block whose own header is busy.</summary>
    /// <param name="pointer">The block.</param>
    /// <param name="block">Where it is.</param>
    /// <param name="own">Its own header.</param>
    /// <param name="reader">The reader.</param>
    /// <param name="isLive">Whether the pointer names it.</param>
    /// <returns><see langword="false"/> when it has to be looked at again, from the beginning.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadMoved<TReader>(PilePointer pointer, byte* block, BlockHeader own, ref TReader reader, out bool isLive)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        isLive = false;
        ulong* word = null;
        if (!IsMoved(pointer.Address, own, ref word))
            return false;
        var header = new BlockHeader(Volatile.Read(ref *word));
        isLive = header.Generation == pointer.Generation && header.IsAddressable;
        bool isWhole = !header.IsBusy;
        if (isWhole && isLive && header.Kind == BlockKind.Link)
            isWhole = TryReadTarget(pointer.Address, header, ref reader);
        else if (isWhole && isLive)
            reader.Read(block + BlockHeader.SizeBytes, header.PayloadBytes, header.Kind);
        bool isIntact = !isWhole || !isLive || !_checksEveryRead || IsMovedIntact(pointer.Address, block, header);
        Volatile.ReadBarrier();
        bool isSame = *word == header.Word && MovedTable.IsStill(word, pointer.Address, own.Generation) && *(ulong*)block == own.Word;
        if (isWhole && isSame && !isIntact)
            Throw.Damaged(DirectoryPath, header.PayloadBytes);
        return isWhole && isSame;
    }

    private bool IsMovedIntact(ulong address, byte* block, BlockHeader header)
    {
        PageInfo* info;
        if (header.Kind != BlockKind.Link)
        {
            _ = _map.Find(address, out info);
            return IsIntact(block, header, address, SegmentMap.Load(info));
        }
        byte* target = _map.Find(header.TargetAddress, out info);
        return target != null && IsIntact(target, new BlockHeader(*(ulong*)target), header.TargetAddress, SegmentMap.Load(info));
    }

    /// <summary>Gives the blocks that a flush has made durable as they are in the table their headers. Nothing changes meanwhile.</summary>
    private void SettleMoves()
    {
        foreach (MovedTable.Entry entry in _capturedMoves)
        {
            byte* block = _map.Find(entry.Address, out PageInfo* info);
            var own = new BlockHeader(*(ulong*)block);
            if (!own.IsBusy || own.Generation != entry.Generation)
            {
                _moved!.Remove(entry); // it was found damaged, and dropped
                continue;
            }
            bool isSame = entry.Now.NotBusy.Word == entry.HeaderWord;
            Volatile.Write(ref *(ulong*)block, isSame ? entry.HeaderWord : entry.Header.Busy.Word);
            if (!isSame)
                continue;
            KillPoint.Pass(KillWindow.MovedBeforeGivenUp);
            _moved!.Remove(entry);
            bool isRun = SegmentMap.Load(info).ClassPlusOne == 0;
            if (isRun && entry.Header.Kind == BlockKind.Link && !_leases.IsLeased(entry.Address))
                _allocator.CutRun(entry.Address);
        }
        _capturedMoves = [];
        _moved!.NoteFlushed();
    }

    // After a kill. A block whose own header is not busy was settled before.
    private bool WaitsForMove(MovedTable.Entry entry)
    {
        if (!_inspector!.TryFindRaw(entry.Address, out byte* block, out _))
            return false;
        var own = new BlockHeader(*(ulong*)block);
        return own.IsBusy && !own.IsFree && own.Generation == entry.Generation;
    }
}
