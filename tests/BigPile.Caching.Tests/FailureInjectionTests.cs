using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Tests.Failures;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests;

/// <summary>Each file operation of each call that concerns tables fails in turn; no entry is lost, and the call works when it is made again.</summary>
public sealed class FailureInjectionTests(ITestOutputHelper output)
{
    private const int MaxPositions = 500;

    private static readonly Dictionary<string, (Action<Run> Prepare, Action<Run> Act)> Scenarios = new(StringComparer.Ordinal)
    {
        ["first table"] = (static run => run.Open(), static run => run.Put("first", "a")),
        ["another table"] = (Fill, static run => run.Put("other", "a")),
        ["put that grows"] = (Fill, static run => run.Put("t", new string('x', 3_500_000))),
        ["close"] = (Fill, static run => run.Close()),
        ["open"] = (FillAndClose, static run => run.Open()),
        ["open after a kill"] = (FillAndKill, static run => run.Open()),
    };

    public static TheoryData<string> Names => [.. Scenarios.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void Each_operation_may_fail(string name)
    {
        (Action<Run> prepare, Action<Run> act) = Scenarios[name];
        var failed = new SortedDictionary<string, int>(StringComparer.Ordinal);
        foreach (FailureMode mode in Enum.GetValues<FailureMode>())
        {
            int causes = Enum.GetValues<FailureCause>().Length;
            for (int leg = 0; leg < TestLeg.Steps(1, causes); leg++)
            {
                int position = 1;
                while (TryOne(prepare, act, position, mode, (FailureCause)((position + leg + (int)mode) % causes), failed))
                    Assert.True(++position < MaxPositions);
            }
        }
        output.WriteLine($"{name}: {failed.Values.Sum():N0} failures at {failed.Count} kinds of operations, lost 0, wrong 0");
        foreach ((string operation, int count) in failed)
            output.WriteLine($"  {count,5} {operation}");
        Assert.NotEmpty(failed);
    }

    private static bool TryOne(
        Action<Run> prepare, Action<Run> act, int position, FailureMode mode, FailureCause cause, SortedDictionary<string, int> failed)
    {
        using var run = new Run();
        prepare(run);
        run.Files.Arm(position, mode, cause);
        Exception? error = Record.Exception(() => act(run));
        run.Files.Disarm();
        string? operation = run.Files.Failed;
        try
        {
            Assert.True(operation != null || error == null, "nothing failed, and yet there is an error");
            Assert.True(error is null or PileStorageException or PileFullException, "the error is not one of the pile's");
            run.Open();
            run.Check();
            if (operation != null)
                act(run);
            run.Open();
            run.Put("t", "later");
            run.Cache.Pile.Flush();
            run.Check();
            run.Close();
            run.Open();
            run.Check();
        }
        catch (Exception e)
        {
            throw new InvalidOperationException(
                $"Operation {position}, {operation}, failed ({mode}, {cause}): {e.Message} The call said: {error?.ToString() ?? "nothing"}", e);
        }
        if (operation != null)
            failed[operation] = failed.GetValueOrDefault(operation) + 1;
        return operation != null;
    }

    private static void Fill(Run run)
    {
        run.Open();
        for (int i = 0; i < 20; i++)
            run.Put("t", "value " + i);
        run.Put("t", new string('y', 2_000_000));
        run.Cache.Pile.Flush();
    }

    private static void FillAndClose(Run run)
    {
        Fill(run);
        run.Close();
    }

    private static void FillAndKill(Run run)
    {
        Fill(run);
        run.Kill();
    }

    private sealed class Run : IDisposable
    {
        private readonly string _root = MemoryDisk.Make();
        private readonly Dictionary<(string Table, int Key), string> _model = [];
        private bool _isOpen;

        internal FailingFiles Files { get; } = new();

        internal PileCache Cache { get; private set; } = null!;

        private string PilePath => Path.Combine(_root, "pile");

        public void Dispose()
        {
            Files.Disarm();
            if (_isOpen)
                Cache.Dispose();
            Directory.Delete(_root, recursive: true);
        }

        internal void Open()
        {
            if (_isOpen)
                return;
            Pile pile = Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, FileHook = Files });
            try
            {
                Cache = new PileCache(pile, new PileCacheOptions
                {
                    OwnsPile = true, SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true, DefaultTableOptions = TestCache.AllDurable,
                });
                _isOpen = true;
            }
            catch
            {
                pile.Dispose();
                throw;
            }
        }

        internal void Close()
        {
            _isOpen = false;
            Cache.Dispose();
        }

        internal void Put(string table, string value)
        {
            int key = _model.Count;
            Cache.GetOrCreateTable<int, string>(table).Put(key, value);
            _model[(table, key)] = value;
        }

        internal void Kill()
        {
            string killed = Path.Combine(_root, "killed");
            PileFiles.Copy(PilePath, killed);
            Close();
            Directory.Delete(PilePath, recursive: true);
            Directory.Move(killed, PilePath);
        }

        internal void Check()
        {
            Assert.All(_model, pair => Assert.Equal(pair.Value, Cache.GetOrCreateTable<int, string>(pair.Key.Table).Get(pair.Key.Key)));
            Assert.Equal(_model.Count, Cache.Pile.Statistics.ObjectCount);
            Assert.Equal(0, Cache.Pile.Recovery.LostBytes);
        }
    }
}
