using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;

namespace BigPile.Tests.Durability;

/// <summary>
/// What the device has of a mapped pile's files, each as it was when it was last written through, for a test that says itself which sectors
/// a power cut finds there.
/// </summary>
/// <remarks>
/// <para>
/// The <see cref="SimulatedDisk"/> draws what a cut leaves, in all the ways there are: it knows of names and lengths that are not on the
/// disk yet, of files that were replaced, and of a device that refuses. Here every file has its name and its length, the catalog and the
/// redo file are as the process left them, and what else reached the device is for the test to say: an exact state for each test, and no
/// chance but the test's own. Both keep a file in the same <see cref="SimulatedFile"/>.
/// </para>
/// <para>Thread safety: all members may be called concurrently.</para>
/// </remarks>
internal sealed class DurableFiles(string directory)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, SimulatedFile> _durable = [];
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
            if (!_durable.TryGetValue(name, out SimulatedFile? file))
                file = new SimulatedFile(name);
            file.Scan(directory);
            if (!file.Exists)
                return; // a segment that was given back meanwhile
            file.WriteThrough();
            _durable[name] = file;
            _syncs[name] = _syncs.GetValueOrDefault(name) + 1;
        }
    }

    /// <summary>Goes on from what the device has of another directory, which was copied here as a kill left it.</summary>
    internal void TakeOver(DurableFiles other)
    {
        lock (other._lock) // a thread of the background may write a file through
        {
            foreach ((string name, SimulatedFile file) in other._durable)
                _durable[name] = file.Copy();
        }
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
            foreach (SimulatedFile file in _durable.Values)
            {
                file.Scan(directory);
                if (!file.Exists)
                    continue;
                int[] newest = reached == null ? [] : [.. SectorsOf(file).Where(sector => reached(file.Name, sector))];
                file.WriteCut(image, file.Device.Length, newest);
            }
        }
    }

    private static IEnumerable<int> SectorsOf(SimulatedFile file)
    {
        int commonBytes = Math.Min(file.Device.Length, file.Now.Length);
        for (int sector = 0; sector < commonBytes; sector += SimulatedFile.SectorBytes)
            yield return sector;
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
}
