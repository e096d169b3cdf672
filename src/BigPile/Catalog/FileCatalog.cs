using System;
using System.Buffers.Binary;
using System.IO;
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

    private readonly FileStream _file;
    private long _endBytes;

    private FileCatalog(FileStream file) => _file = file;

    /// <summary>Opens a catalog, or makes an empty one.</summary>
    /// <param name="path">The file.</param>
    /// <param name="logger">Told of a torn tail.</param>
    /// <param name="readOnly">Open it while somebody else may append.</param>
    /// <param name="wholeBytes">The length that the file must have, when its last owner has closed it; a tail can't be torn then.</param>
    /// <exception cref="PileStorageException">The file is damaged.</exception>
    internal static FileCatalog Open(string path, ILogger logger, bool readOnly = false, long? wholeBytes = null)
    {
        var catalog = new FileCatalog(
            readOnly
                ? new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0)
                : new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0));
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

    public override void Dispose() => _file.Dispose();

    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
        if (!_file.CanWrite)
            Throw.ReadOnly(Path.GetDirectoryName(_file.Name));
        if (definition.Length > MaxDefinitionBytes)
            throw new PileException($"A definition of {definition.Length:N0} bytes is over the catalog's limit of {MaxDefinitionBytes:N0} bytes.");
        var record = new byte[HeadBytes + definition.Length];
        BinaryPrimitives.WriteInt32LittleEndian(record, definition.Length);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(ChecksummedFrom), (id << 8) | (byte)kind);
        definition.CopyTo(record.AsSpan(HeadBytes));
        BinaryPrimitives.WriteUInt32LittleEndian(record.AsSpan(4), Checksum.Of(record.AsSpan(ChecksummedFrom)));
        try
        {
            RandomAccess.Write(_file.SafeFileHandle, record, _endBytes);
            DurableFile.Sync(_file); // types are few, and blocks that refer to a type may reach the device at any time
        }
        catch (IOException e)
        {
            throw new PileStorageException($"The catalog '{_file.Name}' can't take a new type or table: {e.Message} Make room on the disk; nothing was stored.", e);
        }
        _endBytes += record.Length;
    }

    /// <summary>Takes in what the writer has appended, where this is a reader.</summary>
    protected override void Refresh()
    {
        if (!_file.CanWrite)
            _ = RememberFrom(_endBytes);
    }

    private void Load(ILogger logger, long? wholeBytes)
    {
        byte[] rest = RememberFrom(0);
        bool hasGrown = !_file.CanWrite && rest.Length == 0 && wholeBytes < _endBytes; // a writer came in between
        if (wholeBytes != null && wholeBytes != _endBytes && !hasGrown)
        {
            throw new PileStorageException(
                $"The catalog '{_file.Name}' is damaged behind byte {_endBytes:N0}, and should have {wholeBytes:N0} bytes. Restore the file from a copy: payloads refer to its records.");
        }
        if (rest.Length != 0)
            CutTail(rest, _endBytes, logger);
    }

    /// <summary>Takes in whole records from an offset on.</summary>
    /// <returns>What is behind them.</returns>
    private byte[] RememberFrom(long offsetBytes)
    {
        var all = new byte[Math.Max(0, RandomAccess.GetLength(_file.SafeFileHandle) - offsetBytes)];
        int filledBytes = 0;
        while (filledBytes < all.Length && RandomAccess.Read(_file.SafeFileHandle, all.AsSpan(filledBytes), offsetBytes + filledBytes) is > 0 and int read)
            filledBytes += read;
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
            throw new PileStorageException($"The catalog '{_file.Name}' has a record out of order. Restore the file from a copy.");
        Remember(kind, record[HeadBytes..]);
    }

    private void CutTail(ReadOnlySpan<byte> tail, long offsetBytes, ILogger logger)
    {
        for (int i = 1; i <= tail.Length - HeadBytes; i++)
        {
            if (TryReadRecord(tail[i..], out int lengthBytes) && lengthBytes > HeadBytes)
            {
                throw new PileStorageException(
                    $"The catalog '{_file.Name}' is damaged at byte {offsetBytes:N0}, with whole records behind it. Restore the file from a copy.");
            }
        }
        logger.LogWarning("The catalog {Path} ended in a torn record of {Bytes} bytes, which was cut off", _file.Name, tail.Length);
        if (_file.CanWrite)
            _file.SetLength(offsetBytes);
    }
}
