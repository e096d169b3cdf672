using System;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Tests.Durability;

public sealed class ChecksumTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void An_entry_that_is_damaged_in_memory_is_not_served_when_each_read_is_checked()
    {
        using PileCache cache = Open(PileChecksums.AtEveryRead);
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        table.Put("sound", new byte[100]);
        table.Put("damaged", new byte[100]);
        Damage(table, "damaged");
        string message = Assert.Throws<PileStorageException>(() => table.TryGet("damaged", out _)).Message;
        Assert.Contains(_directory.Path, message, StringComparison.Ordinal);
        Assert.Throws<PileStorageException>(() => table.TryLease("damaged", out _, out _));
        Assert.Equal(new byte[100], table.Get("sound"));
        table.Put("damaged", new byte[50]);
        Assert.Equal(new byte[50], table.Get("damaged"));
    }

    // The damage comes after the recovery of the page, so only a check of each read detects it.
    [Fact]
    public void Without_that_check_the_damage_is_served()
    {
        using PileCache cache = Open(PileChecksums.AtFirstUse);
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        table.Put("damaged", new byte[100]);
        Damage(table, "damaged");
        Assert.NotEqual(new byte[100], table.Get("damaged"));
    }

    private static void Damage(CacheTable<string, byte[]> table, string key)
    {
        Assert.True(table.TryLease(key, out PileLease? lease, out _));
        using (lease)
            MemoryMarshal.AsMemory(lease!.Memory).Span[11] ^= 0x10;
    }

    private PileCache Open(PileChecksums checksums) =>
        new(Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20, Checksums = checksums }), ownsPile: true);
}
