using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Tests.Failures;

/// <summary>A directory that is renamed, replaced or removed while its pile is open: an error, and never a second pile.</summary>
public sealed class DirectoryIdentityTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    private string PilePath => Path.Combine(_temporary.Path, "pile");

    private string OtherPath => Path.Combine(_temporary.Path, "other");

    public void Dispose() => _temporary.Dispose();

    /// <summary>
    /// The pile that was opened at the path meanwhile is not touched by the one that was there before, nor the other way round.
    /// </summary>
    [UnixFact]
    public void Two_piles_of_one_path_keep_apart()
    {
        Pile first = Open();
        PilePointer old = first.Put("first");
        first.Flush();
        Directory.Move(PilePath, OtherPath);
        PilePointer young;
        using (Pile second = Open())
        {
            young = second.Put("second");
            Refuses(() => Fill(first));
            Refuses(() => first.Flush());
            Assert.Equal("first", first.Get(old));
            Assert.Equal("second", second.Get(young));
            Refuses(first.Dispose);
            second.Flush();
        }
        using (Pile second = Open())
            Assert.Equal("second", second.Get(young));
        using Pile renamed = Pile.Open(OtherPath);
        Assert.Equal("first", renamed.Get(old));
    }

    [UnixFact]
    public void A_directory_that_comes_back_is_written_again()
    {
        using (Pile pile = Open())
        {
            PilePointer pointer = pile.Put("before");
            Directory.Move(PilePath, OtherPath);
            Refuses(() => pile.Put(new List<DateTime> { default })); // a type for the catalog
            Refuses(() => pile.Flush());
            Refuses(() => _ = pile.Engine.Versions.Next());
            Directory.Move(OtherPath, PilePath);
            pile.Flush();
            Fill(pile);
            Assert.Equal("before", pile.Get(pointer));
        }
        using Pile again = Open();
        Assert.True(again.Recovery.WasClean);
    }

    [UnixFact]
    public void A_directory_that_was_removed_is_not_made_again()
    {
        Pile pile = Open();
        pile.Put("x");
        Directory.Delete(PilePath, recursive: true);
        Refuses(() => Fill(pile));
        Refuses(() => pile.Flush());
        Refuses(pile.Dispose);
        Assert.False(Directory.Exists(PilePath));
    }

    /// <summary>Whoever removes the lock lets a second owner in: the first one writes no more.</summary>
    [UnixFact]
    public void A_lock_that_was_removed_is_noticed()
    {
        Pile first = Open();
        PilePointer old = first.Put("first");
        first.Flush();
        File.Delete(Path.Combine(PilePath, "lock"));
        using (Pile second = Open())
        {
            Refuses(() => _ = first.Engine.Versions.Next());
            Refuses(() => first.Put(new List<DateTime> { default }));
            Refuses(first.Dispose);
            Assert.Equal("first", second.Get(old));
        }
    }

    [UnixTheory]
    [InlineData("superblock")]
    [InlineData("log-0")]
    [InlineData("log-1")]
    public void A_file_that_was_removed_is_not_written_in_silence(string name)
    {
        Pile pile = Open();
        for (int i = 0; i < 3; i++)
        {
            pile.Put("text");
            pile.Flush();
        }
        bool isThere = File.Exists(Path.Combine(PilePath, name));
        File.Delete(Path.Combine(PilePath, name));
        if (isThere && name != "superblock")
        {
            pile.Put("text");
            if (Record.Exception(() => pile.Flush()) is { } error)
                Assert.Contains(name, Assert.IsType<PileStorageException>(error).Message, StringComparison.Ordinal);
        }
        if (name == "superblock")
            Assert.Contains(name, Assert.Throws<PileStorageException>(pile.Dispose).Message, StringComparison.Ordinal);
        else
            pile.Dispose();
    }

    private static void Refuses(Action action) =>
        Assert.Contains("is not the one that was opened", Assert.Throws<PileStorageException>(action).Message, StringComparison.Ordinal);

    private static void Fill(Pile pile)
    {
        for (int i = 0; i < 60; i++)
            pile.Put(new byte[100_000]);
    }

    private Pile Open() => Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20 });

    /// <summary>A test of what the system lets happen to a directory with open files.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    private sealed class UnixFactAttribute : FactAttribute
    {
        public UnixFactAttribute() => Skip = WhyNot;

        internal static string? WhyNot =>
            FileStatus.Of(Path.GetTempPath()) == null
                ? "The system lets nobody rename a directory with open files, or tells no files apart."
                : null;
    }

    /// <summary>As <see cref="UnixFactAttribute"/>.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    private sealed class UnixTheoryAttribute : TheoryAttribute
    {
        public UnixTheoryAttribute() => Skip = UnixFactAttribute.WhyNot;
    }
}
