using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using BigPile.Caching.Index;
using BigPile.Durability;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>The index files of a mapped pile's tables: one common file with the intent log, and three for each table.</summary>
/// <remarks>
/// The files are trusted only if all of this holds:
/// <list type="bullet">
/// <item>No store to them is missing: the machine was not restarted, as the system keeps a killed process's stores to a mapped file; or
/// files and pile were closed, and each index matches its checksums.</item>
/// <item>If they were closed, no cache has used the pile since.</item>
/// <item>The pile's superblock names this set: a pile may be opened with other directories for its indexes in turn.</item>
/// <item>The number of their last use is also the pile's: either may have been restored from a copy.</item>
/// </list>
/// Every change of a pile's entries also changes an index, so only a cache that has these files open can make one. Earlier versions of the
/// library, which do not know the files, can't open a pile of this format.
/// Thread safety: <see cref="Create"/> and <see cref="Delete"/> may be called concurrently; only the cache's owner calls the others.
/// </remarks>
internal sealed unsafe class IndexFiles : IDisposable
{
    internal const string FileName = "index";

    /// <summary>The name of the file with the number of the use. It is always in the pile's own directory.</summary>
    internal const string UseFileName = "use";

    /// <summary>The name of the index file of an earlier format.</summary>
    internal const string FormerFileName = "tables";

    private const long FileBytes = IndexFilesHead.IntentsOffset + (long)IndexFilesHead.IntentCount * Intent.SizeBytes;

    private readonly Pile _pile;
    private readonly Guid? _foundUse; // the number of the use that the pile had at the opening
    private readonly GrowingMap _map; // the common file
    private readonly HeldDirectory? _own; // the directory of the files, if it is not the pile's
    private readonly DirectoryLock? _lock; // the lock of that directory

