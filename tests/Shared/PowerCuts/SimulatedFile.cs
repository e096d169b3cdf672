using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;

namespace BigPile.Testing;

/// <summary>A file as the process sees it, and as the disk has it.</summary>
internal sealed class SimulatedFile(string name)
{
    internal const int SectorBytes = 512;
    internal const int PageBytes = 4096;

    private byte[] _device = [];
    private byte[] _now = [];
    private int _nowBytes = -1;
    private byte[]? _refused;

    internal string Name => name;

    internal bool IsMapped => SectorMap.IsMapped(name);

    /// <summary>Whether the process sees the file.</summary>
    internal bool Exists => _nowBytes >= 0;

    internal ReadOnlySpan<byte> Device => _device;

    internal ReadOnlySpan<byte> Now => _now.AsSpan(0, Math.Max(_nowBytes, 0));

    internal SectorMap Sectors => new(Now, _device);

    /// <summary>The same file under another name.</summary>
    internal SimulatedFile As(string newName) => new(newName) { _device = _device };

    /// <summary>The same file on a disk of its own; not scanned yet.</summary>
    internal SimulatedFile Copy() => new(name) { _device = [.. _device] };

    /// <summary>Reads what the process sees.</summary>
    internal void Scan(string directory)
    {
        try
        {
            string path = Path.Combine(directory, name);
            using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
            if (file.Length > _now.Length)
                _now = new byte[file.Length];
            _nowBytes = file.ReadAtLeast(_now.AsSpan(0, (int)file.Length), (int)file.Length, throwOnEndOfStream: false);
        }
        catch (FileNotFoundException)
        {
            _nowBytes = -1;
        }
    }

    /// <summary>
    /// Puts on the disk all that was scanned, except what the device refused before and the process has not written again.
    /// </summary>
    internal void WriteThrough()
    {
        if (_device.Length != Now.Length)
            Array.Resize(ref _device, Now.Length);
        for (int page = 0; page < Now.Length; page += PageBytes)
        {
            ReadOnlySpan<byte> now = Now[page..Math.Min(page + PageBytes, Now.Length)];
            if (!IsRefused(page, now))
                now.CopyTo(_device.AsSpan(page));
        }
    }

    /// <summary>The device refuses what was scanned: the system takes it as written, and does not retry by itself.</summary>
    internal void Refuse() => _refused = Now.ToArray();

    /// <summary>The file was written to; where is not known, so all that was refused is taken to be written again.</summary>
    internal void Forgive() => _refused = null;

    /// <summary>One sector is on the disk.</summary>
    internal void Reach(int offset)
    {
        if (offset < _device.Length)
            Part(Now[..Math.Min(_device.Length, Now.Length)], offset).CopyTo(_device.AsSpan(offset));
    }

    /// <summary>Adds the sectors that the disk does not have.</summary>
    internal void AddDirty(List<DirtySector> dirty)
    {
        for (int page = 0; page < Now.Length; page += PageBytes)
        {
            if (IsSame(page, PageBytes))
                continue;
            for (int sector = page; sector < Math.Min(page + PageBytes, Now.Length); sector += SectorBytes)
            {
                if (!IsSame(sector, SectorBytes))
                    dirty.Add(new DirtySector(this, sector));
            }
        }
    }

    /// <summary>Makes the file as it is after a cut.</summary>
    /// <param name="directory">Where.</param>
    /// <param name="lengthBytes">Its length.</param>
    /// <param name="reached">Which sectors are there that were not written through.</param>
    internal void WriteCut(string directory, int lengthBytes, IEnumerable<int> reached)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(Math.Max(lengthBytes, 1));
        Span<byte> mixed = buffer.AsSpan(0, lengthBytes);
        mixed.Clear();
        _device.AsSpan(0, Math.Min(lengthBytes, _device.Length)).CopyTo(mixed);
        foreach (int offset in reached)
        {
            if (offset < lengthBytes)
                Part(Now[..Math.Min(lengthBytes, Now.Length)], offset).CopyTo(mixed[offset..]);
        }
        using (FileStream file = File.Create(Path.Combine(directory, name)))
            SparseFile.Write(file, mixed);
        ArrayPool<byte>.Shared.Return(buffer);
    }

    private bool IsSame(int offset, int lengthBytes)
    {
        ReadOnlySpan<byte> now = Now.Slice(offset, Math.Min(lengthBytes, Now.Length - offset));
        return offset + now.Length <= _device.Length && now.SequenceEqual(_device.AsSpan(offset, now.Length));
    }

    private bool IsRefused(int offset, ReadOnlySpan<byte> now) =>
        _refused != null && offset + now.Length <= _refused.Length && now.SequenceEqual(_refused.AsSpan(offset, now.Length));

    private static ReadOnlySpan<byte> Part(ReadOnlySpan<byte> bytes, int offset) =>
        bytes.Slice(offset, Math.Clamp(bytes.Length - offset, 0, SectorBytes));
}
