using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>The indexes of a mapped pile's tables in a file, from one clean stop to the next start.</summary>
/// <remarks>
/// <code>
/// magic "BIGPTABL" (8) | format (4) | id of the pile (16) | id of its opening (16) | last version (8) | seed of the hash (8) | tables (4)
/// for each table: summary | marks (4), the address of each (8) | lines of the buckets | overflow lines
/// lines: in parts of up to 1 MiB, each behind its CRC-32C (4)
/// CRC-32C of everything outside the parts, and of their checksums (4)
/// </code>
/// Little-endian. The file counts if the last version is that of the pile, and the pile was closed cleanly by the owner that wrote it, or
/// is still the one that wrote it. It is removed before anything can change: a file that a killed process left would be wrong.
/// </remarks>
internal sealed class SavedIndex
{
    internal const string FileName = "tables";

    private const ulong Magic = 0x4C42415450474942;
    private const int Format = 2; // 1 had other bits of the hash in its slots
    private const int PartBytes = 1 << 20;
    private const int StreamBufferBytes = 1 << 16;

    private readonly Pile _pile;
    private readonly HeldDirectory _files;

    internal SavedIndex(Pile pile)
    {
        _pile = pile;
        _files = pile.Keeper.Directory?.Files!;
    }

    /// <summary>Writes the file. Nobody changes the tables any more.</summary>
    internal void Write(IReadOnlyCollection<TableCore> cores, ulong seed)
    {
        using HeldFile draft = _files.Open(FileName + ".new", FileMode.Create, FileAccess.ReadWrite);
        using (var stream = new FileStream(draft.Handle, FileAccess.Write, StreamBufferBytes))
        {
            using var writer = new ChecksummedWriter(stream);
            writer.Write(Magic);
            writer.Write(Format);
            writer.Write(_pile.Keeper.Id);
            writer.Write(_pile.Keeper.SessionId);
            writer.Write(_pile.Keeper.Versions.Last);
            writer.Write(seed);
            writer.Write(cores.Count);
            foreach (TableCore core in cores)
                Write(writer, core);
            writer.WriteChecksum();
            stream.Flush();
            draft.Sync();
            _files.Rename(draft, FileName);
        }
    }

    /// <summary>Reads the head of the file, if it is there and counts, and then removes it in any case once it was read.</summary>
    /// <param name="makeCores">Makes empty tables that use a seed; given those, by their ids.</param>
    /// <returns>The tables as they were; <see langword="null"/> when they have to be found in the pile.</returns>
    internal Dictionary<int, TableCore>? TryRead(Func<ulong, Dictionary<int, TableCore>> makeCores)
    {
        HeldFile? found = null;
        try
        {
            found = _files.TryOpen(FileName, FileAccess.Read);
            if (found == null)
                return null;
            using var file = new FileStream(found.Handle, FileAccess.Read, StreamBufferBytes);
            using var reader = new ChecksummedReader(file);
            return TryReadTables(reader, makeCores);
        }
        catch (Exception e) when (e is IOException or InvalidDataException)
        {
            return null;
        }
        finally
        {
            found?.Dispose();
            Remove(wasFound: found != null);
        }
    }

    // A file that stayed, or that a power cut brought back, could be taken for the one of a later stop.
    private void Remove(bool wasFound)
    {
        try
        {
            _files.Delete(FileName);
            if (wasFound)
                _files.Sync();
        }
        catch (IOException e)
        {
            throw new PileStorageException(
                $"The file '{_files.PathOf(FileName)}' must go before a table can change: {e.Message} "
                + "Remove it, or make its directory writable, and open the tables again.", e);
        }
    }

    private static void Write(ChecksummedWriter writer, TableCore core)
    {
        IndexSummary summary = IndexSummary.Of(core);
        writer.Write(summary.TableId);
        writer.Write(summary.Entries);
        writer.Write(summary.RoomBytes);
        writer.Write(summary.PayloadBytes);
        writer.Write(summary.HasMortals ? 1 : 0);
        writer.Write(summary.HasPriorities ? 1 : 0);
        writer.Write(summary.BucketCount);
        writer.Write((ulong)summary.OverflowEnd);
        writer.Write((ulong)summary.OverflowFirstFree);
        writer.Write((ulong)summary.OverflowUsed);
        ulong[] marks = core.Tags.Addresses();
        writer.Write(marks.Length);
        foreach (ulong mark in marks)
            writer.Write(mark);
        WriteLines(writer, core.Index.Lines, summary.BucketCount);
        WriteLines(writer, core.Index.Overflow.Store, OverflowLinesOf(summary));
    }

