using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Tests.Failures;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Durability;

/// <summary>
/// Each file operation of each call that concerns tables fails in turn; no entry is lost, the call works when it is made again, and where
/// it is not, work goes on to a flush, and to a close, a kill or a power cut behind that.
/// </summary>
public sealed class FailureInjectionTests(ITestOutputHelper output)
{
    private static readonly Dictionary<string, (Action<Run> Prepare, Action<Run> Act)> Scenarios = new(StringComparer.Ordinal)
    {
        ["first table"] = (static run => run.Open(), static run => run.Put("first", "a")),
        ["another table"] = (Fill, static run => run.Put("other", "a")),
        ["table with the id of one that was dropped"] = (FillAndDrop, static run => run.Put("other", "a")),
        ["drop of a table"] = (Fill, static run => run.Drop("gone")),
        ["put that grows"] = (Fill, static run => run.Put("t", new string('x', 3_500_000))),
        ["close"] = (Fill, static run => run.Close()),
        ["open"] = (FillAndClose, static run => run.Open()),
        ["open after a kill"] = (FillAndKill, static run => run.Open()),
    };

    private enum Aftermath
    {
        /// <summary>The call is made again, and the pile is closed later.</summary>
        Again,

        /// <summary>The call is not made again; the pile is closed later.</summary>
        Close,

        /// <summary>As that, but the owner is killed.</summary>
        Kill,

        /// <summary>As that, and nobody knows whether the power was cut.</summary>
        OtherBoot,
    }

    public static TheoryData<string> Names => [.. Scenarios.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void Each_operation_may_fail(string name)
    {
        (Action<Run> prepare, Action<Run> act) = Scenarios[name];
        var failed = new SortedDictionary<string, int>(StringComparer.Ordinal);
        foreach (FailurePlan plan in FailurePlan.Of(TryOne(prepare, act, null, Aftermath.Close, failed)))
        {
            // The short leg takes what comes behind it in turn.
            Aftermath[] all = Enum.GetValues<Aftermath>();
            foreach (Aftermath aftermath in TestLeg.IsLong ? all : [all[plan.Turn % all.Length]])
                TryOne(prepare, act, plan, aftermath, failed);
        }
        output.WriteLine($"{name}: {failed.Values.Sum():N0} failures at {failed.Count} kinds of operations, lost 0, wrong 0");
        foreach ((string operation, int count) in failed)
            output.WriteLine($"  {count,5} {operation}");
        Assert.NotEmpty(failed);
    }

    private static IReadOnlyList<string> TryOne(
        Action<Run> prepare, Action<Run> act, FailurePlan? plan, Aftermath aftermath, SortedDictionary<string, int> failed)
    {
        using var run = new Run();
        prepare(run);
        run.Files.Arm(plan);
        Exception? error = Record.Exception(() => act(run));
        run.Files.Disarm();
        string? operation = run.Files.Failed;
        try
        {
            Assert.True(operation != null || error == null, "nothing failed, and yet there is an error");
            Assert.True(error is null or PileStorageException or PileFullException, "the error is not one of the pile's");
            Pursue(run, act, operation != null ? aftermath : Aftermath.Close);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException(
                $"{operation} failed ({plan}; {aftermath}): {e.Message} The call said: "
                + $"{error?.ToString() ?? "nothing"}", e);
        }
        if (operation != null)
            failed[operation] = failed.GetValueOrDefault(operation) + 1;
        return run.Files.Operations;
    }

    private static void Pursue(Run run, Action<Run> act, Aftermath aftermath)
    {
        run.Open();
        run.Check();
        if (aftermath == Aftermath.Again)
            act(run);
        run.Open();
        for (int i = 0; i < 10; i++)
            run.Put("t", "later " + i);
        run.Put("gone", "later");
        run.Cache.Pile.Flush();
        run.Check();
        if (aftermath is Aftermath.Kill or Aftermath.OtherBoot)
            run.Kill();
        else
            run.Close();
        run.Open(aftermath == Aftermath.OtherBoot);
        run.Check();
        run.Put("new", "of another table");
        run.Close();
        run.Open();
        run.Check();
    }

    private static void Fill(Run run)
    {
        run.Open();
        for (int i = 0; i < 20; i++)
            run.Put(i % 4 == 0 ? "gone" : "t", "value " + i);
        run.Put("t", new string('y', 2_000_000));
        run.Cache.Pile.Flush();
    }

    private static void FillAndClose(Run run)
    {
        Fill(run);
        run.Close();
    }

    private static void FillAndDrop(Run run)
    {
        Fill(run);
        run.Drop("gone");
    }

    private static void FillAndKill(Run run)
    {
        Fill(run);
        run.Kill();
    }

    private sealed class Run : IDisposable
    {
        private readonly ScratchDirectory _scratch = new();
        private readonly Dictionary<(string Table, int Key), string> _model = [];
        private int _keys;
        private bool _isOpen;

        internal FailingFiles Files { get; } = new();

        internal PileCache Cache { get; private set; } = null!;

        private string PilePath => _scratch.At("pile");

        public void Dispose()
        {
            Files.Disarm();
            if (_isOpen)
                Cache.Dispose();
            _scratch.Dispose();
        }

        internal void Open(bool isOtherBoot = false)
        {
            if (_isOpen)
                return;
            Guid? boot = isOtherBoot ? new Guid("00000000-0000-0000-0000-000000000077") : null;
            Pile pile =
                Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, FileHook = Files, BootId = boot });
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
            int key = _keys++;
            Cache.GetOrCreateTable<int, string>(table).Put(key, value);
            _model[(table, key)] = value;
        }

        internal void Drop(string table)
        {
            Cache.DropTable(table); // one that throws has left the table as it was
            foreach ((string Table, int Key) entry in _model.Keys.Where(entry => entry.Table == table).ToArray())
                _model.Remove(entry);
        }

        internal void Kill()
        {
            string killed = _scratch.At("killed");
            KilledPile.Copy(PilePath, killed);
            Close();
            Directory.Delete(PilePath, recursive: true);
            Directory.Move(killed, PilePath);
        }

        internal void Check()
        {
            foreach (((string table, int key), string value) in _model)
            {
                string found = Cache.GetOrCreateTable<int, string>(table).Get(key);
                if (found != value)
                    Assert.Equal(value, found); // says where they differ; it is slow for millions of characters
            }
            Assert.Equal(_model.Count, Cache.Pile.Statistics.ObjectCount);
            Assert.Equal(0, Cache.Pile.Recovery.LostBytes);
        }
    }
}
