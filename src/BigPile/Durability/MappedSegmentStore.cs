using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>A segment store whose segments are files in the pile's directory.</summary>
internal sealed class MappedSegmentStore(PileDirectory directory) : SegmentStore
{
    private readonly Lock _lock = new();
    private readonly HashSet<int> _leftovers = []; // numbers of unlisted files that could not be deleted yet; under _lock

    internal const string NamePrefix = "segment-";

    private const int Digits = 6; // of a number in a name: none has more
    private const int MostPages = 1 << 20; // of any segment
    private const long FirstBytes = 1; // the least disk space that a new segment can have; the rest by need

    internal override StoreKind Kind => StoreKind.Mapped;

    internal override uint LeastGeneration => 1;

    internal override bool IsCopyOnWrite => !directory.IsShared;

    /// <summary>
    /// Called after the superblock's segment list changed, and before the magic of a removed segment is zeroed or its file deleted; also
    /// once readers must stop undoing deletions (<see cref="Superblock.MarkRecovered"/>).
    /// </summary>
    internal Action? ListChanged { get; set; }

    /// <summary>Makes readers read the superblock again.</summary>
    internal void RaiseListChanged() => ListChanged?.Invoke();

    // After a failed superblock write the disk may list a segment that memory does not: reconcile first, so that its file is not removed.
    internal override bool IsFree(int number)
    {
        string name = NameOf(number);
        string unfinished = name + MappedRegion.UnfinishedSuffix;
        if (directory.Files.IsNoFile(name) || directory.Files.IsNoFile(unfinished))
            return false; // somebody made it
        if (HoldsPages(name, number))
            return false; // the superblock is an older one, which does not know of the segment
        directory.Superblock.Reconcile();
        Debug.Assert(!directory.Superblock.ListedSegments.ContainsKey(number), "The file of a segment in use would be removed.");
        lock (_lock)
            _leftovers.Remove(number); // this number's file is removed here, not by a later Remove
        RemoveLeftover(name, isMarkNeeded: true);
        directory.Files.Delete(unfinished);
        return true;
    }

    internal override MemoryRegion Create(int number, long lengthBytes)
    {
        Debug.Assert(!directory.Superblock.ListedSegments.ContainsKey(number), "The file of a segment in use would be replaced.");
        return MappedRegion.Create(directory.Files, NameOf(number), lengthBytes, FirstBytes);
    }

    /// <summary>
    /// Removes the files of segments that are not listed: a killed owner left them, or could not remove them. The superblock is certain.
    /// </summary>
    /// <param name="logger">
    /// Gets what can't be removed: it stays until its number is needed, or until the next opening. And what holds something: it stays.
    /// </param>
    internal void RemoveUnlisted(ILogger logger)
    {
        var kept = new List<string>();
        foreach (string name in NamesOfSegments(logger))
        {
            if (NumberOf(name, out bool isUnfinished) is not { } number)
                continue;
            if (!isUnfinished && directory.Superblock.ListedSegments.ContainsKey(number))
                continue;
            try
            {
                if (directory.Files.IsNoFile(name))
                    continue; // somebody made it
                if (HoldsPages(name, number))
                    kept.Add(directory.PathOf(name));
                else
                    RemoveLeftover(name, isMarkNeeded: false);
            }
            catch (IOException e) // it is no reason to leave the others
            {
                logger.LogWarning(e, "A segment that its pile has given up could not be removed: {File}", directory.PathOf(name));
            }
        }
        if (kept.Count == 0)
            return;
        logger.LogWarning(
            "The superblock of the pile in {Path} does not list segments with objects, perhaps as an older one was put back: {Files}. They "
            + "stay. Restore all files of the pile from one copy, or remove these if nobody needs them",
            directory.Path, kept);
    }

    // Whether the file of this pile's segment of a number has pages in use. That of one that was struck has none; after a power cut it may
    // have some of before the strike, which raised the generation of the number above theirs.
    private bool HoldsPages(string name, int number)
    {
        using HeldFile? file = directory.Files.TryOpen(name, FileAccess.Read);
        SegmentHead head = default;
        bool isWhole = file?.Read(MemoryMarshal.AsBytes(new Span<SegmentHead>(ref head)), 0) == SegmentHead.SizeBytes;
        if (!isWhole || !SegmentHead.IsMarked(head.Magic) || head.Number != number || head.PileId != directory.Superblock.PileId)
            return false;
        var words = new ulong[(int)Math.Min(file!.LengthBytes / SizeClasses.PageBytes, MostPages)];
        _ = file.Read(MemoryMarshal.AsBytes(words.AsSpan()), SegmentHead.SizeBytes);
        uint start = directory.Superblock.Generations.GetValueOrDefault(number);
        return Array.Exists(words, word => IsInUse(new PageWord(word), start)); // those of the head are zero
    }

    private static bool IsInUse(PageWord word, uint start) =>
        !word.IsIntact || (!word.IsUnused && !word.IsRunTail && word.GenerationBase >= start);

