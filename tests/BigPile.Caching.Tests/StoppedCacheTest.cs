using System;
using System.IO;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;
using BigPile.Layout;

namespace BigPile.Caching.Tests;

/// <summary>
/// A test with tables whose process is stopped or killed: a copy of the files, taken while the pile is open, is what a kill leaves.
/// </summary>
public abstract class StoppedCacheTest : IDisposable
{
    private readonly ScratchDirectory _scratch = new();

    private protected ManualTime Time { get; } = new();

    protected string DirectoryPath => _scratch.Root;

    public void Dispose()
    {
        _scratch.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Deletes the indexes of a closed pile: its tables are to be found by a walk.</summary>
    /// <returns>The directory.</returns>
    private protected static string ForgetIndexes(string directory)
    {
        foreach (string file in Directory.EnumerateFiles(directory))
        {
            string name = Path.GetFileName(file);
            if (name == IndexFiles.FileName || name.StartsWith(FileIndexStorage.HeadPrefix, StringComparison.Ordinal)
                || name.StartsWith(FileIndexStorage.BucketsPrefix, StringComparison.Ordinal)
                || name.StartsWith(FileIndexStorage.OverflowPrefix, StringComparison.Ordinal))
                File.Delete(file);
        }
        return directory;
    }

    /// <summary>Works on a pile, stops it, and gives its directory.</summary>
    private protected string Stop(Action<PileCache> work)
    {
        using (PileCache cache = TestCache.Open(DirectoryPath, Time))
            work(cache);
        return DirectoryPath;
    }

    /// <summary>As <see cref="Kill"/>, and the indexes are lost: the blocks alone tell what there was.</summary>
    private protected string KillWithoutIndexes(Action<PileCache> work) => ForgetIndexes(Kill(work));

    /// <summary>Works on a pile, and gives a copy of its files as they are then.</summary>
    private protected string Kill(Action<PileCache> work)
    {
        string copy = Path.Combine(DirectoryPath, "killed");
        string live = Directory.Exists(Path.Combine(DirectoryPath, "live")) || File.Exists(Path.Combine(DirectoryPath, "superblock"))
            ? DirectoryPath
            : Path.Combine(DirectoryPath, "live");
        using PileCache cache = TestCache.Open(live, Time);
        work(cache);
        KilledPile.Copy(live, copy);
        return copy;
    }

    /// <summary>Puts a block of a key where no index knows of it.</summary>
    private protected static void PutBlock(PileCache cache, long key, ulong version, ValueKind kind, byte[] value) =>
        PutBlock(cache.GetOrCreateTable<long, byte[]>("t").Core, BitConverter.GetBytes(key), version, kind, value);

    /// <inheritdoc cref="PutBlock(PileCache, long, ulong, ValueKind, byte[])"/>
    private protected static unsafe void PutBlock(TableEngine core, byte[] key, ulong version, ValueKind kind, byte[] value)
    {
        int payloadBytes = EntryHead.ShortBytes + key.Length + value.Length;
        var critical = core.Heap.BeginRead();
        Slot slot = core.Heap.Take(critical, payloadBytes, isEvictable: false, out _);
        byte* payload = slot.Start + BlockHeader.SizeBytes;
        EntryHead.Write(payload, core.Id, key.Length, kind, EntrySpec.Plain);
        EntryHead.SetVersion(payload, version);
        key.CopyTo(new Span<byte>(payload + EntryHead.ShortBytes, key.Length));
        value.CopyTo(new Span<byte>(payload + EntryHead.ShortBytes + key.Length, value.Length));
        core.Heap.Publish(slot, payloadBytes);
        critical.Exit();
    }

    /// <summary>Asserts that the entry "a" is of high priority, slides by a minute, lives for 100 seconds and has the tag "tag".</summary>
    protected void AssertDescribed(CacheTable<string, string> table)
    {
        Assert.True(table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal((EntryPriority.High, TimeSpan.FromSeconds(60), Time.GetUtcNow().AddSeconds(60)),
            (entry.Priority, entry.Sliding, entry.ExpiresAt));
        Time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal("1", table.Get("a"));
        Time.Advance(TimeSpan.FromSeconds(40));
        Assert.True(table.ContainsKey("a"));
        Assert.True(table.TryGetEntry("a", out entry));
        Assert.Equal(Time.GetUtcNow().AddSeconds(1), entry.ExpiresAt);
        table.RemoveByTag("tag");
        Assert.False(table.ContainsKey("a"));
        table.Sweep();
        table.Sweep();
        table.Put("a", "1");
    }
}
