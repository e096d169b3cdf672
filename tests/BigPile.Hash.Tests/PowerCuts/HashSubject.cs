using System;
using System.IO;
using System.Linq;
using BigPile.Files;

namespace BigPile.Hash.Tests.PowerCuts;

/// <summary>A hash database to be cut.</summary>
internal sealed class HashSubject : CutSubject<HashDatabase>
{
    internal const string FileName = "database";
    internal const int BucketBytes = HashTuning.MinBuckets * sizeof(long);

    private static readonly (CutOperations Operation, CutEnding Ending)[] AllEndings =
    [
        (CutOperations.Restart, CutEnding.Restart), (CutOperations.Kill, CutEnding.Kill),
        (CutOperations.OtherBoot, CutEnding.OtherBoot), (CutOperations.PowerCut, CutEnding.PowerCut),
    ];

    private readonly CutOperations _operations;
    private readonly BlockFileKind? _kind;
    private readonly CutModel _model = new();
    private bool _wasEverSynchronized;

    private HashSubject(CutOperations operations, BlockFileKind? kind)
    {
        _operations = operations;
        _kind = kind;
    }

    private CutSteps Steps => field ??= new CutSteps(_model, _operations, Random, Log.Add);

    /// <param name="seed">The seed of the run.</param>
    /// <param name="operations">What is done.</param>
    /// <param name="tally">Takes what is found.</param>
    /// <param name="kind">The kind of file; none: another one at each opening.</param>
    internal static HashSubject Make(int seed, CutOperations operations, CutTally tally, BlockFileKind? kind) =>
        new(operations, kind)
        {
            Random = new Random(seed),
            Tally = tally,
            Endings = [.. AllEndings.Where(pair => operations.HasFlag(pair.Operation)).Select(static pair => pair.Ending)],
            Refuses = operations.HasFlag(CutOperations.Refuse),
        };

    internal override HashDatabase Open(string directory, Guid boot, SimulatedDisk? disk = null) =>
        HashDatabase.Open(Path.Combine(directory, FileName), new HashDatabaseOptions
        {
            FileKind = _kind ?? BlockFile.Kinds[Random.Next(BlockFile.Kinds.Length)],
            Tuning = Some.FewBuckets,
            BootId = boot,
            Hook = disk,
        });

    internal override IDisposable OpenBriefly(string directory, Guid boot, SimulatedDisk? disk) => Open(directory, boot, disk);

    internal override void HoldStill(HashDatabase opened)
    {
        // nothing works in the background
    }

    internal override void Burst(HashDatabase opened) => Steps.Burst(opened);

    internal override bool Flush(HashDatabase opened)
    {
        opened.Synchronize();
        _wasEverSynchronized = true;
        return true;
    }

    internal override bool IsRefusal(Exception exception) => exception is IOException;

    internal override int BeginFlush() => _model.BeginFlush();

    // To close it makes it durable only where somebody has asked for that before.
    internal override void EndFlush(int begin)
    {
        if (_wasEverSynchronized)
            _model.EndFlush(begin);
    }

    internal override void CheckAll(HashDatabase opened, string where)
    {
        _model.CheckAll(opened, where, Tally);
        CheckSound(opened, where);
    }

    internal override void CheckCut(HashDatabase opened, string where)
    {
        _model.CheckCut(opened, where, Tally);
        CheckSound(opened, where);
    }

    internal override void ContinueFrom(HashDatabase opened) => _model.ContinueFrom(opened);

    internal override void CheckImage(string image, string where, Guid boot, ulong mark)
    {
        bool isHard;
        using (HashDatabase database = Open(image, boot))
        {
            CheckCut(database, where);
            Tally.Faults += database.Recovery.TornRecords;
            if (database.Recovery.DamagedRecords != 0 && _wasEverSynchronized) // else what a closed file states may never have come to be
                Tally.Find("called damaged", $"{where}: {database.Recovery}");
            if (Random.Next(4) == 0)
                Use(database, where);
            isHard = Random.Next(2) == 0;
            if (isHard)
                database.Synchronize();
        }
        if (Directory.GetFiles(image).Length != 1)
            Tally.Find("leaked", $"{where}: {string.Join(", ", Directory.GetFiles(image).Select(Path.GetFileName))}");
        if (!isHard)
            return; // it was closed in another start of the machine, as far as it can tell, and would have to be recovered
        HashVerification verification = HashDatabase.Verify(Path.Combine(image, FileName));
        if (!verification.IsSound)
            Tally.Find("unsound", $"{where}, closed: {string.Join("; ", verification.Problems.Take(3))}");
    }

    // What a cut left can be changed, and emptied.
    private void Use(HashDatabase database, string where)
    {
        for (int i = 0; i < 40; i++)
        {
            byte[] value = Some.Bytes(i, Random.Next(800));
            database.Set(Some.Key(10_000 + i), value);
            Assert.Equal(value, database.Get(Some.Key(10_000 + i)));
        }
        foreach (HashRecord record in database)
            Assert.True(database.Remove(record.Key.Span));
        database.Synchronize();
        database.Synchronize();
        HashStatistics statistics = database.GetStatistics();
        if (statistics is not { Records: 0, LiveBytes: 0, WaitingBytes: 0 })
            Tally.Find("leaked", $"{where}: all was removed, and what is left is: {statistics}");
    }

    private void CheckSound(HashDatabase database, string where)
    {
        HashVerification verification = database.Verify();
        if (!verification.IsSound)
            Tally.Find("unsound", $"{where}: {string.Join("; ", verification.Problems.Take(3))}");
        HashStatistics s = database.GetStatistics();
        if (s.FileBytes != s.IndexBytes + s.LiveBytes + s.FreeBytes + s.WaitingBytes || s.Records != database.Count)
            Tally.Find("leaked", $"{where}: {s}");
    }
}
