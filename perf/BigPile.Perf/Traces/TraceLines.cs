using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Linq;

namespace BigPile.Perf.Traces;

/// <summary>Reads the lines of each format of text.</summary>
internal static class TraceLines
{
    private const int BytesOfCacheLineBits = 6;
    private const int MaxBlocksOfLine = 1 << 24;
    private const string Mark = "*";

    /// <summary>Adds what a line says to a trace.</summary>
    /// <returns><see langword="false"/> when the line is not of the format.</returns>
    internal delegate bool Reading(ReadOnlySpan<char> line, TraceBuilder trace);

    /// <summary>
    /// The reader of a format; <see langword="null"/> for those of bytes, and for the one whose first line names its fields.
    /// </summary>
    internal static Reading? Of(TraceFormat format) => format switch
    {
        TraceFormat.Keys => ReadKey,
        TraceFormat.Lirs => ReadNumber,
        TraceFormat.Arc => ReadBlocks,
        TraceFormat.Address => ReadAddress,
        TraceFormat.AdaptSize => ReadSized,
        _ => null,
    };

    /// <summary>What a line of a format looks like.</summary>
    internal static string Describe(TraceFormat format) => format switch
    {
        TraceFormat.Lirs => "a number, or a star",
        TraceFormat.Arc => $"a first block and a number of blocks, at most {MaxBlocksOfLine:N0}, with two more fields",
        TraceFormat.Address => "a kind, and an address that begins with 0x",
        TraceFormat.AdaptSize => "a time, a key and a size",
        TraceFormat.Csv => "as many fields as the first one, and the size is a number",
        _ => "a key",
    };

    private static bool ReadKey(ReadOnlySpan<char> line, TraceBuilder trace)
    {
        trace.Add(line);
        return true;
    }

    private static bool ReadNumber(ReadOnlySpan<char> line, TraceBuilder trace)
    {
        if (line.SequenceEqual(Mark))
            return true;
        if (!TryParse(line, out long key))
            return false;
        trace.Add(key);
        return true;
    }

    private static bool ReadBlocks(ReadOnlySpan<char> line, TraceBuilder trace)
    {
        if (!TryTakeNumber(ref line, out long first) || !TryTakeNumber(ref line, out long count) || count is < 0 or > MaxBlocksOfLine)
            return false;
        for (long block = first; block < first + count; block++)
            trace.Add(block);
        return true;
    }

    private static bool ReadAddress(ReadOnlySpan<char> line, TraceBuilder trace)
    {
        Take(ref line);
        ReadOnlySpan<char> address = Take(ref line);
        if (!address.StartsWith("0x")
            || !ulong.TryParse(address[2..], NumberStyles.HexNumber, CultureInfo.InvariantCulture, out ulong place))
        {
            return false;
        }
        trace.Add((long)(place >> BytesOfCacheLineBits));
        return true;
    }

    private static bool ReadSized(ReadOnlySpan<char> line, TraceBuilder trace)
    {
        Take(ref line);
        if (!TryTakeNumber(ref line, out long key) || !TryTakeNumber(ref line, out long sizeBytes))
            return false;
        trace.Add(key, sizeBytes);
        return true;
    }

    private static bool TryTakeNumber(ref ReadOnlySpan<char> line, out long number) => TryParse(Take(ref line), out number);

    private static bool TryParse(ReadOnlySpan<char> text, out long number) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number);

    // Takes the field that a line begins with away from it.
    private static ReadOnlySpan<char> Take(ref ReadOnlySpan<char> line)
    {
        int end = line.IndexOfAny(' ', '\t');
        ReadOnlySpan<char> field = end < 0 ? line : line[..end];
        line = end < 0 ? [] : line[end..].TrimStart();
        return field;
    }
}

/// <summary>The fields of lines with commas between: where the key is, and the size if there is one.</summary>
internal sealed class CsvFields
{
    private static readonly string[] KeyNames = ["lbn", "key", "obj_id", "obj", "object", "object_id", "id", "block"];
    private static readonly string[] SizeNames = ["size", "obj_size", "object_size", "length", "len"];

