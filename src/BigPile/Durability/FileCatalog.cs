using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Catalog;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>The catalog of a mapped pile: a file that is appended to, and written anew once most of it is void.</summary>
/// <remarks>
/// <code>
/// record: length of the definition (4 bytes) | CRC-32C of the rest (4) | kind (1) | id (3) | definition
/// </code>
/// Little-endian. A record is written by one call, and written through to the device, before any block can refer to its id: neither a kill
/// nor a power cut loses a type that a block needs. At most the last record is torn, or nobody refers to it yet. A torn tail is cut off at
/// opening; a damaged record with whole ones behind it is not, nor is one that the superblock states: those are referred to.
///
/// A record that could not be stored is cut off before its call says so, and the cut is written through. Where the device refuses that as
/// well the catalog is unsettled: the next record, each flush and closing make the cut first, and fail as long as it fails. So:
/// - what the catalog's length states was written through, and is never cut off: the superblock may state it at any instant;
/// - no record is ever written behind one that failed, whole or torn, and no cut that the device may not have is behind a record;
/// - nothing is called durable, and no pile closed, while the file may hold a record of a call that failed.
/// A kill or a power cut while it is unsettled leaves the record torn, which the next owner cuts off, or whole, or not at all. Whole, it is
/// taken in as if the owner had died behind the write: the call was done, or not, as any call that a crash interrupts. Only what came after
/// the last flush can rely on the one or the other. Whoever opens a pile that was not closed writes through what the superblock does not
/// state, and that nothing is behind it, before it relies on either: its writer may have died before the device had it.
/// </remarks>
internal sealed partial class FileCatalog : PileCatalog
{
    private const int HeadBytes = 12;
    private const int ChecksummedFrom = 8;
    private const int MaxDefinitionBytes = 1 << 20;
    private const string Remedy = "Restore the file from a copy: payloads refer to its records.";

    private readonly HeldDirectory _directory;
    private HeldFile _file;
    private long _endBytes; // the end of the last record that counts; a writer's are all on the device
    private bool _isInDoubt; // behind that end the file, or the device, may have a record of a call that failed

    private FileCatalog(HeldDirectory directory, HeldFile file)
    {
        _directory = directory;
        _file = file;
    }

    /// <summary>Opens a catalog, or makes an empty one.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="name">The file.</param>
    /// <param name="logger">Told of a torn tail.</param>
    /// <param name="readOnly">Open it while somebody else may append.</param>
    /// <param name="stated">What the superblock states of the file; null where there is none yet.</param>
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
                    directory.Sync(); // whoever gave the file its name may have died before the device had it; or it is a copy
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

    /// <summary>The bytes of all records; of a writer's, all of them are on the device and stay there.</summary>
    internal long LengthBytes => Volatile.Read(ref _endBytes);

    public override bool OutlivesProcess => true;

    /// <summary>Cuts off what a call left that failed, durably.</summary>
    /// <exception cref="IOException">The device still refuses.</exception>
    internal void Reconcile() => RunExclusive(ReconcileLocked);

    public override void Dispose() => _file.Dispose();

    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
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
        Debug.Assert(TryReadRecord(record, out _), "What is appended would be taken for a torn tail.");
        return record;
    }

    /// <summary>Takes in what the writer has appended, where this is a reader.</summary>
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
            _isInDoubt = true;
            ClearOnDevice();
            Debug.Assert(!_isNameUnsynced, "The record would go with a name that the device does not have.");
            _file.Write(record, _endBytes);
            _file.Sync(); // types are few, and blocks that refer to a type may reach the device at any time
            Volatile.Write(ref _endBytes, _endBytes + record.Length);
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
                + left + " Make room on the disk, or mend what it says, and try again.", e);
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
            return false; // whoever needs it next tries again, and says why it can't be
        }
    }

    // Written through on its own: a record that follows must never be on a device that has the end of the failed one behind it.
    private void ReconcileLocked()
    {
        SyncNameLocked();
        if (!_isInDoubt)
            return;
        try
        {
            WaitForClockTick();
            _file.SetLength(_endBytes);
            _file.Sync();
        }
        catch (IOException e)
        {
            throw new IOException(
                $"'{_file.Path}' may hold a type or table that could not be stored before, and can't be cut to its {_endBytes:N0} bytes: "
                + e.Message, e);
        }
        _isInDoubt = false;
        MarkOnDevice();
    }

    // Gives whether something behind the records was cut off.
    private bool Load(ILogger logger, CatalogLength stated)
    {
        byte[] rest = RememberFrom(0);
        bool hasGrown = !_file.CanWrite && stated.WholeBytes < _endBytes; // a writer came in between
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

    // The writer of these records may have died before the device had them. If a write-through failed, the next one may succeed without
    // writing anything: so the bytes are written anew first. With no records the write-through still counts: the device may not know yet
    // that one was cut off.
    private void WriteThroughFrom(long offsetBytes)
    {
        Debug.Assert(offsetBytes <= _endBytes, "Fewer bytes are whole than the superblock states: that is damage, and was to be refused.");
        var unstated = new byte[_endBytes - offsetBytes];
        if (_file.Read(unstated, offsetBytes) != unstated.Length)
            throw new IOException($"'{_file.Path}' became shorter while it was read.");
        _file.Write(unstated, offsetBytes);
        _file.Sync();
    }

    private static PileStorageException Missing(string path, CatalogLength? stated) =>
        new($"The catalog '{path}' is missing, and should have {(stated ?? default).Text}. {Remedy}");

    /// <summary>Takes in whole records from an offset on.</summary>
    /// <returns>What is behind them.</returns>
    private byte[] RememberFrom(long offsetBytes)
    {
        var all = new byte[Math.Max(0, _file.LengthBytes - offsetBytes)];
        int filledBytes = _file.Read(all, offsetBytes);
        int at = 0;
        var numbers = new Dictionary<CatalogKind, int>(); // of a file that is read from its start
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
        if (number > known) // a reader already knows what it read from the file that this one replaced
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
