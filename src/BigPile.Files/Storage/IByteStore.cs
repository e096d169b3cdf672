using System;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>
/// Access to the bytes of a file. Failures are returned, since the caller must leave its critical region before it throws.
/// </summary>
internal interface IByteStore
{
    /// <summary>How many bytes, from the first, can be touched as long as the file has them.</summary>
    long CoveredBytes { get; }

    void Open(HeldFile file, BlockFileOptions options, long lengthBytes);

    /// <summary>Reads bytes within the file.</summary>
    /// <returns>The failure, or <see langword="null"/>.</returns>
    Exception? Read(long offset, Span<byte> destination);

    /// <summary>Writes bytes within the capacity.</summary>
    /// <returns>The failure, or <see langword="null"/>.</returns>
    Exception? Write(long offset, ReadOnlySpan<byte> source);

    /// <summary>Makes the store cover a longer file.</summary>
    /// <returns>The old mapping, to be disposed after quiescence, or <see langword="null"/>.</returns>
    IDisposable? Cover(long lengthBytes);

    /// <summary>Cuts the file. No thread may be using the bytes that go.</summary>
    /// <returns>The new capacity; all bytes between size and capacity are zero.</returns>
    long Cut(long fromSize, long toSize, long capacity);

    /// <summary>Hands to the system what it does not have yet.</summary>
    void Flush(long offset, long length);

    /// <summary>Checks that the fields agree, for tests.</summary>
    void CheckInvariants();

    /// <summary>Releases everything but the file. No thread may be using it.</summary>
    void Release();
}
