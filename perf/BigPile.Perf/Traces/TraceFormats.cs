using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

namespace BigPile.Perf.Traces;

/// <summary>The formats' names, and how a file tells which one it has.</summary>
internal static class TraceFormats
{
    private static readonly (TraceFormat Format, string Name)[] Names =
    [
        (TraceFormat.Keys, "keys"),
        (TraceFormat.Lirs, "lirs"),
        (TraceFormat.Arc, "arc"),
        (TraceFormat.Address, "address"),
        (TraceFormat.AdaptSize, "adapt-size"),
        (TraceFormat.Csv, "csv"),
        (TraceFormat.Int32, "int32"),
        (TraceFormat.Int64, "int64"),
        (TraceFormat.OracleGeneral, "oracle-general"),
        (TraceFormat.Vscsi, "vscsi"),
    ];

    // Where Caffeine's simulator keeps files of bytes that say nothing of themselves.
    private static readonly Dictionary<string, TraceFormat> OfFolders = new(StringComparer.OrdinalIgnoreCase)
    {
        ["cache2k"] = TraceFormat.Int32,
        ["cloud_physics"] = TraceFormat.Int32,
        ["corda"] = TraceFormat.Int64,
        ["scarab"] = TraceFormat.Int64,
    };

    private static readonly Dictionary<string, TraceFormat> OfExtensions = new(StringComparer.OrdinalIgnoreCase)
    {
        [".keys"] = TraceFormat.Keys,
        [".txt"] = TraceFormat.Keys,
        [".lis"] = TraceFormat.Arc,
        [".csv"] = TraceFormat.Csv,
        [".oracleGeneral"] = TraceFormat.OracleGeneral,
        [".vscsi"] = TraceFormat.Vscsi,
        [".vscsitrace"] = TraceFormat.Vscsi,
    };

    private static readonly string[] Wrappings = [".gz", ".xz", ".zst", ".bin"];

    internal static string All => string.Join(", ", Names.Select(static pair => pair.Name));

    internal static bool TryParse(string text, out TraceFormat format)
    {
        int found = Array.FindIndex(Names, pair => pair.Name == text);
        format = found < 0 ? default : Names[found].Format;
        return found >= 0;
    }

    /// <summary>Whether a file that lies in a directory is taken for a trace: its name says so, or where it lies.</summary>
    internal static bool IsTraceName(string path)
    {
        string extension = Path.GetExtension(Unwrap(path));
        return OfExtensions.ContainsKey(extension) || string.Equals(extension, ".trace", StringComparison.OrdinalIgnoreCase)
            || OfFolders.ContainsKey(FolderOf(path)) || IsArcName(path);
    }

    /// <summary>Tells a file's format by its name, the folder where it lies and its first bytes.</summary>
    internal static TraceFormat Detect(string path, ReadOnlySpan<byte> head)
    {
        if (OfExtensions.TryGetValue(Path.GetExtension(Unwrap(path)), out TraceFormat format))
            return format;
        if (OfFolders.TryGetValue(FolderOf(path), out format))
            return format;
        if (IsArcName(path))
            return TraceFormat.Arc;
        if (head.ContainsAnyInRange((byte)0, (byte)8) || head.ContainsAnyInRange((byte)14, (byte)31))
            throw new LoadException($"'{path}' has bytes that do not tell their format. Give --format with one of {All}.");
        return OfLine(FirstLine(head), isTrace: Path.GetExtension(Unwrap(path)) == ".trace");
    }

    private static TraceFormat OfLine(string line, bool isTrace)
    {
        string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        if (fields.Length >= 3 && fields[1].StartsWith("0x", StringComparison.Ordinal))
            return TraceFormat.Address;
        if (fields.Length is 3 or 4 && fields.All(static field => long.TryParse(field, out _)))
            return fields.Length == 3 ? TraceFormat.AdaptSize : TraceFormat.Arc;
        return isTrace && fields.Length == 1 ? TraceFormat.Lirs : TraceFormat.Keys;
    }

    private static string FirstLine(ReadOnlySpan<byte> head)
    {
        int end = head.IndexOf((byte)'\n');
        return Encoding.UTF8.GetString(end < 0 ? head : head[..end]);
    }

    // P1 to P14 of the ARC paper have no extension.
    private static bool IsArcName(string path)
    {
        string name = Path.GetFileName(path);
        return name.Length is 2 or 3 && name[0] == 'P' && name[1..].All(char.IsAsciiDigit);
    }

    private static string FolderOf(string path) => Path.GetFileName(Path.GetDirectoryName(Path.GetFullPath(path))) ?? "";

    private static string Unwrap(string path)
    {
        string name = Path.GetFileName(path);
        while (Wrappings.FirstOrDefault(wrapping => name.EndsWith(wrapping, StringComparison.OrdinalIgnoreCase)) is { } wrapping)
            name = name[..^wrapping.Length];
        return name;
    }
}

/// <summary>What the bytes of a trace mean.</summary>
internal enum TraceFormat
{
    Keys, // a key on each line, whatever it looks like
    Lirs, // a number on each line; a star is a mark and no access
    Arc, // lines of a first block and a number of blocks, and two fields that do not count
    Address, // lines of a kind and a hexadecimal address; 64 bytes are one key
    AdaptSize, // lines of a time, a key and a size
    Csv, // fields between commas, which the first line names
    Int32, // keys of 4 bytes
    Int64, // keys of 8 bytes
    OracleGeneral, // records of 24 bytes, little endian: time (4), key (8), size (4), next access (8)
    Vscsi, // commands to a disk, in records of 32 or 40 bytes that tell their version
}
