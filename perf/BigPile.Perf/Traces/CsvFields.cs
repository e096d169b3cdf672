using System;
using System.Globalization;
using System.Linq;

namespace BigPile.Perf.Traces;

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
