using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Catalog;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>The catalog of a mapped pile: an append-only file, rewritten when most of it is superseded.</summary>
/// <remarks>
/// <code>
/// record: length of the definition (4 bytes) | CRC-32C of the rest (4) | kind (1) | id (3) | definition
/// </code>
/// Little-endian. A record is written by one call and synced before any block can refer to its id: neither a kill nor a power cut loses a
/// type that a block needs. At most the last record is torn, or unreferenced. Opening cuts off a torn tail. It refuses a damaged record
/// that whole records follow, or that lies within the length stated by the superblock: those are referenced.
///
/// A record that failed is cut off, and the cut synced, before its call reports the failure. If the device refuses that too, the catalog is
/// in doubt: the next record, each flush, and closing cut first, and fail as long as the cut fails. So:
/// - everything up to the catalog's length is synced and never cut off: the superblock may state this length at any time;
/// - no record is ever written behind a failed one, whole or torn, nor behind a cut that the device may not have;
/// - no flush reports success, and no pile is closed, while the file may hold a record of a failed call.
/// A crash while in doubt leaves the failed record torn (the next owner cuts it off), whole, or absent. A whole one is accepted, as if the
/// owner had died right after the write: like any call that a crash interrupts, it took effect or did not. Only what came after the last
/// flush can rely on either.
/// </remarks>
internal sealed partial class FileCatalog : PileCatalog
{
    private const int HeadBytes = 12;
    private const int ChecksummedFrom = 8;
    private const int MaxDefinitionBytes = 1 << 20; // of one type or table
    private const string Remedy = "Restore the file from a copy: payloads refer to its records.";

    private readonly HeldDirectory _directory; // for rewriting: temporary file, rename, sync
    private HeldFile _file; // replaced by a rewrite, or by a reader that follows one; under the lock
    private long _endBytes; // of the last valid record; of a writer all up to here is on the device. Written under the lock, read without
    private bool _isInDoubt; // behind that end, file or device may hold a record of a failed call; under the lock

    private FileCatalog(HeldDirectory directory, HeldFile file)
    {
        _directory = directory;
        _file = file;
    }

    /// <summary>Opens a catalog, or creates an empty one.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="name">The file.</param>
    /// <param name="logger">Receives a warning about a torn tail.</param>
    /// <param name="readOnly">Open for reading while another process may append.</param>
    /// <param name="stated">What the superblock states about the file; null if there is no superblock yet.</param>
    /// <exception cref="PileStorageException">The file is damaged, or missing beside a superblock.</exception>
    /// <exception cref="IOException">The device refused.</exception>
    internal static FileCatalog Open(
        HeldDirectory directory, string name, ILogger logger, bool readOnly = false, CatalogLength? stated = null)
    {
        HeldFile? file = directory.TryOpen(name, readOnly ? FileAccess.Read : FileAccess.ReadWrite);
        if (file == null && (readOnly || stated != null))
            throw Missing(directory.PathOf(name), stated);
        var catalog = new FileCatalog(directory, file ?? directory.Open(name, FileMode.OpenOrCreate, FileAccess.ReadWrite));
        try
        {
            FileStatus? found = FileStatus.Of(catalog._file.Handle);
            bool wasCut = catalog.Load(logger, stated ?? default);
            if (!readOnly && stated is { } known)
            {
                catalog.IsOnDevice = !wasCut && catalog._endBytes == known.LeastBytes && known.OnDevice?.Invoke(found) == true;
                if (!catalog.IsOnDevice)
                {
                    directory.Sync(); // its creator may have died before the name was on the device; or the file is a copy
                    catalog.WriteThroughFrom(known.WholeBytes ?? known.LeastBytes);
                }
            }
            catalog.MarkOnDevice();
            return catalog;
        }
        catch
        {
            catalog.Dispose();
            throw;
        }
    }

    /// <summary>The length of all records. Of a writer, all of them are on the device and stay there.</summary>
    internal long LengthBytes => Volatile.Read(ref _endBytes);

    public override bool OutlivesProcess => true;

