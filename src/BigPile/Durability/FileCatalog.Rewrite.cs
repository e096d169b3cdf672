using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Catalog;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Rewriting the file without superseded table changes.</summary>
/// <remarks>
/// A kill or a power cut on the way leaves the old or the new file, with the same content. Ids of types and tables stay; changes are
/// renumbered. If a step fails the old file stays in use, and the rewrite is retried once more is superseded.
/// </remarks>
internal sealed partial class FileCatalog
{
    private const string UnfinishedSuffix = ".new";
    private const long LeastSupersededBytes = 64 << 10; // less than this is not worth a rewrite

    private long _nextTryBytes = LeastSupersededBytes; // superseded bytes at which a rewrite is tried; under the catalog's lock
    private bool _isNameUnsynced; // the file was renamed, and the directory is not synced yet; under the catalog's lock

    /// <summary>
    /// Makes the superblock state a length, then runs the action that gives the file this length; no other length is stated in between.
    /// Null while the file must not be rewritten: the superblock then still states the length at which the pile was closed.
    /// </summary>
    internal Action<long, Action>? LengthRecorder { get; set; }

    private long SupersededBytes => Changes.SupersededBytes + (long)Changes.SupersededCount * HeadBytes;

    /// <summary>Rewrites the file if most of it is superseded.</summary>
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
            // not the caller's failure: its record is durable, in the old file or in the new one
            _nextTryBytes = SupersededBytes + LeastSupersededBytes;
        }
    }

    private void RewriteLocked(Action<long, Action> recorder)
    {
        Debug.Assert(!_isInDoubt && !_isNameUnsynced, "The record of a failed call would be forgotten with the old file.");
        byte[] all = EncodeAll();
        Debug.Assert(all.Length < _endBytes, "The old file must be longer than the length that is stated.");
        string name = Path.GetFileName(_file.Path);
        HeldFile file = _directory.Open(name + UnfinishedSuffix, FileMode.Create, FileAccess.ReadWrite);
        try
        {
            file.Write(all, 0);
            file.Sync(); // whole on the device before anything names it
            // The superblock states the shorter length first, which is true of the old file, too. No longer one is stated until the
            // rename.
            recorder(all.Length, () => ReplaceFile(file, name, all.Length));
        }
        catch when (_file != file)
        {
            file.Dispose();
            _directory.TryDelete(name + UnfinishedSuffix);
            throw;
        }
        // Until the device has the name a power cut may undo the rename. If this fails, each append, flush and closing tries it first.
        SyncNameLocked();
    }

    // A rename may report a failure after it was done: then the file's path is the new one.
    private void ReplaceFile(HeldFile file, string name, long lengthBytes)
    {
        try
        {
            _directory.Rename(file, name);
        }
        catch (IOException) when (file.Path == _file.Path)
        {
            // the rename took effect
        }
        _isNameUnsynced = true; // first: whatever follows, nothing is appended before the name is synced
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

    // The writer may have replaced the file that this reader has open. The new file repeats everything read from the old one, with the same
    // ids.
    private void ReopenIfReplaced()
    {
        Debug.Assert(!_file.CanWrite, "Only a reader can have an outdated file.");
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
