using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Durability;

/// <summary>Copies of a directory, made with the pile open or closed.</summary>
public sealed class CopiedDirectoryTests : IDisposable
{
    private const int KeyCount = 2_000;

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [UnixFact]
    public async Task A_copy_of_an_open_pile_is_told_from_a_kill_and_has_what_did_not_change_meanwhile()
    {
        using (PileCache cache = Open("pile"))
        {
            CacheTable<int, string> table = TableOf(cache);
            for (int key = 0; key < KeyCount; key++)
                table.Put(key, "old " + key);
            using var stop = new CancellationTokenSource();
            Task writing = Task.Factory.StartNew(() => Write(table, stop.Token), TaskCreationOptions.LongRunning);
            try
            {
                for (int i = 0; i < 5; i++)
                    CopyWhole("pile", "copy" + i);
            }
            finally
            {
                stop.Cancel();
            }
            await writing;
        }
        for (int i = 0; i < 5; i++)
        {
            string copy = "copy" + i;
            PileVerification verified = Pile.VerifyDirectory(At(copy));
            Assert.Contains(verified.Faults, static fault => fault.What.Contains("is a copy", StringComparison.Ordinal));
            Assert.False(verified.IsSound);
            using (Pile reader = new Pile(new PileOptions { Directory = At(copy), ReadOnly = true }))
                Assert.False(reader.Recovery.WasClean);
            using (PileCache cache = Open(copy))
            {
                Assert.Contains(cache.Pile.Recovery.Faults, static fault => fault.What.Contains("is a copy", StringComparison.Ordinal));
                await cache.Readiness.Completion;
                CacheTable<int, string> table = TableOf(cache);
                for (int key = 0; key < KeyCount; key++)
                    Assert.Equal("old " + key, table.Get(key));
            }
            Assert.Empty(Pile.VerifyDirectory(At(copy)).Faults);
            using PileCache again = Open(copy);
            Assert.Empty(again.Pile.Recovery.Faults);
            Assert.True(again.Pile.Recovery.WasClean);
        }
    }

    [UnixFact]
    public async Task A_copy_during_which_the_pile_was_closed_is_told_too()
    {
        using (PileCache cache = Open("pile"))
        {
            TableOf(cache).Put(1, "one");
            Copy("pile", "copy");
        }
        File.Copy(Path.Combine(At("pile"), "superblock"), Path.Combine(At("copy"), "superblock"), overwrite: true);
        Assert.Contains(
            Pile.VerifyDirectory(At("copy")).Faults, static fault => fault.What.Contains("is a copy", StringComparison.Ordinal));
        using PileCache opened = Open("copy");
        Assert.False(opened.Pile.Recovery.WasClean);
        Assert.Contains(opened.Pile.Recovery.Faults, static fault => fault.What.Contains("is a copy", StringComparison.Ordinal));
        await opened.Readiness.Completion;
        Assert.Equal("one", TableOf(opened).Get(1));
    }

    [UnixFact]
    public async Task A_copy_of_a_closed_pile_is_as_good_as_the_pile()
    {
        using (PileCache cache = Open("pile"))
            TableOf(cache).Put(1, "one");
        Copy("pile", "copy");
        Assert.Empty(Pile.VerifyDirectory(At("copy")).Faults);
        using PileCache opened = Open("copy");
        Assert.Empty(opened.Pile.Recovery.Faults);
        await opened.Readiness.Completion;
        Assert.Equal("one", TableOf(opened).Get(1));
    }

    [UnixFact]
    public async Task A_directory_in_use_that_was_only_renamed_is_no_copy()
    {
        using (PileCache cache = Open("pile"))
        {
            TableOf(cache).Put(1, "one");
            Copy("pile", "killed");
        }
        // Opened where it lies, and not closed: the device refuses.
        var device = new FailingOperations();
        Pile dying = new Pile(new PileOptions { Directory = At("killed"), FileHook = device });
        device.Always = static operation => operation == FileOperation.Sync ? new IOException("The device is gone.") : null;
        Assert.Throws<PileStorageException>(dying.Dispose);
        Directory.Move(At("killed"), At("elsewhere"));
        using PileCache opened = Open("elsewhere");
        Assert.False(opened.Pile.Recovery.WasClean);
        Assert.Empty(opened.Pile.Recovery.Faults);
        await opened.Readiness.Completion;
        Assert.Equal("one", TableOf(opened).Get(1));
    }

    private static void Write(CacheTable<int, string> table, CancellationToken stop)
    {
        for (int key = KeyCount + 2; !stop.IsCancellationRequested; key++)
        {
            table.Put(key, "new " + key);
            if (key % 3 == 0)
                _ = table.Remove(key - 2);
        }
    }

    // As a user does it: a process that knows nothing of locks.
    private void Copy(string from, string to)
    {
        using Process cp = Process.Start("cp", ["-r", At(from), At(to)]);
        cp.WaitForExit();
    }

    // A copy that lacks a segment, as one was made meanwhile, is refused by that file's name.
    private void CopyWhole(string from, string to)
    {
        Copy(from, to);
        while (SegmentsOf(from) != SegmentsOf(to))
        {
            Directory.Delete(At(to), recursive: true);
            Copy(from, to);
        }
    }

    private int SegmentsOf(string name) => Directory.GetFiles(At(name), "segment-*").Length;

    private string At(string name) => Path.Combine(_directory.Path, name);

    private PileCache Open(string name) =>
        new(new Pile(new PileOptions { Directory = At(name), SegmentBytes = 4 << 20 }), new PileCacheOptions { OwnsPile = true });

    private static CacheTable<int, string> TableOf(PileCache cache) =>
        cache.GetOrCreateTable<int, string>(new TableOptions("t") { CollisionMode = CollisionMode.Durable });

    /// <summary>A test of what the system has to tell of files.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    private sealed class UnixFactAttribute : FactAttribute
    {
        public UnixFactAttribute()
        {
            if (OperatingSystem.IsWindows())
                Skip = "There is no cp, and files have no numbers.";
        }
    }
}
