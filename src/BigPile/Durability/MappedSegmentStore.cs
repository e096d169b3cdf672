using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Segments that are files in a pile's directory.</summary>
internal sealed class MappedSegmentStore(PileDirectory directory) : SegmentStore
{
    private readonly Lock _lock = new();
    private readonly HashSet<int> _leftovers = []; // files that nobody lists and that could not be removed yet

    /// <summary>What the names of segment files begin with.</summary>
    internal const string NamePrefix = "segment-";

    internal override StoreKind Kind => StoreKind.Mapped;

    internal override uint LeastGeneration => 1;

    internal override bool IsCopyOnWrite => !directory.IsShared;

    /// <summary>
    /// Told when the superblock lists other segments than before, and before the file of one that it strikes is marked or goes.
    /// </summary>
    internal Action? ListChanged { get; set; }

    /// <summary>Has readers look at the superblock again.</summary>
    internal void RaiseListChanged() => ListChanged?.Invoke();

    // After a change of the superblock that failed, the disk may list a segment that memory does not. Its file must not be replaced.
    internal override MemoryRegion Create(int number, long lengthBytes)
    {
        directory.Superblock.Reconcile();
        Debug.Assert(!directory.Superblock.ListedSegments.ContainsKey(number), "The file of a segment in use would be replaced.");
        lock (_lock)
            _leftovers.Remove(number);
        RemoveLeftover(NameOf(number));
        return MappedRegion.Create(directory.Files, NameOf(number), lengthBytes);
    }

    // A killed owner, or a growth that failed, left it. Its room may be all that the disk has for the new one, so it goes first; readers
    // that still map it must not take it for that one.
    private void RemoveLeftover(string name)
    {
        using (HeldFile? left = directory.Files.TryOpen(name, FileAccess.ReadWrite))
        {
            if (left == null)
                return;
            left.Write(new byte[sizeof(ulong)], 0);
        }
        directory.Files.Delete(name);
    }

    /// <summary>Writes a segment's changes through to the device.</summary>
    internal void Sync(int number, MemoryRegion region)
    {
        directory.OnSyncing(PathOf(number));
        try
        {
            region.Flush();
        }
        catch (DirectoryChangedException) when (region.IsDisposed)
        {
            throw new ObjectDisposedException(nameof(MemoryRegion)); // given back meanwhile, and so its file is gone
        }
        directory.OnSynced(PathOf(number));
    }

    /// <summary>Maps the file of a segment that exists.</summary>
    /// <exception cref="PileStorageException">The file is missing or has another length.</exception>
    internal MappedRegion Open(int number, long lengthBytes)
    {
        string path = PathOf(number);
        try
        {
            return MappedRegion.Open(directory.Files, NameOf(number), lengthBytes, directory.IsReadOnly);
        }
        catch (FileNotFoundException e)
        {
            throw new PileStorageException($"The segment file '{path}' is missing. Restore it from a copy.", e);
        }
        catch (InvalidDataException e)
        {
            throw new PileStorageException($"A segment was truncated: {e.Message} Restore it from a copy.", e);
        }
    }

    // The file comes first: a superblock that lists a file which a power cut took would make the whole pile unusable.
    internal override void Publish(int number, MemoryRegion region)
    {
        try
        {
            Sync(number, region);
        }
        catch (IOException)
        {
            directory.Files.TryDelete(NameOf(number)); // no superblock lists it yet
            throw;
        }
        directory.Superblock.AddSegment(number, region.LengthBytes);
        ListChanged?.Invoke();
    }

    internal override void Withdraw(int number, uint generation)
    {
        directory.Superblock.RemoveSegment(number, generation);
        ListChanged?.Invoke();
    }

    internal override void Reconcile() => directory.Superblock.Reconcile();

    internal override IReadOnlyDictionary<int, uint> Generations => directory.Superblock.Generations;

    // Under the lock, which Create takes as well: else a file that was left could be removed after a new one got its name.
    internal override void Remove(int number)
    {
        Debug.Assert(
            Mutation.SegmentRemovedFirst || !directory.Superblock.ListedSegments.ContainsKey(number),
            "The superblock lists the file that goes.");
        lock (_lock)
        {
            _leftovers.Add(number);
            foreach (int left in (int[])[.. _leftovers])
            {
                directory.Files.Delete(NameOf(left));
                _leftovers.Remove(left);
            }
        }
    }

    internal string PathOf(int number) => directory.PathOf(NameOf(number));

    private static string NameOf(int number) => string.Create(CultureInfo.InvariantCulture, $"{NamePrefix}{number:d6}");
}