    private readonly int _count;
    private readonly int _key;
    private readonly int _size;

    private CsvFields(string[] names)
    {
        _count = names.Length;
        _key = Array.FindIndex(names, KeyNames.Contains);
        _size = Array.FindIndex(names, SizeNames.Contains);
    }

    internal static string Known => string.Join(", ", KeyNames);

    /// <summary>Finds the fields by the line that names them.</summary>
    /// <returns><see langword="null"/> when none of them is a key.</returns>
    internal static CsvFields? Of(string line)
    {
        var fields = new CsvFields(
            [.. line.TrimStart('#', ' ', '\ufeff').Split(',').Select(static name => name.Trim(' ', '"').ToLowerInvariant())]);
        return fields._key < 0 ? null : fields;
    }

    /// <inheritdoc cref="TraceLines.Reading"/>
    internal bool Read(ReadOnlySpan<char> line, TraceBuilder trace)
    {
        ReadOnlySpan<char> key = default;
        long sizeBytes = 0;
        int count = 0;
        foreach (Range range in line.Split(','))
        {
            ReadOnlySpan<char> field = line[range].Trim();
            if (count == _key)
                key = field;
            if (count == _size && !long.TryParse(field, NumberStyles.None, CultureInfo.InvariantCulture, out sizeBytes))
                return false;
            count++;
        }
        if (count != _count)
            return false;
        if (_size < 0)
            trace.Add(key);
        else
            trace.Add(key, sizeBytes);
        return true;
    }
}

/// <summary>Reads the records of each format of bytes.</summary>
/// <param name="SizeBytes">What a record has.</param>
/// <param name="Read">Adds what a record says to a trace.</param>
internal sealed record TraceRecords(int SizeBytes, TraceRecords.Reading Read)
{
    private const int VersionsChecked = 2;

    // The two versions of a disk's commands; the first one has its version behind the command, the second one before all but it.
    private static readonly TraceRecords Vscsi1 = new(32, static (record, trace) => AddCommand(record, 16, 4, trace));
    private static readonly TraceRecords Vscsi2 = new(40, static (record, trace) => AddCommand(record, 16, 8, trace));

    internal delegate void Reading(ReadOnlySpan<byte> record, TraceBuilder trace);

    /// <summary>The reader of a format; <see langword="null"/> when the first bytes are not of it, or it is one of text.</summary>
    internal static TraceRecords? Of(TraceFormat format, ReadOnlySpan<byte> head) => format switch
    {
        TraceFormat.Int32 => new(4, static (record, trace) => trace.Add(BinaryPrimitives.ReadInt32BigEndian(record))),
        TraceFormat.Int64 => new(8, static (record, trace) => trace.Add(BinaryPrimitives.ReadInt64BigEndian(record))),
        TraceFormat.OracleGeneral => new(24, static (record, trace) => AddCommand(record, 4, 12, trace)),
        TraceFormat.Vscsi => OfVersion(head),
        _ => null,
    };

    private static TraceRecords? OfVersion(ReadOnlySpan<byte> head)
    {
        if (HasVersion(head, Vscsi2.SizeBytes, versionAt: 3, version: 2))
            return Vscsi2;
        return HasVersion(head, Vscsi1.SizeBytes, versionAt: 15, version: 1) ? Vscsi1 : null;
    }

    private static bool HasVersion(ReadOnlySpan<byte> head, int recordBytes, int versionAt, byte version)
    {
        for (int i = 0; i < VersionsChecked; i++)
        {
            int at = i * recordBytes + versionAt;
            if (at >= head.Length)
                return i > 0;
            if (head[at] != version)
                return false;
        }
        return true;
    }

    private static void AddCommand(ReadOnlySpan<byte> record, int keyAt, int sizeAt, TraceBuilder trace) =>
        trace.Add(
            BinaryPrimitives.ReadInt64LittleEndian(record[keyAt..]), BinaryPrimitives.ReadUInt32LittleEndian(record[sizeAt..]));
}
