using System;
using System.Globalization;

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
