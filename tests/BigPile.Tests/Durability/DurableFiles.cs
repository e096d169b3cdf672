using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;

namespace BigPile.Tests.Durability;

/// <summary>What the device has of a mapped pile's files: each as it was when it was last written through.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class DurableFiles(string directory)
{
    private const int SectorBytes = 512;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, byte[]> _durable = [];
    private readonly Dictionary<string, int> _syncs = [];

    /// <summary>How often files whose name begins so were written through.</summary>
    internal int SyncsOf(string prefix)
    {
        lock (_lock)
            return _syncs.Where(pair => pair.Key.StartsWith(prefix, StringComparison.Ordinal)).Sum(static pair => pair.Value);
    }

    /// <summary>The pile's hook.</summary>
    internal void Synced(string path)
    {
        string name = Path.GetFileName(path);
        lock (_lock)
        {
            try
            {
                _durable[name] = PileFiles.ReadShared(path);
            }
            catch (FileNotFoundException)
            {
                return; // a segment that was given back meanwhile
            }
            _syncs[name] = _syncs.GetValueOrDefault(name) + 1;
        }
    }

    /// <summary>Goes on from what the device has of another directory, which was copied here as a kill left it.</summary>
    internal void TakeOver(DurableFiles other)
    {
        foreach ((string name, byte[] bytes) in other._durable)
            _durable[name] = bytes;
    }

    /// <summary>A file as the device has it.</summary>
    internal byte[] Of(string name)
    {
        lock (_lock)
            return _durable[name];
    }

    /// <summary>
    /// Builds the directory that is left when nothing that was not written through reached the device, but for some sectors.
    /// </summary>
    /// <param name="image">Where; made anew.</param>
    /// <param name="reached">Whether the newest state of the sector of a file at an offset did.</param>
    internal void Build(string image, Func<string, int, bool>? reached = null)
    {
        if (Directory.Exists(image))
            Directory.Delete(image, recursive: true);
        Directory.CreateDirectory(image);
        lock (_lock)
        {
            foreach (string name in new[] { "catalog", "redo" })
                File.WriteAllBytes(Path.Combine(image, name), PileFiles.ReadShared(Path.Combine(directory, name)));
            foreach ((string name, byte[] durable) in _durable)
            {
                string path = Path.Combine(directory, name);
                if (File.Exists(path))
                    File.WriteAllBytes(
                        Path.Combine(image, name), reached == null ? durable : Mix(durable, PileFiles.ReadShared(path), name, reached));
            }
        }
    }

    /// <summary>The bytes of the batches of a pile's present log.</summary>
    internal static long LogBytes(string directory) =>
        Directory.GetFiles(
            directory, "log-?").Select(BatchesOf).Where(static log => log.Bytes != 0).OrderByDescending(static log => log.Epoch)
            .Select(static log => log.Bytes).FirstOrDefault();

    private static (long Epoch, long Bytes) BatchesOf(string path)
    {
        const int headBytes = 32;
        ReadOnlySpan<byte> all = PileFiles.ReadShared(path);
        long epoch = all.Length < headBytes ? 0 : BinaryPrimitives.ReadInt64LittleEndian(all[8..]);
        int at = 0;
        while (at + headBytes <= all.Length && all.Slice(at, 8).SequenceEqual("BPILELOG"u8)
            && BinaryPrimitives.ReadInt64LittleEndian(all[(at + 8)..]) == epoch)
            at += headBytes + BinaryPrimitives.ReadInt32LittleEndian(all[(at + 16)..]);
        return (epoch, at);
    }

    private static byte[] Mix(byte[] durable, byte[] now, string name, Func<string, int, bool> reached)
    {
        byte[] mixed = [.. durable];
        for (int sector = 0; sector < Math.Min(mixed.Length, now.Length); sector += SectorBytes)
        {
            if (reached(name, sector))
                now.AsSpan(sector, Math.Min(SectorBytes, mixed.Length - sector)).CopyTo(mixed.AsSpan(sector));
        }
        return mixed;
    }
}
