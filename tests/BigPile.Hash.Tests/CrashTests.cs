using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using BigPile.Files;
using BigPile.Hash.Checking;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests;

/// <summary>Files as they are between two stores, opened as after a kill, and as a power cut could have left them.</summary>
public sealed class CrashTests(ITestOutputHelper output)
{
    private const int Sector = 512;
    private static readonly int Operations = TestLeg.Steps(800, 2_500);
    private const int Keys = 40;

    private static readonly Guid FirstBoot = new("11111111-1111-1111-1111-111111111111");
    private static readonly Guid NextBoot = new("22222222-2222-2222-2222-222222222222");

    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_kill_loses_nothing_completed_and_a_power_cut_nothing_synchronized(BlockFileKind kind)
    {
        Run run = NewRun(kind, null);
        run.Go();
        output.WriteLine($"{run.Kills:N0} kills and {run.Cuts:N0} power cuts");
        Assert.True(run.Kills > 20 && run.Cuts > 20);
        Assert.Empty(run.Problems);
    }

    [Theory]
    [InlineData("link-first")]
    [InlineData("nothing-deferred")]
    [InlineData("no-tombstones")]
    [InlineData("no-marks")]
    public void A_wrong_way_to_store_is_noticed(string control)
    {
        Run run = NewRun(BlockFileKind.PositionalParallel, control);
        run.Go();
        output.WriteLine(string.Join('\n', run.Problems.Take(5)));
        Assert.NotEmpty(run.Problems);
    }

