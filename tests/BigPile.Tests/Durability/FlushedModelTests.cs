using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Checking;
using BigPile.Durability;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>Kills, power cuts and devices that fail, in random order, between random changes.</summary>
public sealed class FlushedModelTests(ITestOutputHelper output) : IDisposable
{
    private const int Lives = 4;
    private const int StepsPerLife = 300;

    private readonly ScratchDirectory _scratch = new();

    public void Dispose() => _scratch.Dispose();

    [Fact]
    public void Whatever_happens_a_power_cut_leaves_exactly_what_was_flushed_last()
    {
        int images = 0;
        int beside = 0;
        long objects = 0;
        for (int run = 0; run < TestLeg.Steps(1, 300); run++)
        {
            Rig rig = Run(run);
            images += rig.Images;
            beside += rig.StepsBeside;
            objects += rig.Model.Checked;
        }
        output.WriteLine($"images {images:N0}, objects checked {objects:N0}, changes between a snapshot and its copy {beside:N0}");
        Assert.NotEqual(0, images);
    }

    /// <summary>The control: what was deleted behind the snapshot is copied as it is by now.</summary>
    [CrashPointFact]
    public void A_copy_that_undoes_nothing_is_noticed()
    {
        using var scope = new MutationScope("copied-not-undone");
        Assert.ThrowsAny<Xunit.Sdk.XunitException>(() =>
        {
            for (int run = 0; run < 20; run++)
                Run(run);
        });
    }

    private Rig Run(int run)
    {
        int seed = TestLeg.Seed(500) + run;
        output.WriteLine($"seed {seed}");
        var rig = new Rig(_scratch.At($"run{run}"), seed);
        rig.Run();
        Directory.Delete(rig.Root, recursive: true);
        return rig;
    }

    private sealed class Rig(string root, int seed)
    {
        private readonly Random _random = new(seed);
        private readonly int _threadId = Environment.CurrentManagedThreadId;
        private readonly Queue<string> _cuts = new();
        private DurableFiles _files = null!;
        private string _directory = "";
        private int _boot = 1;
        private int _step;
        private string? _failing;
        private bool _isOpen;
        private bool _wasCut;
        private int _besideFlush; // changes to make beside the flush that runs
        private FlushedModel.State? _snapshot; // what was there at the last snapshot

        internal string Root => root;

        internal FlushedModel Model { get; } = new(new Random(seed + 1));

        internal int Images { get; private set; }

        internal int StepsBeside { get; private set; }

        internal void Run()
        {
            _directory = Path.Combine(root, "life0");
            _files = new DurableFiles(_directory);
            Pile? before = null;
            for (int life = 0; life < Lives; life++)
            {
                Pile pile = Open();
                _isOpen = true; // before that the directory may not have all its files
                before?.Dispose();
                before = pile;
                if (life > 0)
                    Model.CheckNow(pile, $"seed {seed}, life {life}");
                Live(pile, life);
                GoOn(pile, life + 1);
            }
            before?.Dispose();
        }

        private void Live(Pile pile, int life)
        {
            for (_step = 0; _step < StepsPerLife; _step++)
            {
                if (_random.Next(40) == 0)
                    Flush(pile, life);
                else
                    Model.Step(pile);
                if (_random.Next(60) == 0)
                    Cut();
                CheckCuts(life);
            }
            Model.CheckNow(pile, $"seed {seed}, end of life {life}");
            PileVerification verification = pile.Verify();
            Assert.True(verification.FaultCount == pile.Recovery.Faults.Count,
                $"seed {seed}, life {life}: {string.Join("; ", verification.Faults.Take(3))}");
            PileStatistics s = pile.Statistics;
            Assert.Equal(s.CommittedBytes, s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes + s.UnexaminedBytes);
        }

        private void Flush(Pile pile, int life)
        {
            _snapshot = Model.MayFlush();
            _besideFlush = _random.Next(3) == 0 ? 0 : _random.Next(20);
            if (_random.Next(6) == 0)
                pile.Engine.RequestCheckpoint();
            _failing = _random.Next(5) switch { 0 => "segment", 1 => "superblock", 2 => "log", _ => null };
            try
            {
                using (new CrashPointScope<CrashPoint>(point => GoOnBeside(pile, point)))
                    pile.Flush();
                CheckCuts(life); // in the middle of it both states are right
                Model.HasFlushed(_snapshot!);
            }
            catch (PileStorageException)
            {
                // not to its end: both states are right
            }
            _failing = null;
        }

