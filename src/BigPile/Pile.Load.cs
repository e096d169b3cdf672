using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Blocks;
using BigPile.Memory;
using BigPile.Storage;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>Opening the pile that a directory holds.</summary>
public sealed unsafe partial class Pile
{
    private void Load(PileDirectory directory)
    {
        if (!directory.WasClean && directory.ListedSegments.Count != 0)
            Logger.LogWarning("The pile in {Path} was not closed by its last owner; its blocks are checked one by one", directory.Path);
        SegmentLoader[] loaders = [.. directory.ListedSegments.Select(listed => MakeLoader(directory, listed.Key, listed.Value))];
        foreach (SegmentLoader loader in loaders)
            _allocator.Pool.Hold(loader.Segment);
        try
        {
            Parallel.ForEach(loaders, static loader => loader.Load());
        }
        catch (AggregateException e) when (e.InnerExceptions.FirstOrDefault(static inner => inner is PileStorageException) is { } damage)
        {
            ExceptionDispatchInfo.Throw(damage);
        }
        foreach (SegmentLoader loader in loaders)
            TakeIn(loader);
        foreach (SegmentLoader loader in loaders)
            CheckLinks(loader, directory);
        foreach (SegmentLoader loader in loaders)
            FreeOrphans(loader);
    }

    private SegmentLoader MakeLoader(PileDirectory directory, int number, long lengthBytes)
    {
        string path = directory.Segments.PathOf(number);
        if (number < 0 || number >= _map.Capacity || lengthBytes < SizeClasses.PageBytes || lengthBytes % SizeClasses.PageBytes != 0)
            throw new PileStorageException($"The superblock in '{directory.Path}' lists an impossible segment {number} of {lengthBytes:N0} bytes.");
        MappedRegion region = directory.Segments.Open(number, lengthBytes);
        try
        {
            SegmentLoader.CheckHead(region, path, number, directory.PileId);
            return new SegmentLoader(new Segment(number, _map.AddressOf(number), region), path);
        }
        catch
        {
            region.Dispose();
            throw;
        }
    }

    private void TakeIn(SegmentLoader loader)
    {
        _allocator.Pool.AddFound(loader.Segment, loader.RunPages, loader.RunCount, loader.RunPayloadBytes, loader.FreeBitsBytes);
        foreach (SegmentLoader.FoundPage found in loader.Pages)
            _allocator.AddFound(loader.Segment.Metas + found.Page, found.Blocks, found.PayloadBytes);
    }

    private void CheckLinks(SegmentLoader loader, PileDirectory directory)
    {
        foreach (ulong address in loader.Links)
        {
            var origin = new BlockHeader(*(ulong*)_map.Find(address, out _));
            if (!TryFindBlock(origin.TargetAddress, out Block target) || target.Header.Kind != BlockKind.LinkTarget
                || BackWordOf(target).OriginAddress != address)
            {
                throw new PileStorageException(
                    $"The link at {address:x} in '{directory.Path}' leads to no payload of its own. Restore the pile from a copy.");
            }
        }
        Interlocked.Add(ref _linkCount, loader.Links.Count);
    }

    /// <summary>Frees link targets whose origin was deleted or moved elsewhere when the process was killed.</summary>
    private void FreeOrphans(SegmentLoader loader)
    {
        var orphans = new List<Block>();
        foreach (ulong address in loader.LinkTargets)
        {
            _ = TryFindBlock(address, out Block target);
            bool hasOrigin = TryFindBlock(BackWordOf(target).OriginAddress, out Block origin)
                && origin.Header.Kind == BlockKind.Link && origin.Header.TargetAddress == address;
            if (!hasOrigin)
                orphans.Add(target);
        }
        foreach (Block orphan in orphans)
        {
            orphan.Publish(orphan.Header.Freed);
            _allocator.Return(orphan.Address, orphan.Header);
        }
        if (orphans.Count != 0)
            Logger.LogInformation("Freed {Count} payloads whose objects were deleted or moved when the process ended", orphans.Count);
    }

    private bool TryFindBlock(ulong address, out Block block)
    {
        block = default;
        byte* start = _map.Find(address, out PageInfo* info);
        if (start == null || !info->HasSlotAt(address))
            return false;
        block = new Block(start, address, new BlockHeader(*(ulong*)start), *info);
        return true;
    }

    private static BackWord BackWordOf(Block target) => new(*(ulong*)(target.Start + BlockHeader.SizeBytes));
}
