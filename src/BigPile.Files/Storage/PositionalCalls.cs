using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>Reads and writes a file by positional calls (pread, pwrite). The caller keeps the file open.</summary>
/// <remarks>
/// Calls the system directly where possible: the runtime's own call counts users of the handle, which costs a tenth of the whole. The call
/// has a full transition to native code, since it may wait for the device, and must not delay a garbage collection meanwhile.
/// </remarks>
internal readonly unsafe struct PositionalCalls
{
    private readonly HeldFile _file;
    private readonly int _descriptor;

    internal PositionalCalls(HeldFile file, BlockFileOptions options)
    {
        _file = file;
        bool isDirect = !OperatingSystem.IsWindows() && Environment.Is64BitProcess && options.Hook == null;
        _descriptor = isDirect ? (int)file.Handle.DangerousGetHandle() : -1;
    }

    /// <summary>Fills a buffer with bytes within the file.</summary>
    /// <returns>The failure, or <see langword="null"/>.</returns>
    internal Exception? Read(long offset, Span<byte> destination)
    {
        if (_descriptor < 0 || OperatingSystem.IsWindows())
            return ReadByRuntime(offset, destination);
        fixed (byte* start = destination)
        {
            nint read = UnixC.ReadAt(_descriptor, start, (nuint)destination.Length, offset);
            return read == destination.Length ? null : ReadOn(offset, start, destination.Length, read);
        }
    }

    /// <summary>Writes bytes.</summary>
    /// <returns>The failure, or <see langword="null"/>.</returns>
    internal Exception? Write(long offset, ReadOnlySpan<byte> source)
    {
        if (_descriptor < 0 || OperatingSystem.IsWindows())
            return WriteByRuntime(offset, source);
        fixed (byte* start = source)
        {
            nint written = UnixC.WriteAt(_descriptor, start, (nuint)source.Length, offset);
            return written == source.Length ? null : WriteOn(offset, start, source.Length, written);
        }
    }

    [UnsupportedOSPlatform("windows")]
    private IOException? ReadOn(long offset, byte* start, int length, nint read)
    {
        int done = 0;
        while (true)
        {
            if (read < 0 && Marshal.GetLastSystemError() is not FileErrors.Interrupted and var error)
                return FileErrors.Of(_file.Path, $"read at offset {offset + done:N0}", error);
            if (read == 0)
                return BlockFileErrors.CutFromOutside(_file.Path, offset + done);
            done += (int)Math.Max(read, 0);
            if (done == length)
                return null;
            read = UnixC.ReadAt(_descriptor, start + done, (nuint)(length - done), offset + done);
        }
    }

    [UnsupportedOSPlatform("windows")]
    private IOException? WriteOn(long offset, byte* start, int length, nint written)
    {
        int done = 0;
        while (true)
        {
            if (written < 0 && Marshal.GetLastSystemError() is not FileErrors.Interrupted and var error)
                return FileErrors.Of(_file.Path, $"written at offset {offset + done:N0}", error);
            done += (int)Math.Max(written, 0);
            if (done == length)
                return null;
            written = UnixC.WriteAt(_descriptor, start + done, (nuint)(length - done), offset + done);
        }
    }

    private Exception? ReadByRuntime(long offset, Span<byte> destination)
    {
        try
        {
            int read = _file.Read(destination, offset);
            return read == destination.Length ? null : BlockFileErrors.CutFromOutside(_file.Path, offset + read);
        }
        catch (Exception e)
        {
            return AsFailure(e);
        }
    }

    private Exception? WriteByRuntime(long offset, ReadOnlySpan<byte> source)
    {
        try
        {
            _file.Write(source, offset);
            return null;
        }
        catch (Exception e)
        {
            return AsFailure(e);
        }
    }

    // Every failure is returned: the caller must leave its critical region before it throws.
    private static Exception AsFailure(Exception e) => e is UnauthorizedAccessException ? new IOException(e.Message, e) : e;
}
