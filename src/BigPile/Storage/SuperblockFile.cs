using System;
using System.IO;
using BigPile.Memory;
using BigPile.Recovery;

namespace BigPile.Storage;

/// <summary>The superblock in its file: two places that hold the same, written one after the other, so that one of them is always whole.</summary>
internal sealed class SuperblockFile : IDisposable
{
    /// <summary>The bytes of one place.</summary>
    internal const int PlaceBytes = 512 * 1024;

    private const int MaxLooks = 20; // a reader may come while the writer is writing one

    private readonly FileStream _file;

    internal SuperblockFile(string path, bool readOnly) =>
        _file = readOnly
            ? new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0)
            : new FileStream(path, OptionsFor(path));

    /// <summary>Reads the newest whole state; null when the file is new.</summary>
    /// <param name="faults">Takes note when one place is not whole.</param>
    /// <exception cref="PileStorageException">Neither place is whole, or the format is newer than this version.</exception>
    internal SuperblockState? Read(FaultLog faults)
    {
        if (_file.Length == 0)
            return null;
        SuperblockState? first = ReadPlace(0);
        SuperblockState? second = ReadPlace(1);
        for (int look = 1; look < MaxLooks && IsReadOnly && (first == null || second == null); look++)
        {
            first = ReadPlace(0);
            second = ReadPlace(1);
        }
        if (first == null && second == null)
        {
            throw new PileStorageException(
                $"'{_file.Name}' is no superblock of a pile, or both its copies are damaged. Restore it, or remove the directory to begin anew.");
        }
        if (first == null || second == null)
            faults.Add(new PileFault(_file.Name, $"copy {(first == null ? 1 : 2)} of the superblock is damaged; the other one was used", 0));
        return second == null || first?.Sequence > second.Sequence ? first : second;
    }

    /// <summary>Writes a new state to one place and then to the other; the device has the first before the second is touched.</summary>
    /// <param name="state">The state; its sequence is raised.</param>
    /// <exception cref="IOException">The device refused, or is full.</exception>
    internal void Write(SuperblockState state)
    {
        for (int copy = 0; copy < 2; copy++)
        {
            state.Sequence++;
            byte[] bytes = state.Encode();
            if (bytes.Length > PlaceBytes)
                throw new PileStorageException($"The superblock '{_file.Name}' can't list {state.Segments.Count:N0} segments. Use larger segments.");
            RandomAccess.Write(_file.SafeFileHandle, bytes, state.Sequence % 2 * PlaceBytes);
            DurableFile.Sync(_file);
        }
    }

    private bool IsReadOnly => !_file.CanWrite;

    public void Dispose() => _file.Dispose();

    // All its space from the start: a full disk must not keep the pile from stating what it is.
    private static FileStreamOptions OptionsFor(string path)
    {
        bool isNew = !File.Exists(path);
        return new FileStreamOptions
        {
            Mode = isNew ? FileMode.CreateNew : FileMode.Open,
            Access = FileAccess.ReadWrite,
            Share = FileShare.Read,
            BufferSize = 0,
            PreallocationSize = isNew ? 2 * PlaceBytes : 0,
        };
    }

    private SuperblockState? ReadPlace(int place)
    {
        var bytes = new byte[PlaceBytes];
        int lengthBytes = RandomAccess.Read(_file.SafeFileHandle, bytes, (long)place * PlaceBytes);
        return SuperblockState.TryDecode(bytes[..lengthBytes], _file.Name);
    }
}
