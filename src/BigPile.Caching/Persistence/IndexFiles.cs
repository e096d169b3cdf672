using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using BigPile.Caching.Index;
using BigPile.Durability;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>The files of the indexes of a mapped pile's tables: one for all, with the notes of changes, and three for each table.</summary>
/// <remarks>
/// They say what is true as long as every store to them is there: so after a kill, as the system keeps what was stored. After another start
/// of the machine they count only if they were closed and nothing was put since, and match the checksums of that time. They count only as
/// long as the pile's superblock names them: a pile may be opened with another directory for them, and again with the one before. And each
/// use has a number, which the pile has as well: of a pile and its indexes one may have been restored from a copy.
/// A change of a pile's entries goes with one of its index, so only a cache that has these files open can make one; earlier versions of the
/// library, which know nothing of them, can't open a pile of this format.
/// Thread safety: <see cref="Create"/> and <see cref="Delete"/> may be called concurrently; the others by the cache's owner alone.
/// </remarks>
internal sealed unsafe class IndexFiles : IDisposable
{
    /// <summary>The name of the file that all tables share.</summary>
    internal const string FileName = "index";

    /// <summary>The name of the file with the number of the use, which is always in the pile's own directory.</summary>
    internal const string UseFileName = "use";

    /// <summary>What an earlier format had in their place.</summary>
    internal const string FormerFileName = "tables";

    private const long FileBytes = IndexFilesHead.IntentsOffset + (long)IndexFilesHead.IntentCount * Intent.SizeBytes;

    private readonly Pile _pile;
    private readonly Guid? _foundUse;
    private readonly GrowingMap _map;
    private readonly HeldDirectory? _own;
    private readonly DirectoryLock? _lock;

    private IndexFiles(Pile pile, HeldDirectory? own, DirectoryLock? ownLock)
    {
        _pile = pile;
        _own = own;
        _lock = ownLock;
        Directory = own ?? pile.Engine.Directory!.Files;
        PileId = pile.Engine.Id;
        _foundUse = ReadUse();
        GrowingMap? found = GrowingMap.TryOpen(Directory, FileName, FileBytes, FileBytes, FileBytes, Environment.SystemPageSize);
        WereUsable = found != null && AreUsable((IndexFilesHead*)found.Start);
        WereClosed = WereUsable && ((IndexFilesHead*)found!.Start)->IsClosed;
        MustProve = WereUsable && !BootClock.IsSame(((IndexFilesHead*)found!.Start)->BootId, BootId);
        if (!WereUsable)
        {
            found?.Dispose();
            found = null;
        }
        _map = found ?? GrowingMap.Create(Directory, FileName, FileBytes, FileBytes);
        Intents = new IntentLog((Intent*)(_map.Start + IndexFilesHead.IntentsOffset), IndexFilesHead.IntentCount);
    }

    /// <summary>Where the files are.</summary>
    internal HeldDirectory Directory { get; }

    internal Guid PileId { get; }

    internal IntentLog Intents { get; }

    /// <summary>Whether what was found may be used.</summary>
    internal bool WereUsable { get; }

    /// <summary>Whether the last owner closed them.</summary>
    internal bool WereClosed { get; }

    /// <summary>Whether each index has to prove by its checksums that it is whole.</summary>
    internal bool MustProve { get; }

    /// <summary>The seed of the hash by which keys are found.</summary>
    internal ulong Seed => Head->Seed;

    /// <summary>Whether a walk that began while these were used has not come to its end.</summary>
    internal bool OwesWalk => Head->OwesWalk;

    private IndexFilesHead* Head => (IndexFilesHead*)_map.Start;

    private Superblock Superblock => _pile.Engine.Directory!.Superblock;

    private Guid BootId => Superblock.BootId;

