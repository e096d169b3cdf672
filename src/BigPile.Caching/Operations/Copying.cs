using System;
using System.Buffers;
using BigPile.Access;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Copies values to writers, whose code never runs inside the pile.</summary>
internal static class Copying
{
    /// <summary>What stands for the length of a value where the table has no such key.</summary>
    internal const int Missing = -1;

    /// <summary>What stands for the length of a value that is longer than may be copied.</summary>
    internal const int TooLong = -2;

    /// <summary>What a writer is asked for before a value's length is known.</summary>
    internal const int InitialBufferBytes = 256;

    /// <summary>Copies a value as it is stored to a writer.</summary>
    /// <param name="core">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="maxBytes">A longer value is not copied.</param>
    /// <param name="bufferBytes">What the writer is asked for first; raised to what the value needed.</param>
    /// <param name="info">Version and size.</param>
    /// <param name="bytesOnly">Whether a value that is no bytes counts as empty.</param>
    /// <returns>
    /// The bytes that were copied, or <see cref="Missing"/> or <see cref="TooLong"/>.
    /// </returns>
    internal static int TryCopy(
        this TableCore core, in KeyProbe key, IBufferWriter<byte> destination, long maxBytes, ref int bufferBytes, out EntryInfo info,
        bool bytesOnly = false)
    {
        for (bool isFirst = true; ; isFirst = false)
        {
            Span<byte> buffer = destination.GetSpan(bufferBytes);
            if (buffer.Length < bufferBytes)
                throw new ArgumentException(
                    $"The writer gave room for {buffer.Length:N0} bytes when it was asked for {bufferBytes:N0}.", nameof(destination));
            var reader = new SpanReader(buffer, bytesOnly);
            if (!(isFirst ? core.TryRead(key, ref reader, out info) : core.TryReadAgain(key, ref reader, out info)))
                return Missing;
            if (reader.LengthBytes > maxBytes)
                return TooLong;
            if (reader.LengthBytes <= buffer.Length)
            {
                if (reader.LengthBytes != 0)
                    destination.Advance((int)reader.LengthBytes);
                return (int)reader.LengthBytes;
            }
            bufferBytes = (int)reader.LengthBytes; // now it is known what it needs
        }
    }
}