    // Line 0 is never used, and has no memory before another line has.
    private static ulong OverflowLinesOf(in IndexSummary summary) => summary.OverflowEnd > 1 ? summary.OverflowEnd : 0;

    private static unsafe void WriteLines(ChecksummedWriter writer, LineStore lines, ulong count)
    {
        const ulong LinesPerPart = PartBytes / Bucket.SizeBytes; // they divide a chunk's lines: no part goes beyond the end of a chunk
        for (ulong line = 0; line < count; line += LinesPerPart)
            writer.WritePart(new ReadOnlySpan<byte>(lines.At(line), (int)(Math.Min(LinesPerPart, count - line) * Bucket.SizeBytes)));
    }

    private static unsafe void ReadLines(ChecksummedReader reader, LineStore lines, ulong count)
    {
        const ulong LinesPerPart = PartBytes / Bucket.SizeBytes;
        for (ulong line = 0; line < count; line += LinesPerPart)
            reader.ReadPart(new Span<byte>(lines.At(line), (int)(Math.Min(LinesPerPart, count - line) * Bucket.SizeBytes)));
    }

    private Dictionary<int, TableCore>? TryReadTables(ChecksummedReader reader, Func<ulong, Dictionary<int, TableCore>> makeCores)
    {
        if (reader.ReadUInt64() != Magic || reader.ReadInt32() != Format || reader.ReadGuid() != _pile.Keeper.Id)
            return null;
        bool isOfThisOpening = reader.ReadGuid() == _pile.Keeper.SessionId;
        if (reader.ReadUInt64() != _pile.Keeper.Versions.Last || !(isOfThisOpening || _pile.Recovery.WasClean))
            return null;
        Dictionary<int, TableCore> cores = makeCores(reader.ReadUInt64());
        bool isRight = false;
        try
        {
            isRight = TryReadAll(reader, cores);
        }
        finally
        {
            if (!isRight)
                DisposeAll(cores);
        }
        return isRight ? cores : null;
    }

    private static bool TryReadAll(ChecksummedReader reader, Dictionary<int, TableCore> cores)
    {
        int count = reader.ReadInt32();
        if (count != cores.Count)
            return false;
        var marks = new List<(TableCore Core, ulong Address)>();
        for (int i = 0; i < count; i++)
        {
            if (!cores.TryGetValue(reader.ReadInt32(), out TableCore? core))
                return false;
            Read(reader, core, marks);
        }
        if (!reader.IsChecksumRight())
            return false;
        foreach ((TableCore core, ulong address) in marks)
            RestoreMark(core, address);
        return true;
    }

    private static void RestoreMark(TableCore core, ulong address)
    {
        if (core.TryViewLocked(address, out EntryHead head, out _) && head.Kind == ValueKind.TagMark)
            core.AddFoundMark(head, address);
    }

    private static void Read(ChecksummedReader reader, TableCore core, List<(TableCore Core, ulong Address)> marks)
    {
        var summary = new IndexSummary
        {
            TableId = core.Id,
            Entries = reader.ReadInt64(),
            RoomBytes = reader.ReadInt64(),
            PayloadBytes = reader.ReadInt64(),
            HasMortals = reader.ReadInt32() != 0,
            HasPriorities = reader.ReadInt32() != 0,
            BucketCount = reader.ReadUInt64(),
            OverflowEnd = (uint)reader.ReadUInt64(),
            OverflowFirstFree = (uint)reader.ReadUInt64(),
            OverflowUsed = (uint)reader.ReadUInt64(),
        };
        int markCount = reader.ReadInt32();
        reader.CheckRoomFor(summary.BucketCount + OverflowLinesOf(summary), Bucket.SizeBytes);
        summary.ApplyTo(core);
        for (int i = 0; i < markCount; i++)
            marks.Add((core, reader.ReadUInt64()));
        ReadLines(reader, core.Index.Lines, summary.BucketCount);
        ReadLines(reader, core.Index.Overflow.Store, OverflowLinesOf(summary));
    }

    private static void DisposeAll(Dictionary<int, TableCore> cores)
    {
        foreach (TableCore core in cores.Values)
            core.Dispose();
    }
}