    /// <summary>Durably removes what a failed call left.</summary>
    /// <exception cref="IOException">The device still refuses.</exception>
    internal void Reconcile() => RunExclusive(ReconcileLocked);

    public override void Dispose() => _file.Dispose();

    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
        if (_file.Handle.IsClosed)
            throw new ObjectDisposedException("Pile");
        if (!_file.CanWrite)
            Throw.ReadOnly(Path.GetDirectoryName(_file.Path));
        if (definition.Length > MaxDefinitionBytes)
            throw new PileException(
                $"A definition of {definition.Length:N0} bytes is over the catalog's limit of {MaxDefinitionBytes:N0} bytes.");
        Append(RecordOf(kind, id, definition));
        CrashPoints.Pass(CrashPoint.CatalogBeforeUse);
    }

    private static byte[] RecordOf(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
        Debug.Assert(id is > 0 and < 1 << 24, "An id has three bytes.");
        var record = new byte[HeadBytes + definition.Length];
        BinaryPrimitives.WriteInt32LittleEndian(record, definition.Length);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(ChecksummedFrom), (id << 8) | (byte)kind);
        definition.CopyTo(record.AsSpan(HeadBytes));
        BinaryPrimitives.WriteUInt32LittleEndian(record.AsSpan(4), Checksum.Of(record.AsSpan(ChecksummedFrom)));
        Debug.Assert(TryReadRecord(record, out _), "The new record would be read as a torn tail.");
        return record;
    }

    /// <summary>Reads what the writer has appended, if this is a reader.</summary>
    protected override void Refresh()
    {
        if (_file.CanWrite)
            return;
        _ = RememberFrom(_endBytes);
        ReopenIfReplaced();
    }

    private void Append(byte[] record)
    {
        try
        {
            ReconcileLocked();
            _isInDoubt = true; // before the first byte: whatever fails from here on is cut off
            ClearOnDevice(); // the file changes: the sync record must not match it
            Debug.Assert(!_isNameUnsynced, "A power cut could take the file's new name, and the record with it.");
            _file.Write(record, _endBytes);
            _file.Sync(); // one sync per type is affordable; blocks that refer to a type may reach the device at any time
            Volatile.Write(ref _endBytes, _endBytes + record.Length); // behind the sync: the superblock may state it
            _isInDoubt = false;
            MarkOnDevice();
        }
        catch (IOException e)
        {
            string left = TryReconcileLocked()
                ? "Nothing was stored."
                : "It could not be taken back either: if the process ends before the next flush, it may have been stored.";
            throw new PileStorageException(
                $"The catalog '{_file.Path}' can't take a new type or table: {e.Message} "
                + left + " Free disk space, or remove the cause of the error, and try again.", e);
        }
    }

    private bool TryReconcileLocked()
    {
        try
        {
            ReconcileLocked();
            return true;
        }
        catch (IOException)
        {
            return false; // the next caller that needs it retries, and reports why it fails
        }
    }

    // Syncs the cut by itself: a following record must never be on a device that still has the failed one.
    private void ReconcileLocked()
    {
        SyncNameLocked();
        if (!_isInDoubt)
            return;
        try
        {
            WaitForClockTick();
            _file.SetLength(_endBytes); // behind the end is only what a failed call has written
            _file.Sync();
        }
        catch (IOException e)
        {
            throw new IOException(
                $"'{_file.Path}' may hold a type or table that could not be stored before, and can't be cut to its {_endBytes:N0} bytes: "
                + e.Message, e);
        }
        _isInDoubt = false; // only when the device has the cut
        MarkOnDevice();
    }

    // Returns whether a torn tail was cut off.
    private bool Load(ILogger logger, CatalogLength stated)
    {
        byte[] rest = RememberFrom(0);
        bool hasGrown = !_file.CanWrite && stated.WholeBytes < _endBytes; // a writer has appended since the superblock was read
        bool isWhole = stated.WholeBytes == null || stated.WholeBytes == _endBytes || hasGrown;
        if (!isWhole || _endBytes < stated.LeastBytes)
        {
            throw new PileStorageException(
                $"The catalog '{_file.Path}' is damaged behind byte {_endBytes:N0}, and should have {stated.Text}. {Remedy}");
        }
        if (rest.Length != 0)
            CutTail(rest, _endBytes, logger);
        return rest.Length != 0;
    }

    // The previous owner may have died before the device had these records. After a failed sync the system may report the next one as a
    // success without writing: so rewrite the bytes first. Sync even if there are none: the device may not know yet that a record was cut
    // off.
    private void WriteThroughFrom(long offsetBytes)
    {
        Debug.Assert(offsetBytes <= _endBytes, "The file is shorter than the superblock states: that is damage, and was to be refused.");
        var unstated = new byte[_endBytes - offsetBytes];
        if (_file.Read(unstated, offsetBytes) != unstated.Length)
            throw new IOException($"'{_file.Path}' became shorter while it was read.");
        _file.Write(unstated, offsetBytes);
        _file.Sync();
    }

    private static PileStorageException Missing(string path, CatalogLength? stated) =>
        new($"The catalog '{path}' is missing, and should have {(stated ?? default).Text}. {Remedy}");

    /// <summary>Reads whole records from an offset on.</summary>
    /// <returns>The bytes behind them.</returns>
    private byte[] RememberFrom(long offsetBytes)
    {
        var all = new byte[Math.Max(0, _file.LengthBytes - offsetBytes)];
        int filledBytes = _file.Read(all, offsetBytes);
        int at = 0;
        var numbers = new Dictionary<CatalogKind, int>(); // when the file is read from its start
        while (TryReadRecord(all.AsSpan(at, filledBytes - at), out int lengthBytes))
        {
            Remember(all.AsSpan(at, lengthBytes), offsetBytes == 0 ? numbers : null);
            at += lengthBytes;
        }
        _endBytes = offsetBytes + at;
        return all[at..filledBytes];
    }

    private static bool TryReadRecord(ReadOnlySpan<byte> rest, out int lengthBytes)
    {
        lengthBytes = 0;
        if (rest.Length < HeadBytes)
            return false;
        int definitionBytes = BinaryPrimitives.ReadInt32LittleEndian(rest);
        if (definitionBytes < 0 || definitionBytes > rest.Length - HeadBytes)
            return false;
        lengthBytes = HeadBytes + definitionBytes;
        return BinaryPrimitives.ReadUInt32LittleEndian(rest[4..]) == Checksum.Of(rest[ChecksummedFrom..lengthBytes]);
    }

    private void Remember(ReadOnlySpan<byte> record, Dictionary<CatalogKind, int>? numbers)
    {
        int idAndKind = BinaryPrimitives.ReadInt32LittleEndian(record[ChecksummedFrom..]);
        var kind = (CatalogKind)(byte)idAndKind;
        int known = Count(kind);
        int number = (numbers?.GetValueOrDefault(kind) ?? known) + 1;
        if (idAndKind >>> 8 != number)
            throw new PileStorageException($"The catalog '{_file.Path}' has a record out of order. Restore the file from a copy.");
        if (numbers != null)
            numbers[kind] = number;
        if (number > known) // a reader already knows the records of the file that this one replaced
            Remember(kind, record[HeadBytes..]);
    }

    private void CutTail(ReadOnlySpan<byte> tail, long offsetBytes, ILogger logger)
    {
        for (int i = 1; i <= tail.Length - HeadBytes; i++)
        {
            if (TryReadRecord(tail[i..], out int lengthBytes) && lengthBytes > HeadBytes)
            {
                throw new PileStorageException(
                    $"The catalog '{_file.Path}' is damaged at byte {offsetBytes:N0}, with whole records behind it. Restore the file "
                    + "from a copy.");
            }
        }
        logger.LogWarning("The catalog {Path} ended in a torn record of {Bytes} bytes, which was cut off", _file.Path, tail.Length);
        if (_file.CanWrite)
            _file.SetLength(offsetBytes);
    }
}
