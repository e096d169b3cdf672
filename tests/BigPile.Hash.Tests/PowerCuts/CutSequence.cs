using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;
using BigPile.Hash.Checking;

namespace BigPile.Hash.Tests.PowerCuts;

/// <summary>
/// A few operations on two keys, whose records reuse each other's extents; the power is cut between stores, and at the end.
/// </summary>
/// <param name="steps">A letter each: see <see cref="Letters"/>.</param>
/// <param name="random">Draws which sectors reach the disk, and now and then what is not named.</param>
/// <param name="tally">Takes what is found.</param>
/// <param name="kind">The kind of file.</param>
internal sealed class CutSequence(string steps, Random random, CutTally tally, BlockFileKind kind)
{
    /// <summary>
    /// a, b: set a key; A, B: remove it; y: synchronize; k: kill, and open during the same start of the machine; o: close and open;
    /// r: rebuild; c: clear.
    /// </summary>
    internal const string Letters = "abAByykorc";

    private static readonly CutKind[] EndKinds =
    [
        CutKind.Nothing, CutKind.Everything, CutKind.Sectors, CutKind.Pages, CutKind.PageWords, CutKind.AllButPageWords,
        CutKind.FreedHeaders,
    ];

    private readonly CutModel _model = new();
    private readonly ScratchDirectory _scratch = new();
    private readonly Queue<string> _images = new();
    private readonly Guid _boot = Guid.NewGuid();
    private string _directory = "";
    private SimulatedDisk _disk = null!;
    private HashDatabase _database = null!;
    private readonly int _valueBytes = random.Next(2) == 0 ? 40 : 700; // in the same sectors, or each in its own
    private int _names;
    private bool _wasEverSynchronized;

    internal void Run()
    {
        using var watch = new CrashPointScope<HashCrashPoint>(_ => AddImageSeldom());
        using (_scratch)
        {
            _directory = _scratch.At("life0");
            _disk = new SimulatedDisk(_directory, random);
            _database = Open(_directory, _boot, _disk);
            for (int i = 0; i < steps.Length; i++)
            {
                Step(steps[i]);
                CheckImages($"{kind}, {steps[..i]}[{steps[i]}]");
            }
            foreach (CutKind cut in EndKinds)
                AddImage(cut);
            CheckImages($"{kind}, {steps}");
            _database.Dispose();
            _disk.Forget();
        }
    }

    private void Step(char step)
    {
        int begin = _model.BeginFlush();
        switch (step)
        {
            case 'a' or 'b':
                byte[] value = Some.Bytes(random.Next(), _valueBytes);
                _model.Record(step, value);
                _database.Set(Some.Key(step), value);
                break;
            case 'A' or 'B':
                _model.Record(char.ToLowerInvariant(step), null);
                _database.Remove(Some.Key(char.ToLowerInvariant(step)));
                break;
            case 'y':
                _database.Synchronize();
                break;
            case 'k':
                Kill();
                break;
            case 'o':
                _database.Dispose();
                _database = Open(_directory, _boot, _disk);
                break;
            case 'r':
                _database.Rebuild();
                break;
            default:
                _model.RecordClear();
                _database.Clear();
                break;
        }
        if (step == 'k' || step == 'o')
            _model.CheckAll(_database, steps, tally);
        _wasEverSynchronized |= step == 'y';
        if (step != 'y' && (step != 'o' || !_wasEverSynchronized))
            return; // to close it makes it durable only where somebody has asked for that before
        CheckImages($"{kind}, {steps}, in a synchronization or a close"); // it promises nothing before it returns
        _model.EndFlush(begin);
    }

    private void Kill()
    {
        string directory = _scratch.At($"life{++_names}");
        PileFiles.Copy(_directory, directory);
        _disk.MoveTo(directory);
        HashDatabase before = _database;
        _database = Open(directory, _boot, _disk);
        _directory = directory;
        before.Dispose();
    }

    private HashDatabase Open(string directory, Guid boot, SimulatedDisk? disk) =>
        HashDatabase.Open(Path.Combine(directory, HashSubject.FileName), new HashDatabaseOptions
        {
            FileKind = kind,
            Tuning = Some.FewBuckets,
            BootId = boot,
            Hook = disk,
        });

    private void AddImageSeldom()
    {
        if (random.Next(6) == 0)
            AddImage(CutImages<HashDatabase>.AnyKind(random));
    }

    private void AddImage(CutKind cut)
    {
        string image = _scratch.At($"image{++_names}");
        _disk.Cut(image, cut);
        _images.Enqueue(image);
    }

    private void CheckImages(string where)
    {
        while (_images.TryDequeue(out string? image))
        {
            try
            {
                CheckImage(image, where);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                tally.Find("failed", $"{where}: {e}");
            }
            Directory.Delete(image, recursive: true);
        }
    }

    private void CheckImage(string image, string where)
    {
        tally.Images++;
        using var unwatched = new CrashPointScope<HashCrashPoint>(static _ => { });
        using HashDatabase database = Open(image, Guid.NewGuid(), null);
        _model.CheckCut(database, where, tally);
        HashVerification verification = database.Verify();
        if (!verification.IsSound)
            tally.Find("unsound", $"{where}: {string.Join("; ", verification.Problems.Take(3))}");
    }
}