    private List<string> NamesOfSegments(ILogger logger)
    {
        try
        {
            return directory.Files.NamesOf(NamePrefix);
        }
        catch (IOException e)
        {
            logger.LogWarning(e, "Whether there are segments that the pile in {Path} has given up is not known", directory.Path);
            return [];
        }
    }

    // A killed owner, or a failed growth, left the file. Deleted first, since the new segment may need its disk space. Its magic is zeroed
    // first: a reader that still has it mapped must not take it for the new segment.
    private void RemoveLeftover(string name, bool isMarkNeeded)
    {
        using (HeldFile? left = directory.Files.TryOpen(name, FileAccess.ReadWrite))
        {
            if (left == null)
                return;
            TryMark(left, isMarkNeeded);
        }
        directory.Files.Delete(name);
    }

    // Needs no space where the file system writes in place, as the file has its head; elsewhere the disk may be too full. Then a reader
    // that looks at the list before there is another segment of the number does without.
    private static void TryMark(HeldFile left, bool isMarkNeeded)
    {
        ulong magic = 0;
        _ = left.Read(MemoryMarshal.AsBytes(new Span<ulong>(ref magic)), 0);
        if (!SegmentHead.IsMarked(magic))
            return;
        try
        {
            left.Write(new byte[sizeof(ulong)], 0);
        }
        catch (IOException e) when (!isMarkNeeded && FileErrors.IsDiskFull(e))
        {
            // gone, it needs no mark
        }
    }

    internal void Sync(int number, MemoryRegion region)
    {
        directory.OnSyncing(PathOf(number));
        try
        {
            region.Flush();
        }
        catch (DirectoryChangedException) when (region.IsDisposed)
        {
            throw new ObjectDisposedException(nameof(MemoryRegion)); // trimmed meanwhile, so its file is gone
        }
        directory.OnSynced(PathOf(number));
    }

    /// <summary>Maps the file of an existing segment, of which the head may be stored to.</summary>
    /// <exception cref="PileStorageException">The file is missing or has another length.</exception>
    internal MappedRegion Open(int number, long lengthBytes)
    {
        string path = PathOf(number);
        try
        {
            long headBytes = (long)SegmentHead.PagesFor((int)(lengthBytes / SizeClasses.PageBytes)) * SizeClasses.PageBytes;
            return MappedRegion.Open(directory.Files, NameOf(number), lengthBytes, directory.IsReadOnly, headBytes);
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

    // Sync the file before listing it: if a power cut took a listed file, the whole pile would be unusable.
    internal override void Publish(int number, MemoryRegion region)
    {
        try
        {
            Sync(number, region);
        }
        catch (IOException)
        {
            directory.Files.TryDelete(NameOf(number)); // it is not listed yet
            throw;
        }
        // The file is on the device. AddSegment syncs the directory, and then lists it. A kill before leaves an unlisted file.
        directory.Superblock.AddSegment(number, region.LengthBytes);
        ListChanged?.Invoke(); // listed first: a reader that sees the change finds it
    }

    internal override void Withdraw(int number, uint generation)
    {
        directory.Superblock.RemoveSegment(number, generation);
        ListChanged?.Invoke(); // before the file goes: a reader that fails to map it sees the change
    }

    internal override void Reconcile() => directory.Superblock.Reconcile();

    internal override IReadOnlyDictionary<int, uint> Generations => directory.Superblock.Generations;

    // Create takes the same lock: otherwise a leftover file could be deleted after a new segment got its name.
    internal override void Remove(int number)
    {
        Debug.Assert(
            Mutation.SegmentRemovedFirst || !directory.Superblock.ListedSegments.ContainsKey(number),
            "The superblock lists the file that goes.");
        lock (_lock)
        {
            _leftovers.Add(number); // if the deletion fails, the next Remove tries again
            IOException? refusal = null;
            foreach (int left in (int[])[.. _leftovers])
            {
                try
                {
                    directory.Files.Delete(NameOf(left));
                    _leftovers.Remove(left);
                }
                catch (IOException e) // it is no reason to leave the others
                {
                    refusal = e;
                }
            }
            if (refusal != null)
                throw refusal;
        }
    }

    internal string PathOf(int number) => directory.PathOf(NameOf(number));

    // Of a segment's file, finished or not, as it is named here; null for any other file.
    private static int? NumberOf(string name, out bool isUnfinished)
    {
        isUnfinished = name.EndsWith(MappedRegion.UnfinishedSuffix, StringComparison.Ordinal);
        string finished = isUnfinished ? name[..^MappedRegion.UnfinishedSuffix.Length] : name;
        ReadOnlySpan<char> digits = finished.AsSpan(NamePrefix.Length);
        bool isNumber = int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int number);
        return isNumber && digits.Length == Digits && finished == NameOf(number) ? number : null;
    }

    private static string NameOf(int number) => string.Create(CultureInfo.InvariantCulture, $"{NamePrefix}{number:d6}");
}
