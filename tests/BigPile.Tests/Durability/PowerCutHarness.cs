using System;
using System.Collections.Generic;
using System.IO;

namespace BigPile.Tests.Durability;

/// <summary>A mapped pile whose power can be cut: it knows which bytes of each file are durable, and builds what a disk may hold afterwards.</summary>
/// <remarks>
/// A file is durable as it was when it was last written through; the pile tells of each such instant. Of every later page write a subset
/// reaches the disk, whole or torn at 512 bytes. The catalog is written through with each record, so it is durable as it is.
/// </remarks>
internal sealed class PowerCutHarness(string directory, int seed)
{
    private const int PageBytes = 4096;
    private const int SectorBytes = 512;

    private readonly Dictionary<string, byte[]> _durable = [];
    private readonly Random _random = new(seed);

    /// <summary>Another start of the machine than the one during which the pile ran.</summary>
    internal static Guid NextBoot { get; } = new("00000000-0000-0000-0000-000000000002");

    internal static Guid FirstBoot { get; } = new("00000000-0000-0000-0000-000000000001");

    /// <summary>Called before a write-through counts: a cut here falls into the middle of it.</summary>
    internal Action<string>? BeforeSync { get; set; }

    internal long TornPages { get; private set; }

    internal long LostPages { get; private set; }

    internal void Synced(string path)
    {
        BeforeSync?.Invoke(path);
        _durable[Path.GetFileName(path)] = PileFiles.ReadShared(path);
    }

    /// <summary>Builds one of the states that the disk may be in.</summary>
    internal void BuildImage(string image)
    {
        Directory.CreateDirectory(image);
        foreach (string path in Directory.GetFiles(directory))
        {
            string name = Path.GetFileName(path);
            if (name is "lock" or "owner" || name.EndsWith(".new", StringComparison.Ordinal))
                continue;
            byte[] now = PileFiles.ReadShared(path);
            if (name is "catalog" or "redo")
                File.WriteAllBytes(Path.Combine(image, name), now);
            else if (_durable.TryGetValue(name, out byte[]? durable))
                File.WriteAllBytes(Path.Combine(image, name), Mix(durable, now));
        }
    }

    private byte[] Mix(byte[] durable, byte[] now)
    {
        if (durable.Length != now.Length)
            return _random.Next(2) == 0 ? durable : now;
        byte[] mixed = [.. durable];
        int newShare = _random.Next(101);
        for (int page = 0; page < mixed.Length; page += PageBytes)
        {
            int length = Math.Min(PageBytes, mixed.Length - page);
            if (durable.AsSpan(page, length).SequenceEqual(now.AsSpan(page, length)))
                continue;
            if (_random.Next(5) == 0)
                Tear(mixed, now, page, length);
            else if (_random.Next(100) < newShare)
                now.AsSpan(page, length).CopyTo(mixed.AsSpan(page));
            else
                LostPages++;
        }
        return mixed;
    }

    private void Tear(byte[] mixed, byte[] now, int page, int length)
    {
        TornPages++;
        for (int sector = page; sector < page + length; sector += SectorBytes)
        {
            if (_random.Next(2) == 0)
                now.AsSpan(sector, Math.Min(SectorBytes, page + length - sector)).CopyTo(mixed.AsSpan(sector));
        }
    }
}
