using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Concurrency;
using BigPile.Memory;
using BigPile.Storage;
using Microsoft.Extensions.Logging;

namespace BigPile.Catalog;

/// <summary>The catalog of a mapped pile: a file that is only appended to.</summary>
/// <remarks>
/// <code>
/// record: length of the definition (4 bytes) | CRC-32C of the rest (4) | kind (1) | id (3) | definition
/// </code>
/// Little-endian. A record is written by one call before any block can refer to its id, so a kill loses no type that a block needs; at
/// most the last record is torn, which nothing refers to yet; and it is written through to the device, so that a power cut loses none either. A torn tail is cut off at opening; a damaged record with whole ones
/// behind it is not, since those are referred to.
/// </remarks>
internal sealed class FileCatalog : Catalog
{
    private const int HeadBytes = 12;
    private const int ChecksummedFrom = 8;
    private const int MaxDefinitionBytes = 1 << 20;

    private readonly HeldFile _file;
    private long _endBytes;
    private bool _hasTail; // what a failed append may have left behind the last record

    private FileCatalog(HeldFile file) => _file = file;

    /// <summary>Opens a catalog, or makes an empty one.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="name">The file.</param>
    /// <param name="logger">Told of a torn tail.</param>
    /// <param name="readOnly">Open it while somebody else may append.</param>
    /// <param name="wholeBytes">The length that the file must have, when its last owner has closed it; a tail can't be torn then.</param>
    /// <exception cref="PileStorageException">The file is damaged.</exception>
    internal static FileCatalog Open(HeldDirectory directory, string name, ILogger logger, bool readOnly = false, long? wholeBytes = null)
    {
        var catalog = new FileCatalog(
            readOnly
                ? directory.Open(name, FileMode.Open, FileAccess.Read)
                : directory.Open(name, FileMode.OpenOrCreate, FileAccess.ReadWrite));
        try
        {
            catalog.Load(logger, wholeBytes);
            return catalog;
        }
        catch
        {
            catalog.Dispose();
            throw;
        }
    }

    /// <summary>The bytes of all records.</summary>
    internal long LengthBytes => _endBytes;

    public override bool OutlivesProcess => true;

    public override void Dispose() => _file.Dispose();

    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
        if (!_file.CanWrite)
            Throw.ReadOnly(Path.GetDirectoryName(_file.Path));
        if (definition.Length > MaxDefinitionBytes)
            throw new PileException($"A definition of {definition.Length:N0} bytes is over the catalog's limit of {MaxDefinitionBytes:N0} bytes.");
        var record = new byte[HeadBytes + definition.Length];
        BinaryPrimitives.WriteInt32LittleEndian(record, definition.Length);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(ChecksummedFrom), (id << 8) | (byte)kind);
        definition.CopyTo(record.AsSpan(HeadBytes));
        BinaryPrimitives.WriteUInt32LittleEndian(record.AsSpan(4), Checksum.Of(record.AsSpan(ChecksummedFrom)));
        try
        {
            CutFailedAppend();
            _hasTail = true;
            _file.Write(record, _endBytes);
            _file.Sync(); // types are few, and blocks that refer to a type may reach the device at any time
            _hasTail = false;
        }
        catch (IOException e)
        {
            throw new PileStorageException(
                $"The catalog '{_file.Path}' can't take a new type or table: {e.Message} "
                + "Nothing was stored. Make room on the disk, or mend what it says, and try again.", e);
        }
        KillPoint.Pass(KillWindow.CatalogBeforeUse);
        _endBytes += record.Length;
    }

    /// <summary>Takes in what the writer has appended, where this is a reader.</summary>
    protected override void Refresh()
    {
        if (!_file.CanWrite)
            _ = RememberFrom(_endBytes);
    }

    // The next record may be shorter than the one that failed, and whole records behind a torn one are refused at opening.
    private void CutFailedAppend()
    {
        if (_hasTail)
            _file.SetLength(_endBytes);
        _hasTail = false;
    }

    private void Load(ILogger logger, long? wholeBytes)
    {
        byte[] rest = RememberFrom(0);
        bool hasGrown = !_file.CanWrite && wholeBytes < _endBytes; // a writer came in between
        if (wholeBytes != null && wholeBytes != _endBytes && !hasGrown)
        {
            throw new PileStorageException(
                $"The catalog '{_file.Path}' is damaged behind byte {_endBytes:N0}, and should have {wholeBytes:N0} bytes. Restore the file from a copy: payloads refer to its records.");
        }
        if (rest.Length != 0)
            CutTail(rest, _endBytes, logger);
    }

    /// <summary>Takes in whole records from an offset on.</summary>
    /// <returns>What is behind them.</returns>
    private byte[] RememberFrom(long offsetBytes)
    {
        var all = new byte[Math.Max(0, _file.LengthBytes - offsetBytes)];
        int filledBytes = _file.Read(all, offsetBytes);
        int at = 0;
        while (TryReadRecord(all.AsSpan(at, filledBytes - at), out int lengthBytes))
        {
            Remember(all.AsSpan(at, lengthBytes));
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

    private void Remember(ReadOnlySpan<byte> record)
    {
        int idAndKind = BinaryPrimitives.ReadInt32LittleEndian(record[ChecksummedFrom..]);
        var kind = (CatalogKind)(byte)idAndKind;
        if (idAndKind >> 8 != Count(kind) + 1)
            throw new PileStorageException($"The catalog '{_file.Path}' has a record out of order. Restore the file from a copy.");
        Remember(kind, record[HeadBytes..]);
    }

    private void CutTail(ReadOnlySpan<byte> tail, long offsetBytes, ILogger logger)
    {
        for (int i = 1; i <= tail.Length - HeadBytes; i++)
        {
            if (TryReadRecord(tail[i..], out int lengthBytes) && lengthBytes > HeadBytes)
            {
                throw new PileStorageException(
                    $"The catalog '{_file.Path}' is damaged at byte {offsetBytes:N0}, with whole records behind it. Restore the file from a copy.");
            }
        }
        logger.LogWarning("The catalog {Path} ended in a torn record of {Bytes} bytes, which was cut off", _file.Path, tail.Length);
        if (_file.CanWrite)
            _file.SetLength(offsetBytes);
    }
}
