using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Catalog;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Writing the file anew without the changes of tables that later ones have made void.</summary>
/// <remarks>
/// Order: the new file whole under another name, written through; the superblock states its length, which is less than what it stated
/// before, and fits the old file as well: that has more; the new file gets the name; the directory is written through. A kill or a power
/// cut between leaves the old file or the new one, and both say the same. As long as the device may not have the new name the catalog is
/// unsettled: nothing is appended to a file whose name a power cut may take, no flush is said to be done, and the pile is not closed. Ids
/// of types and tables stay; changes are numbered anew. What fails leaves the old file in use, and is tried again when more is void.
/// </remarks>
internal sealed partial class FileCatalog
{
    private const string UnfinishedSuffix = ".new";
    private const long LeastSupersededBytes = 64 << 10;

    private long _nextTryBytes = LeastSupersededBytes;
    private bool _isNameUnsynced; // the file was renamed, and the directory is not written through yet

    /// <summary>
    /// Has the superblock state a length, and then runs what gives the file that length, with nothing else stated in between. Null while
    /// the file can't be written anew: the superblock states it as it was when the pile was closed.
    /// </summary>
    internal Action<long, Action>? LengthRecorder { get; set; }

    private long SupersededBytes => Changes.SupersededBytes + (long)Changes.SupersededCount * HeadBytes;

    /// <summary>Leaves out what is void, if that is most of the file.</summary>
    internal void DropSupersededIfMost() => RunExclusive(DropSuperseded);

    protected override void DropSuperseded()
    {
        if (LengthRecorder == null || SupersededBytes < Math.Max(_nextTryBytes, _endBytes / 2))
            return;
        try
        {
            ReconcileLocked();
            RewriteLocked(LengthRecorder);
            _nextTryBytes = LeastSupersededBytes;
        }
        catch (Exception e) when (e is IOException or PileStorageException)
        {
            // not the caller's concern: the record that he stored is durable, in the old file or in the new one
            _nextTryBytes = SupersededBytes + LeastSupersededBytes;
        }
    }

    private void RewriteLocked(Action<long, Action> recorder)
    {
        Debug.Assert(!_isInDoubt && !_isNameUnsynced, "What failed before would be lost sight of with the file that has it.");
        byte[] all = EncodeAll();
        Debug.Assert(all.Length < _endBytes, "The old file must have what is stated of the new one.");
        string name = Path.GetFileName(_file.Path);
        HeldFile file = _directory.Open(name + UnfinishedSuffix, FileMode.Create, FileAccess.ReadWrite);
        try
        {
            file.Write(all, 0);
            file.Sync();
            recorder(all.Length, () => ReplaceFile(file, name, all.Length));
        }
        catch when (_file != file)
        {
            file.Dispose();
            _directory.TryDelete(name + UnfinishedSuffix);
            throw;
        }
        SyncNameLocked();
    }

    // A rename may fail after it was done: the path of the file then is the new one.
    private void ReplaceFile(HeldFile file, string name, long lengthBytes)
    {
        try
        {
            _directory.Rename(file, name);
        }
        catch (IOException) when (file.Path == _file.Path)
        {
            // it was renamed all the same
        }
        _isNameUnsynced = true;
        ClearOnDevice();
        _file.Dispose();
        _file = file;
        Volatile.Write(ref _endBytes, lengthBytes);
        Changes.ForgetSuperseded();
    }

    private void SyncNameLocked()
    {
        if (!_isNameUnsynced)
            return;
        _directory.Sync();
        _isNameUnsynced = false;
        MarkOnDevice();
    }

    private byte[] EncodeAll()
    {
        using var all = new MemoryStream();
        foreach ((CatalogKind kind, List<byte[]> definitions) in Definitions)
            Write(all, kind, definitions);
        Write(all, CatalogKind.TableChange, Changes.Last);
        return all.ToArray();
    }

    private static void Write(MemoryStream all, CatalogKind kind, IEnumerable<byte[]> definitions)
    {
        int id = 0;
        foreach (byte[] definition in definitions)
            all.Write(RecordOf(kind, ++id, definition));
    }

    // The writer may have replaced the file that this reader has open. What was read from the old one is in the new one, with the same ids.
    private void ReopenIfReplaced()
    {
        Debug.Assert(!_file.CanWrite, "The writer has the file that counts.");
        HeldFile? file = _directory.TryOpen(Path.GetFileName(_file.Path), FileAccess.Read);
        if (file == null)
            return;
        if (FileStatus.Of(_file.Handle) is { } known && FileStatus.Of(file.Handle)?.IsSameFile(known) != false)
        {
            file.Dispose();
            return;
        }
        _file.Dispose();
        _file = file;
        Changes.Clear();
        _ = RememberFrom(0);
    }
}
