using System;
using System.Globalization;
using System.IO;

namespace BigPile.Memory.Limits;

/// <summary>Reads the small text files by which Linux tells its figures. A file that is missing or unreadable has no figure.</summary>
internal static class SystemFile
{
    /// <summary>The text of a file; empty if it can't be read.</summary>
    internal static string Read(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            return "";
        }
    }

    /// <summary>A figure that has a file of its own; <see langword="null"/> for any other text, such as "max".</summary>
    internal static long? ReadFigure(string path) => Parse(Read(path));

    /// <summary>The first figure behind a name at the beginning of a line.</summary>
    internal static long? FigureIn(string text, string name)
    {
        foreach (ReadOnlySpan<char> line in text.AsSpan().EnumerateLines())
        {
            if (line.StartsWith(name, StringComparison.Ordinal) && line.Length > name.Length && line[name.Length] is ' ' or ':')
            {
                ReadOnlySpan<char> rest = line[(name.Length + 1)..].Trim();
                int end = rest.IndexOf(' ');
                return Parse(end < 0 ? rest : rest[..end]);
            }
        }
        return null;
    }

    private static long? Parse(ReadOnlySpan<char> text) =>
        long.TryParse(text.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out long figure) ? figure : null;
}