    private IndexFiles(Pile pile, HeldDirectory? own, DirectoryLock? ownLock)
    {
        _pile = pile;
        _own = own;
        _lock = ownLock;
        Directory = own ?? pile.Tables.Directory!.Files;
        PileId = pile.Tables.Id;
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

    internal HeldDirectory Directory { get; }

    internal Guid PileId { get; }

    internal IntentLog Intents { get; }

    /// <summary>Whether the files that were found can be trusted.</summary>
    internal bool WereUsable { get; }

    /// <summary>Whether the last owner closed the files.</summary>
    internal bool WereClosed { get; }

    /// <summary>Whether each index must be verified by its checksums: the machine was restarted.</summary>
    internal bool MustProve { get; }

    /// <summary>The seed of the keys' hash.</summary>
    internal ulong Seed => Head->Seed;

    /// <summary>Whether an earlier walk for entries was not completed.</summary>
    internal bool OwesWalk => Head->OwesWalk;

    private IndexFilesHead* Head => (IndexFilesHead*)_map.Start;

    private Superblock Superblock => _pile.Tables.Directory!.Superblock;

    private Guid BootId => Superblock.BootId;

    /// <summary>Opens the common file, or makes it.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="directory">A directory with a subdirectory for each pile; <see langword="null"/>: the pile's own directory.</param>
    /// <exception cref="PileStorageException">The files can't be used.</exception>
    internal static IndexFiles Open(Pile pile, string? directory)
    {
        HeldDirectory? own = null;
        DirectoryLock? ownLock = null;
        try
        {
            if (directory != null)
            {
                string path = Path.Combine(directory, $"bigpile-{pile.Tables.Id:n}");
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
    /// Whether a table's index was closed at the end of the same use as these files. Always, if they were not closed, or if an earlier
    /// version, which stores no number, closed the index.
    /// </summary>
    internal bool GoesWith(IndexHead* head) => !WereClosed || head->ClosedUse == Guid.Empty || head->ClosedUse == Head->UseNumber;

    /// <summary>Whether a number is that of the use at whose end the files were closed, as they were found.</summary>
    internal bool IsOfLastUse(Guid use) => use == _foundUse;

    /// <summary>Opens the index of a table; null if there is no complete one.</summary>
    /// <param name="tableId">The table.</param>
    /// <param name="formerUpTo">The version up to which entries of the id belong to a dropped table; null: any.</param>
    /// <exception cref="IOException">The device refused.</exception>
    internal FileIndexStorage? TryOpen(int tableId, ulong? formerUpTo) =>
        WereUsable ? FileIndexStorage.TryOpen(this, tableId, formerUpTo) : null;

    /// <summary>Whether an index has all that was stored to it. Nobody uses it yet.</summary>
    internal bool IsProven(TableIndex index) =>
        !MustProve || new IndexChecksums(index, ((FileIndexStorage)index.Storage).ChecksumArea).IsRight();

    /// <summary>Makes an index without entries for a table. Deletes former files of the id.</summary>
    /// <exception cref="IOException">The disk is full, or the directory can't be written.</exception>
    internal FileIndexStorage Create(int tableId, ulong formerUpTo) => FileIndexStorage.Create(this, tableId, formerUpTo);

    /// <summary>Deletes the files of a table. Nobody uses them any more.</summary>
    internal void Delete(int tableId)
    {
        foreach (string name in (string[])[.. FileIndexStorage.NamesOf(tableId), FileIndexStorage.FeedNameOf(tableId)])
            Directory.Delete(name);
    }

    /// <summary>Deletes the files of a table after its creation failed. A later creation or opening deletes what is left.</summary>
    internal void TryDelete(int tableId)
    {
        foreach (string name in (string[])[.. FileIndexStorage.NamesOf(tableId), FileIndexStorage.FeedNameOf(tableId)])
            Directory.TryDelete(name);
    }

    /// <summary>The ids of all tables that have files.</summary>
    /// <exception cref="IOException">The device refused.</exception>
    internal HashSet<int> Ids()
    {
        var ids = new HashSet<int>();
        foreach (string prefix in (string[])[
            FileIndexStorage.HeadPrefix, FileIndexStorage.BucketsPrefix, FileIndexStorage.OverflowPrefix, FileIndexStorage.FeedPrefix])
        {
            foreach (string name in Directory.NamesOf(prefix))
            {
                if (int.TryParse(name.AsSpan(prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int id))
                    ids.Add(id);
            }
        }
        return ids;
    }

    /// <summary>Records that the indexes are in use. Recovery after a kill is complete.</summary>
    /// <param name="seed">The seed of the keys' hash.</param>
    /// <param name="owesWalk">Whether a walk has to find entries, until <see cref="EndWalk"/>.</param>
    /// <exception cref="IOException">The device refused.</exception>
    /// <remarks>
    /// After a kill the device usually has "in use" already, and nothing is written through. That may be the state of an earlier use, which
    /// is harmless, as it was not closed either. A close writes the number through.
    /// </remarks>
    internal void BeginUse(ulong seed, bool owesWalk)
    {
        bool isOnDevice = WereUsable && !WereClosed && Head->IsInUseOnDevice && _pile.Tables.Directory!.IsOnDevice;
        Head->IsInUseOnDevice = isOnDevice;
        if (!WereUsable)
            Head->SetIdentity(PileId, seed, Guid.NewGuid());
        Head->OwesWalk = owesWalk;
        var number = Guid.NewGuid();
        Head->FormerUse = WereUsable ? _foundUse!.Value : default;
        Head->SetInUse(BootId, number);
        using (HeldFile use = _pile.Tables.Directory!.Files.Open(UseFileName, FileMode.OpenOrCreate, FileAccess.ReadWrite))
        {
            use.Write(number.ToByteArray(), 0);
            if (!isOnDevice)
                use.Sync(); // else, after a power cut, a copy of the indexes of an earlier use could be trusted
        }
        Head->FormerUse = default;
        if (!isOnDevice)
            _map.Flush(); // even if the file says "in use" already: a killed process may have stored that without writing it through
        Head->IsInUseOnDevice = true;
        if (!WereUsable)
            Superblock.SetIndexSet(Head->SetNumber); // before any change that makes another set stale
        if (Directory == _pile.Tables.Directory!.Files)
            Directory.Delete(FormerFileName);
    }

    /// <summary>Records that a walk has found all entries.</summary>
    internal void EndWalk() => Head->OwesWalk = false;

    /// <summary>Writes the indexes through, and then records that they are closed. Nobody changes them any more.</summary>
    internal void Close(IEnumerable<(TableIndex Index, FileIndexStorage Place)> tables, IEnumerable<FileFeedStorage> feeds)
    {
        foreach (FileFeedStorage feed in feeds)
            feed.Close(Head->UseNumber);
        foreach ((TableIndex index, FileIndexStorage place) in tables)
        {
            place.Head->Close(Head->UseNumber);
            new IndexChecksums(index, place.ChecksumArea).Write();
            place.Flush();
        }
        using (HeldFile use = _pile.Tables.Directory!.Files.Open(UseFileName, FileMode.Open, FileAccess.ReadWrite))
            use.Sync();
        Directory.Sync(); // the names of files that are new, before they count as closed
        if (_own != null)
        {
            _pile.Tables.Directory!.Files.Sync(); // that of "use"
            DirectoryCheck.SyncName(_own.Path, _pile.Tables.Directory!.Files.Hook);
        }
        Head->SetClosed(_pile.Tables.Versions.Last);
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
        using HeldFile? use = _pile.Tables.Directory!.Files.TryOpen(UseFileName, FileAccess.Read);
        return use?.ReadAll() is { Length: 16 } number ? new Guid(number) : null;
    }

    // Within one boot of the machine no store can be missing. Files that are not closed need the number of the pile's last use, or, if a
    // kill came between the stores of a new number, the one before. Closed files may also be stale: another set was used since.
    private bool AreUsable(IndexFilesHead* head)
    {
        if (!head->IsOf(PileId) || head->SetNumber != Superblock.IndexSet || _foundUse is not { } use)
            return false;
        bool isSameBoot = BootClock.IsSame(head->BootId, BootId);
        if (!head->IsClosed)
            return isSameBoot && (use == head->UseNumber || use == head->FormerUse);
        return use == head->UseNumber && head->LastVersion == _pile.Tables.Versions.Last && (isSameBoot || _pile.Recovery.WasClean);
    }

    /// <summary>The exception for a file that the system refused.</summary>
    internal static PileException Refused(Exception e, string path)
    {
        string message = $"The indexes of the tables in '{path}' can't be used: "
            + FileErrors.WithRemedy(e, "Free space on the disk, or make the files accessible, and try again.");
        return e is IOException refusal && FileErrors.IsDiskFull(refusal)
            ? new PileFullException(message, e)
            : new PileStorageException(message, e);
    }
}
