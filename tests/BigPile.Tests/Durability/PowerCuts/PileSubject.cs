using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Durability.PowerCuts;

/// <summary>A pile to be cut.</summary>
internal sealed class PileSubject : CutSubject<Pile>
{
    private static readonly TimeSpan FlushInterval = TimeSpan.FromMinutes(1);
    private static readonly (PileOperations Operation, CutEnding Ending)[] AllEndings =
    [
        (PileOperations.Restart, CutEnding.Restart), (PileOperations.Kill, CutEnding.Kill),
        (PileOperations.OtherBoot, CutEnding.OtherBoot), (PileOperations.PowerCut, CutEnding.PowerCut),
    ];

    private readonly PileOperations _operations;
    private readonly CrashModel _model = new();
    private readonly ManualTime _time = new();

    private PileSubject(PileOperations operations) => _operations = operations;

    internal PileChecksums Checksums { get; init; } = PileChecksums.AtFirstUse;

    private PileSteps Steps => field ??= new PileSteps(_model, _operations, Random, Log.Add);

    internal static PileSubject Make(
        int seed, PileOperations operations, CutTally tally, PileChecksums checksums = PileChecksums.AtFirstUse) => new(operations)
    {
        Random = new Random(seed),
        Tally = tally,
        Checksums = checksums,
        Endings = [.. AllEndings.Where(pair => operations.HasFlag(pair.Operation)).Select(static pair => pair.Ending)],
        Refuses = operations.HasFlag(PileOperations.Refuse),
        FillsDisk = operations.HasFlag(PileOperations.FullDisk),
        StepsDuringCheckpoint = operations.HasFlag(PileOperations.DuringCheckpoint),
        KnowsBoots = !operations.HasFlag(PileOperations.UnknownBoot),
    };

    internal override Pile Open(string directory, Guid boot, SimulatedDisk? disk = null) => Pile.Open(directory, new PileOptions
    {
        SegmentBytes = DurabilityTest.SegmentBytes,
        FlushLogBytes = 1 << 20,
        BootId = boot,
        FileHook = disk,
        Checksums = Checksums,
        TimeProvider = _time,
        FlushInterval = _operations.HasFlag(PileOperations.Timer) ? FlushInterval : null,
        Warmup = Random.Next(2) == 0 ? PileWarmup.Touch : PileWarmup.Off,
    });

    internal override IDisposable OpenBriefly(string directory, Guid boot, SimulatedDisk? disk)
    {
        Pile pile = Pile.Open(directory, new PileOptions
        {
            SegmentBytes = DurabilityTest.SegmentBytes,
            FlushLogBytes = 1 << 20,
            BootId = boot,
            FileHook = disk,
            Checksums = Checksums,
            WarmupBytesPerSecond = 1,
        });
        HoldStill(pile);
        return pile;
    }

    internal override void CopyKilled(string from, string to) => KilledPile.Copy(from, to);

    internal override void HoldStill(Pile opened) => opened.Recovery.Pause();

    internal override void Burst(Pile opened) => Steps.Burst(opened);

    internal override void StepWhileFlushing(Pile opened) => Steps.Step(opened);

    internal override bool Flush(Pile opened)
    {
        bool isByTimer = _operations.HasFlag(PileOperations.Timer) && Random.Next(2) == 0;
        if (isByTimer)
            _time.Advance(FlushInterval);
        else
            opened.Flush();
        return !isByTimer;
    }

    internal override bool IsRefusal(Exception exception) => exception is PileStorageException;

    internal override int BeginFlush() => _model.BeginFlush();

    internal override void EndFlush(int begin) => _model.EndFlush(begin);

    internal override void BeforeEnd() => Steps.EndLeases();

    internal override void AfterStart(Pile opened)
    {
        if (Random.Next(2) == 0)
            opened.Recovery.Completion.Wait();
    }

    internal override void CheckAll(Pile opened, string where) => _model.CheckAll(opened, where, Tally);

    internal override void CheckCut(Pile opened, string where) => _model.CheckCut(opened, where, Tally);

    internal override void ContinueFrom(Pile opened) => _model.ContinueFrom(opened);

    internal override void CheckImage(string image, string where, Guid boot, ulong mark)
    {
        long blocks;
        using (Pile pile = Open(image, boot))
        {
            if (Random.Next(2) == 0)
                pile.Recovery.Completion.Wait();
            CheckCut(pile, where);
            pile.Recovery.Completion.Wait();
            Tally.Faults += pile.Recovery.FaultCount;
            Tally.Restored += pile.Recovery.RestoredCount;
            Use(pile);
            PileStatistics statistics = pile.Statistics;
            if (statistics.ObjectCount != pile.LongCount())
                Tally.Find("leaked", $"{where}: {pile.LongCount()} objects, and {statistics.ObjectCount} are counted");
            blocks = statistics.ObjectsSoFar + statistics.LinksSoFar;
        }
        PileVerification verification = Pile.VerifyDirectory(image);
        if (!verification.IsSound)
            Tally.Find("unsound", $"{where}: {string.Join("; ", verification.Faults.Take(3))}");
        if (verification.BlockCount != blocks || verification.TraceCount != 0)
        {
            string traces = $"{blocks} of objects and behind links; {verification.TraceCount} traces";
            Tally.Find("leaked", $"{where}: {verification.BlockCount} blocks, {traces}");
        }
        if (Random.Next(8) == 0)
            Empty(image, where);
    }

    // New objects come to lie where something was dropped or freed.
    private void Use(Pile pile)
    {
        var put = new Dictionary<PilePointer, object>();
        for (int i = 0; i < 40; i++)
        {
            object value = CrashValue.New(Random, Random.Next(800));
            put[pile.Put(value)] = value;
        }
        Assert.All(put, pair => Assert.True(CrashValue.AreEqual(pair.Value, pile.Get(pair.Key)), "a new object came back different"));
        foreach (PilePointer pointer in put.Keys)
            pile.Delete(pointer);
    }

    // What can't be deleted would stay for ever.
    private void Empty(string image, string where)
    {
        using Pile pile = Open(image, NewBoot());
        foreach (PileEntry entry in pile)
            pile.Delete(entry.Pointer);
        pile.Flush();
        pile.Recovery.Completion.Wait();
        pile.Trim();
        PileStatistics statistics = pile.Statistics;
        if (statistics.PayloadBytes != 0 || statistics.ObjectCount != 0 || statistics.LinkCount != 0)
            Tally.Find("leaked", $"{where}: all was deleted, and what is left is: {statistics}");
    }
}