    /// <summary>Opens the files, or makes the one for all.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="directory">The directory that has one for each pile; <see langword="null"/>: they are in the pile's own.</param>
    /// <exception cref="PileStorageException">They can't be used.</exception>
    internal static IndexFiles Open(Pile pile, string? directory)
    {
        HeldDirectory? own = null;
        DirectoryLock? ownLock = null;
        try
        {
            if (directory != null)
            {
                string path = Path.Combine(directory, $"bigpile-{pile.Engine.Id:n}");
                System.IO.Directory.CreateDirectory(path);
                own = HeldDirectory.Open(path);
                ownLock = DirectoryLock.Take(own, owner =>
                    $"The indexes in '{path}' are in use by process {owner}, for a pile with the same id. Stop it, or name another "
                    + "directory by PileCacheOptions.IndexDirectory.");
            }
            return new IndexFiles(pile, own, ownLock);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            ownLock?.Dispose();
            own?.Dispose();
            throw Refused(e, directory ?? pile.DirectoryPath!);
        }
        catch
        {
            ownLock?.Dispose();
            own?.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Whether the head of a table's index is of the same use as these files, where they were closed. Earlier versions state no use.
    /// </summary>
    internal bool GoesWith(IndexHead* head) => !WereClosed || head->ClosedUse == Guid.Empty || head->ClosedUse == Head->UseNumber;

    /// <summary>Opens the index of a table; null when there is none that has all its entries.</summary>
    /// <param name="tableId">The table.</param>
    /// <param name="formerUpTo">The version up to which its id was another table's; null: any.</param>
    /// <exception cref="IOException">The device refused.</exception>
    internal FileIndexStorage? TryOpen(int tableId, ulong? formerUpTo) => WereUsable ? FileIndexStorage.TryOpen(this, tableId, formerUpTo) : null;

    /// <summary>Whether what was stored to an index is there. Nobody has used it yet.</summary>
    internal bool IsProven(TableIndex index) => !MustProve || new IndexChecksums(index, ((FileIndexStorage)index.Storage).ChecksumArea).IsRight();

    /// <summary>Makes an index without entries for a table; what had its name goes.</summary>
    /// <exception cref="IOException">The disk is full, or the directory can't be written.</exception>
    internal FileIndexStorage Create(int tableId, ulong formerUpTo) => FileIndexStorage.Create(this, tableId, formerUpTo);

    /// <summary>Removes the files of a table. Nobody uses them any more.</summary>
    internal void Delete(int tableId)
    {
        foreach (string name in FileIndexStorage.NamesOf(tableId))
            Directory.Delete(name);
    }

    /// <summary>Removes the files of a table that could not be made. What stays goes when it is made, or at an opening.</summary>
    internal void TryDelete(int tableId)
    {
        foreach (string name in FileIndexStorage.NamesOf(tableId))
            Directory.TryDelete(name);
    }

    /// <summary>The ids of all tables that have files.</summary>
    /// <exception cref="IOException">The device refused.</exception>
    internal HashSet<int> Ids()
    {
        var ids = new HashSet<int>();
        foreach (string prefix in new[] { FileIndexStorage.HeadPrefix, FileIndexStorage.BucketsPrefix, FileIndexStorage.OverflowPrefix })
        {
            foreach (string name in Directory.NamesOf(prefix))
            {
                if (int.TryParse(name.AsSpan(prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int id))
                    ids.Add(id);
            }
        }
        return ids;
    }

    /// <summary>States that the indexes are in use from now on. What a killed process had begun is put right.</summary>
    /// <param name="seed">The seed of the hash by which keys are found.</param>
    /// <param name="owesWalk">Whether a walk has to look for entries, until <see cref="EndWalk"/>.</param>
    /// <exception cref="IOException">The device refused.</exception>
    /// <remarks>
    /// Behind a kill the device mostly has "in use" already. Then nothing waits for it: of which use it has that does not matter, as that
    /// one was not closed. Before these are closed, the number is written through.
    /// </remarks>
    internal void BeginUse(ulong seed, bool owesWalk)
    {
        bool isOnDevice = WereUsable && !WereClosed && Head->IsInUseOnDevice && _pile.Engine.Directory!.IsOnDevice;
        Head->IsInUseOnDevice = isOnDevice;
        if (!WereUsable)
            Head->SetIdentity(PileId, seed, Guid.NewGuid());
        Head->OwesWalk = owesWalk;
        var number = Guid.NewGuid();
        Head->FormerUse = WereUsable ? _foundUse!.Value : default;
        Head->SetInUse(BootId, number);
        using (HeldFile use = _pile.Engine.Directory!.Files.Open(UseFileName, FileMode.OpenOrCreate, FileAccess.ReadWrite))
        {
            use.Write(number.ToByteArray(), 0);
            if (!isOnDevice)
                use.Sync(); // else the number of an earlier use, with a copy of the indexes of that time, may count
        }
        Head->FormerUse = default;
        if (!isOnDevice)
            _map.Flush(); // whatever was found: a killed process may have said the same, and the device does not have it
        Head->IsInUseOnDevice = true;
        if (!WereUsable)
            Superblock.SetIndexSet(Head->SetNumber); // first of all that makes others wrong
        if (Directory == _pile.Engine.Directory!.Files)
            Directory.Delete(FormerFileName);
    }

    /// <summary>States that a walk has looked for all entries.</summary>
    internal void EndWalk() => Head->OwesWalk = false;

    /// <summary>States that the indexes are closed, once the device has them. Nobody changes them any more.</summary>
    internal void Close(IEnumerable<(TableIndex Index, FileIndexStorage Place)> tables)
    {
        foreach ((TableIndex index, FileIndexStorage place) in tables)
        {
            place.Head->ClosedUse = Head->UseNumber;
            new IndexChecksums(index, place.ChecksumArea).Write();
            place.Flush();
        }
        using (HeldFile use = _pile.Engine.Directory!.Files.Open(UseFileName, FileMode.Open, FileAccess.ReadWrite))
            use.Sync();
        Head->SetClosed(_pile.Engine.Versions.Last);
        _map.Flush();
    }

    public void Dispose()
    {
        _map.Dispose();
        _lock?.Dispose();
        _own?.Dispose();
    }

    private Guid? ReadUse()
    {
        using HeldFile? use = _pile.Engine.Directory!.Files.TryOpen(UseFileName, FileAccess.Read);
        return use?.ReadAll() is { Length: 16 } number ? new Guid(number) : null;
    }

    // By the same start of the machine nothing that was stored can be missing. Closed ones may be of a time before others were used.
    private bool AreUsable(IndexFilesHead* head)
    {
        if (!head->IsOf(PileId) || head->SetNumber != Superblock.IndexSet || _foundUse is not { } use)
            return false;
        bool isSameBoot = BootClock.IsSame(head->BootId, BootId);
        if (!head->IsClosed)
            return isSameBoot && (use == head->UseNumber || use == head->FormerUse);
        return use == head->UseNumber && head->LastVersion == _pile.Engine.Versions.Last && (isSameBoot || _pile.Recovery.WasClean);
    }

    /// <summary>What is thrown when the system refuses a file.</summary>
    internal static PileException Refused(Exception e, string path)
    {
        string message = $"The indexes of the tables in '{path}' can't be used: "
            + FileErrors.WithRemedy(e, "Make room, or make the files accessible, and try again.");
        return e is IOException refusal && FileErrors.IsDiskFull(refusal)
            ? new PileFullException(message, e)
            : new PileStorageException(message, e);
    }
}
