using System;
using System.Buffers;
using System.IO;

namespace BigPile.Testing;

/// <summary>Writes files of which most is zero, as segments are: where nothing else is, nothing is written.</summary>
internal static class SparseFile
{
    private const int PageBytes = 4096;
    private const int PartBytes = 64 * PageBytes;

    /// <summary>Copies the rest of a file to another one, from its position on.</summary>
    internal static void Copy(Stream source, FileStream target)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(PartBytes);
        for (int bytes; (bytes = source.ReadAtLeast(buffer.AsSpan(0, PartBytes), PartBytes, throwOnEndOfStream: false)) != 0;)
            Write(target, buffer.AsSpan(0, bytes));
        ArrayPool<byte>.Shared.Return(buffer);
    }

    /// <summary>Writes bytes from the position of a file on.</summary>
    internal static void Write(FileStream target, ReadOnlySpan<byte> bytes)
    {
        long start = target.Position;
        for (int begin = 0; begin < bytes.Length;)
        {
            int end = begin;
            while (end < bytes.Length && PageAt(bytes, end).ContainsAnyExcept((byte)0))
                end += PageBytes;
            end = Math.Min(end, bytes.Length);
            if (end != begin)
                target.Write(bytes[begin..end]);
            begin = end;
            while (begin < bytes.Length && !PageAt(bytes, begin).ContainsAnyExcept((byte)0))
                begin += PageBytes;
            begin = Math.Min(begin, bytes.Length);
            target.Position = start + begin;
        }
        if (target.Length < start + bytes.Length)
            target.SetLength(start + bytes.Length);
    }

    private static ReadOnlySpan<byte> PageAt(ReadOnlySpan<byte> bytes, int begin) =>
        bytes.Slice(begin, Math.Min(PageBytes, bytes.Length - begin));
}
