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

    private readonly FileStream _file;

    internal SuperblockFile(string path, bool readOnly) =>
        _file = readOnly
            ? new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0)
            : new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0);

    /// <summary>Reads the newest whole state; null when the file is new.</summary>
    /// <param name="faults">Takes note when one place is not whole.</param>
    /// <exception cref="PileStorageException">Neither place is whole, or the format is newer than this version.</exception>
    internal SuperblockState? Read(FaultLog faults)
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
        if (first == null || second == null)
            faults.Add(new PileFault(_file.Name, $"copy {(first == null ? 1 : 2)} of the superblock is damaged; the other one was used", 0));
        return second == null || first?.Sequence > second.Sequence ? first : second;
    }

    /// <summary>Writes a new state to one place and then to the other.</summary>
    /// <param name="state">The state; its sequence is raised.</param>
    /// <param name="durable">Wait until the device has it.</param>
    internal void Write(SuperblockState state, bool durable)
    {
        for (int copy = 0; copy < 2; copy++)
        {
            state.Sequence++;
            byte[] bytes = state.Encode();
            if (bytes.Length > PlaceBytes)
                throw new PileStorageException($"The superblock '{_file.Name}' can't list {state.Segments.Count:N0} segments. Use larger segments.");
            RandomAccess.Write(_file.SafeFileHandle, bytes, state.Sequence % 2 * PlaceBytes);
            if (durable)
                DurableFile.Sync(_file);
        }
    }

    public void Dispose() => _file.Dispose();

    private SuperblockState? ReadPlace(int place)
    {
        var bytes = new byte[PlaceBytes];
        int lengthBytes = RandomAccess.Read(_file.SafeFileHandle, bytes, (long)place * PlaceBytes);
        return SuperblockState.TryDecode(bytes[..lengthBytes], _file.Name);
    }
}
