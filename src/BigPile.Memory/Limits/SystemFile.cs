using System;
using System.Buffers;
using System.Globalization;
using System.IO;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory.Limits;

/// <summary>Reads the small text files by which Linux tells its figures. A file that is missing or unreadable has no figure.</summary>
internal static class SystemFile
{
    private const int MostBytes = 16 << 10; // of a file with figures; the longest, memory.stat, has 2 to 4 KB

    /// <summary>The lines of a file; none if it can't be read.</summary>
    internal static string[] ReadLines(string path)
    {
        try
        {
            return File.ReadAllLines(path);
        }
        catch (Exception e) when (IsNotThere(e))
        {
            return [];
        }
    }

    /// <summary>A figure in a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="name">What is before the figure on its line; empty for a figure that has the file for itself.</param>
    /// <returns>The figure; <see langword="null"/> if it is not there, or no number, such as "max".</returns>
    internal static long? ReadFigure(string path, string name = "")
    {
        if (!File.Exists(path))
            return null; // as in the root group: an exception each time would cost more than all else
        byte[] buffer = ArrayPool<byte>.Shared.Rent(MostBytes);
        try
        {
            using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return Find(buffer.AsSpan(0, RandomAccess.Read(file, buffer, 0)), name);
        }
        catch (Exception e) when (IsNotThere(e))
        {
            return null;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static bool IsNotThere(Exception e) =>
        e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException;

    private static long? Find(ReadOnlySpan<byte> text, string name)
    {
        if (name.Length == 0)
            return Parse(text);
        foreach (Range at in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[at];
            if (line.Length > name.Length && Ascii.Equals(line[..name.Length], name) && line[name.Length] is (byte)' ' or (byte)':')
            {
                ReadOnlySpan<byte> figure = line[(name.Length + 1)..].TrimStart((byte)' ');
                int end = figure.IndexOf((byte)' '); // of the unit
                return Parse(end < 0 ? figure : figure[..end]);
            }
        }
        return null;
    }

    private static long? Parse(ReadOnlySpan<byte> text) =>
        long.TryParse(text.TrimEnd("\n "u8), NumberStyles.None, CultureInfo.InvariantCulture, out long figure) ? figure : null;
}
