using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>Tables to be cut.</summary>
internal sealed class TableSubject : CutSubject<OpenTables>
{
    private static readonly (TableOperations Operation, CutEnding Ending)[] AllEndings =
    [
        (TableOperations.Restart, CutEnding.Restart), (TableOperations.Kill, CutEnding.Kill),
        (TableOperations.OtherBoot, CutEnding.OtherBoot), (TableOperations.PowerCut, CutEnding.PowerCut),
    ];

    private readonly TableOperations _operations;
    private readonly TableModel _model;
    private readonly ManualTime _time = new();
    private readonly TableFeeds? _feeds;

    private TableSubject(TableOperations operations)
    {
        _operations = operations;
        _model = new TableModel(_time);
        _feeds = HasFeed ? new TableFeeds() : null;
    }

    private bool HasFeed => _operations.HasFlag(TableOperations.Feed);

    private TableSteps Steps => field ??= new TableSteps(_model, _operations, _time, Random, Log.Add);

    internal static TableSubject Make(int seed, TableOperations operations, CutTally tally) => new(operations)
    {
        Random = new Random(seed),
        Tally = tally,
        Endings = [.. AllEndings.Where(pair => operations.HasFlag(pair.Operation)).Select(static pair => pair.Ending)],
        Refuses = operations.HasFlag(TableOperations.Refuse),
        FillsDisk = operations.HasFlag(TableOperations.FullDisk),
    };

    internal override OpenTables Open(string directory, Guid boot, SimulatedDisk? disk = null) =>
        new(directory, boot, disk, _time, waits: !_operations.HasFlag(TableOperations.WhileRebuilding) || Random.Next(2) == 0, HasFeed);

    // The pile alone recovers no pages by itself, or not many.
    internal override IDisposable OpenBriefly(string directory, Guid boot, SimulatedDisk? disk)
    {
        if (Random.Next(3) == 0)
        {
            var tables = new OpenTables(directory, boot, disk, _time, waits: false, HasFeed);
            tables.WaitUntilReady();
            HoldStill(tables);
            return tables;
        }
        Pile pile = Pile.Open(
            directory,
            new PileOptions { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, BootId = boot, FileHook = disk, WarmupBytesPerSecond = 1 });
        pile.Recovery.Pause();
        return pile;
    }

    internal override void CopyKilled(string from, string to) => KilledPile.Copy(from, to);

    internal override void HoldStill(OpenTables opened) => opened.Pile.Recovery.Pause();

    internal override void Burst(OpenTables opened)
    {
        Steps.Burst(opened);
        Log.Beginning?.Invoke(); // images from within the last step are of what readers knew before
        _feeds?.Read(opened);
    }

    internal override bool Flush(OpenTables opened)
    {
        opened.Pile.Flush();
        return true;
    }

    internal override bool IsRefusal(Exception exception) => exception is PileStorageException;

    internal override int BeginFlush() => _model.BeginFlush();

    internal override void EndFlush(int begin) => _model.EndFlush(begin);

    internal override void AfterStart(OpenTables opened)
    {
        opened.WaitUntilReady();
        if (!_operations.HasFlag(TableOperations.Evict))
            return;
        opened.Limit();
        Steps.RecordEvicted(opened);
    }

    internal override void CheckAll(OpenTables opened, string where)
    {
        Steps.StepWhileRebuilding(opened);
        _model.CheckAll(opened, where, Tally);
        _feeds?.CheckAll(opened, where, Tally);
    }

    internal override void CheckCut(OpenTables opened, string where)
    {
        _model.CheckCut(opened, where, Tally);
        _feeds?.CheckCut(opened, where, Tally);
    }

    internal override void ContinueFrom(OpenTables opened)
    {
        _model.Accept(opened);
        _feeds?.ContinueFrom(opened);
    }

    internal override void CheckImage(string image, string where, Guid boot, ulong mark)
    {
        using (OpenTables tables = Open(image, boot))
        {
            CheckCut(tables, where);
            tables.Pile.Recovery.Completion.Wait();
            Tally.Faults += tables.Pile.Recovery.FaultCount;
            Tally.Restored += tables.Pile.Recovery.RestoredCount;
            CheckVersions(tables, where, mark);
            if (Random.Next(3) == 0)
                CheckTags(tables, where);
            if (Random.Next(4) == 0)
                CheckNothingStays(tables, where);
        }
        PileVerification verification = Pile.VerifyDirectory(image);
        if (!verification.IsSound)
            Tally.Find("unsound", $"{where}: {string.Join("; ", verification.Faults.Take(3))}");
    }

    internal override ulong Mark() => _model.LastVersion;

    private void CheckVersions(OpenTables tables, string where, ulong last)
    {
        const long newKey = 1_000_000;
        tables[0].PutBytes(newKey, [1], out EntryInfo info);
        if (info.Version <= last)
            Tally.Find("wrong", $"{where}: a new entry has version {info.Version}, and {last} was given before");
        tables[0].Remove(newKey);
    }

    // What is removed by a tag is what had it, no more and no less.
    private void CheckTags(OpenTables tables, string where)
    {
        string tag = TableSteps.AnyTag(Random);
        Dictionary<TableKey, string?> tags = _model.TagsOf(tables);
        for (int i = 0; i < tables.Count; i++)
            tables[i].RemoveByTag(tag);
        HashSet<TableKey> left = [.. tables.ReadAll().Keys];
        foreach ((TableKey key, string? itsTag) in tags.Where(pair => left.Contains(pair.Key) == (pair.Value == tag)))
        {
            string outcome = left.Contains(key) ? "there" : "gone";
            Tally.Find("wrong", $"{where}: {key} with the tag {itsTag} is {outcome} after {tag} was removed");
        }
    }

    private void CheckNothingStays(OpenTables tables, string where)
    {
        for (int i = 0; i < tables.Count; i++)
        {
            tables[i].Clear();
            tables[i].Sweep();
        }
        _model.CheckEmpty(tables, where, Tally);
    }
}
