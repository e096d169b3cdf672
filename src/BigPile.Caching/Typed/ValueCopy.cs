using System;
using System.Buffers;
using BigPile.Access;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Typed;

/// <summary>Copies values to writers. A writer is application code and runs outside of critical regions.</summary>
internal static class ValueCopy
{
    /// <summary>Returned as length: the key is missing.</summary>
    internal const int Missing = -1;

    /// <summary>Returned as length: the value is longer than allowed.</summary>
    internal const int TooLong = -2;

    /// <summary>The buffer size to ask a writer for before the value's length is known.</summary>
    internal const int InitialBufferBytes = 256;

    /// <summary>Copies a value, as stored, to a writer.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="destination">The destination.</param>
    /// <param name="maxBytes">A longer value is not copied.</param>
    /// <param name="bufferBytes">The buffer size to ask the writer for; raised to the value's length.</param>
    /// <param name="info">Version and size.</param>
    /// <param name="bytesOnly">Whether a value that is not bytes counts as empty.</param>
    /// <returns>The bytes copied, or <see cref="Missing"/> or <see cref="TooLong"/>.</returns>
    internal static int TryCopy(
        TableEngine table, 
        in KeyProbe key, IBufferWriter<byte> destination, long maxBytes, ref int bufferBytes, out EntryInfo info,
        bool bytesOnly = false)
    {
        for (bool isFirst = true; ; isFirst = false)
        {
            Span<byte> buffer = destination.GetSpan(bufferBytes); // application code, so before the region
            if (buffer.Length < bufferBytes)
                throw new ArgumentException(
                    $"The writer gave a buffer of {buffer.Length:N0} bytes when it was asked for {bufferBytes:N0}.", nameof(destination));
            var reader = new SpanReader(buffer, bytesOnly);
            // Into the writer's buffer, in the region. What a failed check leaves there was not advanced over.
            if (!(isFirst ? table.Lookup.TryRead(key, ref reader, out info) : table.Lookup.TryReadAgain(key, ref reader, out info)))
                return Missing;
            if (reader.LengthBytes > maxBytes)
                return TooLong;
            if (reader.LengthBytes <= buffer.Length)
            {
                if (reader.LengthBytes != 0)
                    destination.Advance((int)reader.LengthBytes);
                return (int)reader.LengthBytes;
            }
            bufferBytes = (int)reader.LengthBytes; // retry with the length that is known now
        }
    }
}