        // What changes between a flush's snapshot and its copy is not in the flush.
        private void GoOnBeside(Pile pile, CrashPoint point)
        {
            if (point != CrashPoint.FlushBeforeCopy || Environment.CurrentManagedThreadId != _threadId)
                return;
            _snapshot = Model.MayFlush(); // the second one of a flush that the log has no space for
            string? failing = _failing;
            _failing = null; // the flush is to fail, and not what goes on beside it
            for (; _besideFlush > 0; _besideFlush--, StepsBeside++)
                Model.StepBesideFlush(pile);
            _failing = failing;
        }

        // The process is killed, and the directory goes on as it is; or the machine is, and what the device has does.
        private void GoOn(Pile pile, int life)
        {
            string next = Path.Combine(root, $"life{life}");
            bool isCut = _random.Next(3) == 0;
            _isOpen = false;
            _wasCut = isCut;
            if (isCut)
            {
                _files.Build(next, Some());
                _boot++;
            }
            else
            {
                KilledPile.Copy(_directory, next);
            }
            var files = new DurableFiles(next);
            if (!isCut)
                files.TakeOver(_files);
            _directory = next;
            _files = files;
            if (!isCut)
                return;
            foreach (string path in Directory.GetFiles(next))
                files.Synced(path);
            string copied = next + "-looked";
            KilledPile.Copy(next, copied);
            using Pile image = OpenAt(copied, _boot, null, null);
            Model.Check(image, $"seed {seed}, before life {life}");
            Model.GoOnFrom(image);
        }

        private Pile Open()
        {
            DurableFiles files = _files;
            return OpenAt(_directory, _boot, path => Begin(path, files), path =>
            {
                files.Synced(path);
                if (IsOwn && _isOpen && ReferenceEquals(files, _files) && _random.Next(12) == 0)
                    Cut();
            });
        }

        private static Pile OpenAt(string path, int boot, Action<string>? syncing, Action<string>? synced) =>
            Pile.Open(path, new PileOptions
        {
            SegmentBytes = DurabilityTest.SegmentBytes,
            FlushLogBytes = 1 << 20,
            BootId = new Guid(boot, 0, 0, new byte[8]),
            Syncing = syncing,
            Synced = synced,
        });

        private bool IsOwn => Environment.CurrentManagedThreadId == _threadId; // the background flushes too, and reserves versions

        private void Begin(string path, DurableFiles files)
        {
            // A batch, or an epoch that begins without one: from the write on the device may have it.
            bool isCommit = Path.GetFileName(path) is var name
                && (name.StartsWith("log", StringComparison.Ordinal) || name == PileDirectory.SuperblockName);
            if (isCommit && !IsOwn)
                Model.HasFlushedItself();
            if (_failing == null || !ReferenceEquals(files, _files)
                || !Path.GetFileName(path).StartsWith(_failing, StringComparison.Ordinal))
                return;
            _failing = null;
            throw new IOException($"'{path}' could not be written: input/output error.");
        }

        private Func<string, int, bool> Some()
        {
            int share = _random.Next(101);
            return (_, _) => _random.Next(100) < share;
        }

        private void Cut()
        {
            string image = Path.Combine(root, $"image{_cuts.Count}");
            _files.Build(image, Some());
            _cuts.Enqueue(image);
        }

        private void CheckCuts(int life)
        {
            while (_cuts.TryDequeue(out string? path))
            {
                Images++;
                using (Pile image = OpenAt(path, _boot + 1, null, null))
                {
                    if (_random.Next(2) == 0)
                        image.Recovery.Completion.Wait();
                    Model.Check(image, $"seed {seed}, life {life}{(_wasCut ? " behind a cut" : "")}, step {_step}");
                }
                Directory.Delete(path, recursive: true);
            }
        }
    }
}
