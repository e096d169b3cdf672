using System;
using System.Collections.Generic;
using System.IO;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>What is left after the power was cut at any instant.</summary>
public sealed class PowerCutTests(ITestOutputHelper output) : IDisposable
{
    private const long SegmentBytes = 4 << 20;
    private const int StepsPerRun = 1_500;

    private readonly TemporaryDirectory _temporary = new();

    public void Dispose() => _temporary.Dispose();

    [Fact]
    public void What_was_flushed_and_not_touched_since_is_intact_and_nothing_wrong_is_served()
    {
        var total = new Tally();
        for (int run = 0; run < TestLeg.Steps(6, 120); run++)
        {
            int seed = TestLeg.Seed(100) + run;
            output.WriteLine($"seed {seed}");
            Run(seed, total);
        }
        output.WriteLine(
            $"images {total.Images}, pages lost {total.LostPages:N0}, pages torn {total.TornPages:N0}, faults found {total.Faults:N0}, "
            + $"blocks put back {total.Restored:N0}, objects checked {total.Checked:N0}, wrong payloads served {total.Wrong}");
        Assert.Equal(0, total.Wrong);
        Assert.NotEqual(0, total.TornPages);
        Assert.NotEqual(0, total.Faults);
        Assert.NotEqual(0, total.Restored);
    }

    /// <summary>The control: what finds torn payloads is the checksum.</summary>
    [Fact]
    public void Without_checksums_torn_payloads_are_served()
    {
        var total = new Tally();
        for (int seed = 1; total.Wrong == 0; seed++)
        {
            Assert.True(seed < 20, "no torn payload was served in 20 runs without checksums");
            Run(seed, total, PileChecksums.Off);
        }
    }

    private void Run(int seed, Tally total, PileChecksums checksums = PileChecksums.AtFirstUse)
    {
        string directory = Path.Combine(_temporary.Path, $"run{seed}");
        var harness = new PowerCutHarness(directory, seed);
        var random = new Random(seed);
        var model = new FlushedModel(random);
        bool isControl = checksums == PileChecksums.Off;
        using (Pile pile = Open(directory, PowerCutHarness.FirstBoot, harness.Synced, checksums))
        {
            var cuts = new Queue<string>();
            harness.BeforeSync = _ =>
            {
                if (random.Next(8) == 0)
                    Cut(harness, cuts);
            };
            for (int step = 0; step < StepsPerRun; step++)
            {
                if (random.Next(150) == 0)
                    model.Flush(pile, () => CheckAll(cuts, model, seed, total, isControl));
                else
                    model.Step(pile);
                if (random.Next(300) == 0)
                    Cut(harness, cuts);
                CheckAll(cuts, model, seed, total, isControl);
            }
            harness.BeforeSync = null;
        }
        total.TornPages += harness.TornPages;
        total.LostPages += harness.LostPages;
        Directory.Delete(directory, recursive: true);
    }

    private void Cut(PowerCutHarness harness, Queue<string> cuts)
    {
        string image = Path.Combine(_temporary.Path, $"image{cuts.Count}");
        harness.BuildImage(image);
        cuts.Enqueue(image);
    }

    private static void CheckAll(Queue<string> cuts, FlushedModel model, int seed, Tally total, bool isControl)
    {
        while (cuts.TryDequeue(out string? image))
        {
            if (isControl)
                CountWrong(image, model, total);
            else
                Check(image, model, seed, total);
            Directory.Delete(image, recursive: true);
        }
    }

    private static void CountWrong(string image, FlushedModel model, Tally total)
    {
        using Pile pile = Open(image, PowerCutHarness.NextBoot, null);
        model.CountWrong(pile, total);
    }

    private static void Check(string image, FlushedModel model, int seed, Tally total)
    {
        total.Images++;
        using (Pile pile = Open(image, PowerCutHarness.NextBoot, null))
        {
            pile.Recovery.Completion.Wait();
            Assert.True(pile.Recovery.IsComplete);
            total.Faults += pile.Recovery.FaultCount;
            total.Restored += pile.Recovery.RestoredCount;
            model.Check(pile, seed, total);
            for (int i = 0; i < 50; i++)
                Assert.Equal($"later {i}", pile.Get(pile.Put($"later {i}")));
        }
        PileVerification verification = Pile.VerifyDirectory(image);
        Assert.True(verification.IsSound, $"seed {seed}: {string.Join("; ", verification.Faults)}");
    }

    private static Pile Open(string directory, Guid boot, Action<string>? synced, PileChecksums checksums = PileChecksums.AtFirstUse) =>
        Pile.Open(directory, new PileOptions
    {
        Checksums = checksums,
        SegmentBytes = SegmentBytes,
        FlushLogBytes = 1 << 20,
        BootId = boot,
        Synced = synced,
    });

    /// <summary>What the images showed.</summary>
    internal sealed class Tally
    {
        internal long Images { get; set; }

        internal long TornPages { get; set; }

        internal long LostPages { get; set; }

        internal long Faults { get; set; }

        internal long Restored { get; set; }

        internal long Checked { get; set; }

        internal long Wrong { get; set; }
    }
}