    private Run NewRun(BlockFileKind kind, string? control)
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("BIGPILE_SEED"), out int given) ? given : Environment.TickCount;
        output.WriteLine($"BIGPILE_SEED={seed}");
        return new Run(kind, control, seed);
    }

    private sealed class Run(BlockFileKind kind, string? control, int seed) : IFileHook
    {
        private readonly Random _random = new(seed);
        private readonly ScratchDirectory _scratch = new();
        private readonly Dictionary<string, string?> _now = [];
        private readonly Dictionary<string, HashSet<string?>> _possible = []; // after a power cut
        private bool _wasEverHard;
        private bool _wasClosed;
        private string? _busyKey;
        private string? _busyValue;
        private bool _isClearing;
        private byte[] _durable = [];
        private byte[] _durableCopy = []; // of the file that a rebuild makes

        internal int Kills { get; private set; }

        internal int Cuts { get; private set; }

        internal List<string> Problems { get; } = [];

        private string FilePath => _scratch.At("hash");

        internal void Go()
        {
            using var watch = new CrashPointScope<HashCrashPoint>(Pass);
            using var planted = new MutationScope(control);
            using (_scratch)
            {
                HashDatabase database = Open(FilePath, FirstBoot, watched: true);
                _durable = Bytes(); // making it has ended with that
                (int most, int enough) = control == null ? (Operations, 10) : (Operations * 20, 1);
                try
                {
                    for (int i = 0; i < most && Problems.Count < enough; i++)
                    {
                        Step(database);
                        if (_random.Next(500) == 0)
                            Reopen(ref database);
                    }
                }
                catch (HashDatabaseCorruptException e)
                {
                    Problems.Add($"the database itself: {e.Message}");
                }
                finally
                {
                    database.Dispose();
                }
            }
        }

        private void Reopen(ref HashDatabase database)
        {
            database.Dispose();
            _wasClosed = true;
            _durable = Bytes();
            Promise();
            database = Open(FilePath, FirstBoot, watched: true);
            Compare(database, isCut: false, "reopened");
        }

        public void Before(FileOperation operation, string path)
        {
            if (operation == FileOperation.Sync && path == FilePath)
                _durable = Bytes();
            else if (operation == FileOperation.Sync)
                _durableCopy = Read(path);
        }

        public void After(FileOperation operation, string path)
        {
        }

        private HashDatabase Open(string path, Guid boot, bool watched) => HashDatabase.Open(path, new HashDatabaseOptions
        {
            FileKind = kind,
            BootId = boot,
            Tuning = new HashTuning { Buckets = 256, OffsetWidth = 4 },
            Hook = watched ? this : null,
        });

        private void Step(HashDatabase database)
        {
            int kindOfStep = _random.Next(100);
            if (kindOfStep < 3)
            {
                database.Synchronize();
                _wasEverHard = true;
                Promise();
                return;
            }
            if (kindOfStep == 3 && _random.Next(4) == 0)
            {
                database.Rebuild();
                Promise();
                _durable = Bytes();
                return;
            }
            if (kindOfStep == 4 && _random.Next(2) == 0)
            {
                Clear(database);
                return;
            }
            string key = "key " + _random.Next(Keys);
            int most = _random.Next(8) == 0 ? 3000 : 60;
            string? value = _random.Next(3) == 0 ? null : new string((char)('a' + _random.Next(26)), 1 + _random.Next(most));
            (_busyKey, _busyValue) = (key, value);
            Possible(key).Add(value);
            if (value == null)
                database.Remove(Bytes(key));
            else
                database.Set(Bytes(key), Bytes(value));
            _now[key] = value;
            _busyKey = null;
        }

        private void Clear(HashDatabase database)
        {
            for (int i = 0; i < Keys; i++)
                Possible("key " + i).Add(null);
            _isClearing = true;
            database.Clear();
            _isClearing = false;
            _now.Clear();
        }

        private HashSet<string?> Possible(string key)
        {
            if (!_possible.TryGetValue(key, out HashSet<string?>? values))
                _possible[key] = values = [_now.GetValueOrDefault(key)];
            if (!_wasEverHard)
                values.Add(null);
            return values;
        }

        // Before the first hard synchronization nothing outlives a power cut for certain, and a rebuild or a close is none.
        private void Promise()
        {
            if (_wasEverHard)
                _possible.Clear();
        }

        private void Pass(HashCrashPoint window)
        {
            if (window == HashCrashPoint.RebuildRenamed)
                _durable = _durableCopy;
            if (_random.Next(40) != 0 && window < HashCrashPoint.SyncedBeforeHead)
                return;
            using var unwatched = new CrashPointScope<HashCrashPoint>(static _ => { }); // what works on the copies
            if (_random.Next(2) == 0)
                Kill(window);
            else
                Cut(window, Bytes(), "cut");
        }

        private void Kill(HashCrashPoint window)
        {
            Kills++;
            string copy = _scratch.At("killed");
            File.WriteAllBytes(copy, Bytes());
            if (!_isClearing)
                CompareReadOnly(copy, $"killed at {window}, opened for reading");
            HashDatabase database = Open(copy, FirstBoot, watched: false);
            Compare(database, isCut: false, $"killed at {window}");
            // what waits must still be there: another kill, and then a power cut
            for (int i = 0; i < 20; i++)
                database.Set(Bytes("new " + i), Bytes(new string('n', 40)));
            byte[] after = Read(copy);
            database.Dispose();
            Cut(window, after, "killed, changed, cut");
        }

        // It walks through the chains as they were stored.
        private void CompareReadOnly(string path, string when)
        {
            try
            {
                var options = new HashDatabaseOptions { FileKind = kind, BootId = FirstBoot, ReadOnly = true };
                using var database = HashDatabase.Open(path, options);
                for (int i = 0; i < Keys; i++)
                    database.Get(Bytes("key " + i));
                database.Contains("no such key"u8);
            }
            catch (HashDatabaseCorruptException e)
            {
                Problems.Add($"{when}: {e.Message}");
            }
        }

        private void Cut(HashCrashPoint window, byte[] now, string how)
        {
            Cuts++;
            string copy = _scratch.At("cut");
            var mixed = new byte[Math.Max(now.Length, _durable.Length)];
            int share = _random.Next(0, 11);
            for (int at = 0; at < mixed.Length; at += Sector)
            {
                byte[] from = _random.Next(10) < share ? now : _durable;
                int length = Math.Clamp(from.Length - at, 0, Math.Min(Sector, mixed.Length - at));
                Array.Copy(from, at > from.Length ? 0 : at, mixed, at, length);
            }
            File.WriteAllBytes(copy, mixed);
            using HashDatabase database = Open(copy, NextBoot, watched: false);
            Assert.Equal(HashEnding.PowerCut, database.Recovery.Ending);
            Compare(database, isCut: true, $"{how} at {window}");
        }

        private void Compare(HashDatabase database, bool isCut, string when)
        {
            // What the device lost of a file that was closed without ever being hard-synchronized looks like damage (FORMAT.md).
            if (database.Recovery.DamagedRecords != 0 && !(isCut && _wasClosed && !_wasEverHard))
                Problems.Add($"{when}: {database.Recovery.DamagedRecords} records are said to be damaged");
            Problems.AddRange(database.Verify().Problems.Select(problem => $"{when}: {problem}"));
            int there = 0;
            for (int i = 0; i < Keys; i++)
            {
                string key = "key " + i;
                string? found = database.Get(Bytes(key)) is { } bytes ? Encoding.UTF8.GetString(bytes) : null;
                there += found == null ? 0 : 1;
                string? now = _isClearing && !isCut ? null : _now.GetValueOrDefault(key);
                bool isRight = found == now || (key == _busyKey && found == _busyValue)
                    || (isCut && _possible.TryGetValue(key, out HashSet<string?>? values) && values.Contains(found));
                if (!isRight)
                    Problems.Add($"{when}: '{key}' is {Short(found)}, and was {Short(_now.GetValueOrDefault(key))}");
            }
            if (control == null)
                database.CheckInvariants();
            if (!isCut && database.Count != there)
                Problems.Add($"{when}: {database.Count} are counted, and {there} found");
        }

        private static string Short(string? value) => value == null ? "absent" : $"{value.Length} times {value[0]}";

        private byte[] Bytes() => Read(FilePath);

        private static byte[] Read(string path)
        {
            using var directory = HeldDirectory.Open(Path.GetDirectoryName(path)!);
            using HeldFile file = directory.Open(Path.GetFileName(path), FileMode.Open, FileAccess.Read); // it asks for no lock
            return file.ReadAll();
        }

        private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
    }
}
