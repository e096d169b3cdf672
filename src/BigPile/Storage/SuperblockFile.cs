using System;
using System.IO;

namespace BigPile.Storage;

/// <summary>The superblock in its file: two places that are written in turn, so that one of them is always whole.</summary>
internal sealed class SuperblockFile : IDisposable
{
    private const int PlaceBytes = 512 * 1024;

    private readonly FileStream _file;

    internal SuperblockFile(string path) =>
        _file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0);

    /// <summary>Reads the newest whole state; null when the file is new.</summary>
    /// <exception cref="PileStorageException">Neither place is whole, or the format is newer than this version.</exception>
    internal SuperblockState? Read()
    {
        if (_file.Length == 0)
            return null;
        SuperblockState? first = ReadPlace(0);
        SuperblockState? second = ReadPlace(1);
        if (first == null && second == null)
        {
            throw new PileStorageException(
                $"'{_file.Name}' is no superblock of a pile, or both its copies are damaged. Restore it, or remove the directory to begin anew.");
        }
        return second == null || first?.Sequence > second.Sequence ? first : second;
    }

    /// <summary>Writes a new state beside the one before.</summary>
    /// <param name="state">The state; its sequence is raised.</param>
    /// <param name="durable">Wait until the device has it.</param>
    internal void Write(SuperblockState state, bool durable)
    {
        state.Sequence++;
        byte[] bytes = state.Encode();
        if (bytes.Length > PlaceBytes)
            throw new PileStorageException($"The superblock '{_file.Name}' can't list {state.Segments.Count:N0} segments. Use larger segments.");
        RandomAccess.Write(_file.SafeFileHandle, bytes, state.Sequence % 2 * PlaceBytes);
        if (durable)
            _file.Flush(flushToDisk: true);
    }

    public void Dispose() => _file.Dispose();

    private SuperblockState? ReadPlace(int place)
    {
        var bytes = new byte[PlaceBytes];
        int lengthBytes = RandomAccess.Read(_file.SafeFileHandle, bytes, (long)place * PlaceBytes);
        return SuperblockState.TryDecode(bytes[..lengthBytes], _file.Name);
    }
}
