using System;
using System.IO;

namespace BigPile.Files;

/// <summary>A file that is read and written at offsets, and grows.</summary>
/// <remarks>
/// <para>
/// Thread safety: all members may be called concurrently. A kind that is atomic shows each operation whole: a read never has a part of a
/// write, whatever their lengths. With one that is parallel a read beside a write of the same bytes may have some of the old and some of
/// the new; and one beside an <see cref="Append"/>, or behind <see cref="Size"/> while others write there, zeros.
/// </para>
/// <para>
/// <see cref="Size"/> is not the length that the file has on the disk while it is open: it takes room ahead.
/// <see cref="Close"/> cuts the file to its size. After a kill or a power cut it is as long as its room was, zero behind what was written,
/// and so is the size when it is opened again: whoever must know keeps the size in the file, and calls <see cref="Truncate"/> with it.
/// </para>
/// <para>
/// What a process wrote is the system's when the call returns, and outlives a kill of the process, for all kinds. A power cut is outlived
/// by what a hard <see cref="Synchronize"/> has written through.
/// </para>
/// <para>
/// An open file is locked: by one process that writes, or by any number that read. Nobody may cut a file that others have mapped without
/// asking for that lock: a process that reads what is no longer there is ended by the system.
/// </para>
/// </remarks>
public interface IBlockFile : IDisposable
{
    /// <summary>The full path.</summary>
    string Path { get; }

    /// <summary>How the file gets at its bytes.</summary>
    BlockFileKind Kind { get; }

    /// <summary>Whether the file was opened for reading only.</summary>
    bool IsReadOnly { get; }

    /// <summary>The number of bytes that there are to read.</summary>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    long Size { get; }

    /// <summary>Reads bytes. Those that do not lie within the file as a whole are not read at all.</summary>
    /// <param name="offset">The first byte's offset, from 0. With nothing to read it may be up to <see cref="Size"/>.</param>
    /// <param name="destination">Where to; filled whole, or not touched when the bytes do not lie within the file.</param>
    /// <exception cref="EndOfStreamException">Some of the bytes lie behind the end.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void ReadAt(long offset, Span<byte> destination);

    /// <summary>Writes bytes. The file grows to hold them; what lies between its old end and <paramref name="offset"/> is zero.</summary>
    /// <param name="offset">The first byte's offset, from 0.</param>
    /// <param name="source">The bytes; with none the file stays as it is, wherever the offset is.</param>
    /// <exception cref="BlockFileFullException">The disk, or the file's limit, has no room; the file is as it was.</exception>
    /// <exception cref="InvalidOperationException">The file was opened for reading only.</exception>
    /// <exception cref="IOException">The device failed: the size is as it was; of bytes that were there, some may be new.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void WriteAt(long offset, ReadOnlySpan<byte> source);

    /// <summary>Writes bytes to the end. What several threads append does not overlap.</summary>
    /// <returns>The first byte's offset.</returns>
    /// <exception cref="BlockFileFullException">The disk, or the file's limit, has no room; the file is as it was.</exception>
    /// <exception cref="InvalidOperationException">The file was opened for reading only.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    long Append(ReadOnlySpan<byte> source);

    /// <summary>Makes the file longer; what is added is zero, and no other append or expansion gets it.</summary>
    /// <param name="bytes">How much, from 0.</param>
    /// <returns>Where the new room begins.</returns>
    /// <exception cref="BlockFileFullException">The disk, or the file's limit, has no room; the file is as it was.</exception>
    /// <exception cref="InvalidOperationException">The file was opened for reading only.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    long Expand(long bytes);

    /// <summary>Gives the file a size. What is cut is gone; what is added is zero.</summary>
    /// <param name="size">The size, from 0.</param>
    /// <exception cref="BlockFileFullException">The disk, or the file's limit, has no room; the file is as it was.</exception>
    /// <exception cref="InvalidOperationException">The file was opened for reading only.</exception>
    /// <exception cref="IOException">The device failed; the file is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void Truncate(long size);

    /// <summary>Hands what was written to the system, or has the device take it.</summary>
    /// <param name="hard">
    /// Return when the device has it, and the file's name: a power cut can't undo it. Otherwise only the system needs to have it.
    /// </param>
    /// <param name="offset">The first byte of what is needed.</param>
    /// <param name="length">How much is needed. More may be written through: some systems can only do so with the whole file.</param>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The file was closed.</exception>
    void Synchronize(bool hard, long offset = 0, long length = long.MaxValue);

    /// <summary>Waits for running calls, cuts the file to its size, and gives it free. Calling it again does nothing.</summary>
    /// <exception cref="IOException">The file is closed, but could not be cut: it is as after a kill.</exception>
    void Close();
}
