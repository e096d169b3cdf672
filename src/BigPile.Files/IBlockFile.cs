using System;
using System.IO;

namespace BigPile.Files;

/// <summary>A file that is read and written at offsets, and that grows.</summary>
/// <remarks>
/// <para>
/// Thread safety: all members may be called concurrently. The operations of an atomic kind are atomic, whatever their length: a read never
/// returns a part of a write. With a parallel kind, a read beside a write of the same bytes may return some old and some new bytes, and a
/// read beside an <see cref="Append"/>, or of bytes that another thread is writing behind <see cref="Size"/>, may return zeros.
/// </para>
/// <para>
/// <see cref="Size"/> is not the length of the open file on disk, since space is allocated in advance. <see cref="Close"/> cuts the file to
/// its size. After a kill or a power cut the file has its allocated length, zero behind what was written, and reports that as its size when
/// it is opened again: a caller that needs the size stores it in the file, and calls <see cref="Truncate"/>.
/// </para>
/// <para>
/// All kinds: written bytes belong to the operating system when the call returns, and survive a kill of the process. A power cut preserves
/// what a hard <see cref="Synchronize"/> has written through.
/// </para>
/// <para>
/// An open file is locked: by one process that writes, or by any number that read. No other program may cut a mapped file without taking
/// that lock: the system ends a process that reads bytes which no longer exist.
/// </para>
/// </remarks>
public interface IBlockFile : IDisposable
{
    /// <summary>The full path.</summary>
    string Path { get; }

    /// <summary>How the file accesses its bytes.</summary>
    BlockFileKind Kind { get; }

    /// <summary>Whether the file was opened read-only.</summary>
    bool IsReadOnly { get; }

    /// <summary>The number of bytes that can be read.</summary>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    long Size { get; }

    /// <summary>Reads bytes. Reads nothing if they are not all within the file.</summary>
    /// <param name="offset">The offset of the first byte, from 0. An empty read may be at up to <see cref="Size"/>.</param>
    /// <param name="destination">The destination; filled completely, or not touched if the bytes are not all within the file.</param>
    /// <exception cref="EndOfStreamException">Some of the bytes are behind the end.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void ReadAt(long offset, Span<byte> destination);

    /// <summary>Writes bytes. The file grows to hold them; bytes between its old end and <paramref name="offset"/> are zero.</summary>
    /// <param name="offset">The first byte's offset, from 0.</param>
    /// <param name="source">The bytes; an empty write changes nothing, whatever the offset.</param>
    /// <exception cref="BlockFileFullException">The disk is full, or the file has reached its limit; the file is unchanged.</exception>
    /// <exception cref="InvalidOperationException">The file was opened read-only.</exception>
    /// <exception cref="IOException">The device failed: the size is unchanged; some existing bytes may be overwritten.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void WriteAt(long offset, ReadOnlySpan<byte> source);

    /// <summary>Appends bytes. Concurrent appends do not overlap.</summary>
    /// <returns>The first byte's offset.</returns>
    /// <exception cref="BlockFileFullException">The disk is full, or the file has reached its limit; the file is unchanged.</exception>
    /// <exception cref="InvalidOperationException">The file was opened read-only.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    long Append(ReadOnlySpan<byte> source);

    /// <summary>Extends the file by zeros, which no other append or expansion gets.</summary>
    /// <param name="bytes">The number of bytes, from 0.</param>
    /// <returns>The offset of the new bytes.</returns>
    /// <exception cref="BlockFileFullException">The disk is full, or the file has reached its limit; the file is unchanged.</exception>
    /// <exception cref="InvalidOperationException">The file was opened read-only.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    long Expand(long bytes);

    /// <summary>Sets the size. Bytes behind it are lost; new bytes are zero.</summary>
    /// <param name="size">The size, from 0.</param>
    /// <exception cref="BlockFileFullException">The disk is full, or the file has reached its limit; the file is unchanged.</exception>
    /// <exception cref="InvalidOperationException">The file was opened read-only.</exception>
    /// <exception cref="IOException">The device failed; the file is unchanged.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void Truncate(long size);

    /// <summary>Hands written bytes to the operating system, or makes them durable.</summary>
    /// <param name="hard">
    /// Whether to return only when the device has the bytes and the file's name, so that a power cut cannot undo them. Otherwise only
    /// the operating system needs to have them.
    /// </param>
    /// <param name="offset">The offset of the first byte that is needed.</param>
    /// <param name="length">The number of bytes. More may be written through: some systems can only synchronize the whole file.</param>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void Synchronize(bool hard, long offset = 0, long length = long.MaxValue);

    /// <summary>Waits for running calls, cuts the file to its size, and unlocks it. Calling it again does nothing.</summary>
    /// <exception cref="IOException">The file is closed, but could not be cut: it is as after a kill.</exception>
    void Close();
}
