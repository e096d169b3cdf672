using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Loads;

/// <summary>The insert load: put, enumerate, get in sequence and at random, delete; once to warm up, then measured.</summary>
internal sealed class InsertLoad<TKind> : IDisposable
    where TKind : struct, IPayloadKind<TKind>
{
    private readonly InsertOptions _options;
    private readonly WorkDirectory? _directory;
    private readonly TKind _kind;
    private readonly Worker[] _workers;
    private readonly LoadLayout _layout;
    private readonly ObjectPhases<TKind> _phases;
    private readonly WorkerTeam _team;

    internal InsertLoad(
        InsertOptions options, TKind kind, WorkDirectory? directory, long limitBytes, ILoadProgress progress, CancellationToken stop)
    {
        _options = options;
        _directory = directory;
        _kind = kind.ForThread();
        _workers = Worker.Divide(options.Count, options.Threads);
        _layout = new LoadLayout(options.Payload.LengthBytes, options.Threads);
        var pileOptions = new PileOptions { Store = options.Store, Directory = directory?.PilePath, MaxBytes = limitBytes,
            Codec = options.Codec.Make() };
        _phases = new ObjectPhases<TKind>(pileOptions, kind, options, _layout, stop);
        _team = new WorkerTeam(_workers, _layout.BatchObjects, progress, stop);
    }

    /// <summary>Runs both rounds.</summary>
    internal InsertReport Run()
    {
        int anchors = _workers.Sum(_layout.CountAnchors);
        double firstPutSeconds = WarmUp(anchors);

        double putSeconds = _team.Run("put", _phases.PutAroundAnchors);
        PileStatistics full = CheckCount(_options.Count);
        double enumerateSeconds = Enumerate("enumerate");
        double getSeconds = _team.Run("get in sequence", _phases.Get);
        double randomGetSeconds = _team.Run("get at random", _phases.GetAtRandom);
        double batchGetSeconds = _team.Run("get many at random", _phases.GetManyAtRandom);
        double fullCollectionMs = FullCollection.MeasureLongestMs();
        long managedBytes = GC.GetTotalMemory(forceFullCollection: false);
        RestartFigures? restart = _directory == null ? null : Restart(_directory);
        double deleteSeconds = _team.Run("delete", _phases.Delete);
        CheckCount(0);

        return new InsertReport
        {
            Store = _options.Store.ToString().ToLowerInvariant(),
            Payload = _options.Codec == LoadCodec.Bigpile
                ? _options.Payload.ToString()
                : $"{_options.Payload} by {LoadOption.NameOf(_options.Codec)}",
            Count = _options.Count,
            Threads = _options.Threads,
            Directory = _directory?.Path,
            PutPerSecond = Figure.PerSecond(_options.Count - anchors, putSeconds),
            EnumeratePerSecond = Figure.PerSecond(_options.Count, enumerateSeconds),
            GetPerSecond = Figure.PerSecond(_options.Count, getSeconds),
            RandomGetPerSecond = Figure.PerSecond(_options.Count, randomGetSeconds),
            RandomBatchGetPerSecond = Figure.PerSecond(_options.Count, batchGetSeconds),
            DeletePerSecond = Figure.PerSecond(_options.Count, deleteSeconds),
            BytesPerObject = Math.Round((double)full.CommittedBytes / full.ObjectsSoFar, 2),
            ReservedBytes = full.ReservedBytes,
            FullCollectionMs = Figure.Rounded(fullCollectionMs, 3),
            ManagedBytes = managedBytes,
            FlushSeconds = restart?.FlushSeconds,
            OpenSeconds = restart?.OpenSeconds,
            ReadBackSeconds = restart?.ReadBackSeconds,
            FirstTouchPutPerSecond = Figure.PerSecond(_options.Count, firstPutSeconds),
        };
    }

    public void Dispose()
    {
        _team.Dispose();
        _phases.Dispose();
    }

    private double WarmUp(int anchors)
    {
        double putSeconds = _team.Run("first put", _phases.Put);
        CheckCount(_options.Count);
        Enumerate("warm up: enumerate");
        _team.Run("warm up: get in sequence", _phases.Get);
        _team.Run("warm up: get at random", _phases.GetAtRandom);
        _team.Run("warm up: get many at random", _phases.GetManyAtRandom);
        _team.Run("warm up: delete", _phases.DeleteAroundAnchors);
        CheckCount(anchors);
        return putSeconds;
    }

    private double Enumerate(string phase)
    {
        double seconds = _team.RunAlone(phase, _phases.Enumerate);
        if (_phases.EnumeratedCount != _options.Count)
            throw WrongCount("An enumeration", _phases.EnumeratedCount, _options.Count);
        return seconds;
    }

    private RestartFigures Restart(WorkDirectory directory)
    {
        long flushStart = Stopwatch.GetTimestamp();
        _phases.Pile.Flush();
        double flushSeconds = SecondsSince(flushStart);
        _phases.Dispose();

        long openStart = Stopwatch.GetTimestamp();
        _phases.Reopen(directory.PilePath);
        bool isIntact = _kind.IsIntact(_phases.Pile, _phases.FirstPointer, 0);
        double openSeconds = SecondsSince(openStart);
        if (!isIntact)
            throw new LoadException("The first object came back as another one after the pile was opened again.");

        double readBackSeconds = _team.Run("read everything back", _phases.Get);
        return new RestartFigures(flushSeconds, openSeconds, Figure.Rounded(readBackSeconds, 6));
    }

    private PileStatistics CheckCount(long expected)
    {
        PileStatistics statistics = _phases.Pile.Statistics;
        return statistics.ObjectsSoFar == expected ? statistics : throw WrongCount("The pile", statistics.ObjectsSoFar, expected);
    }

    private static LoadException WrongCount(string who, long actual, long expected) =>
        new(string.Create(CultureInfo.InvariantCulture, $"{who} has {actual:N0} objects where {expected:N0} are. The pile is at fault."));

    private static double SecondsSince(long start) => Figure.Rounded(Stopwatch.GetElapsedTime(start).TotalSeconds, 6);
}

/// <summary>Runs an insert load and releases everything afterwards, however it ends.</summary>
internal static class InsertRunner
{
    /// <summary>Runs the load.</summary>
    internal static InsertReport Run(InsertOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, options.Directory);
        long limitBytes = MachineLimits.LimitFor(options, directory);
        try
        {
            return options.Payload.Shape switch
            {
                PayloadShape.Text => Run(options, new TextKind(options.Payload.LengthBytes), directory, limitBytes, progress, stop),
                PayloadShape.Bytes => Run(options, new BytesKind(options.Payload.LengthBytes), directory, limitBytes, progress, stop),
                _ => Run(options, new PersonKind(), directory, limitBytes, progress, stop),
            };
        }
        catch (PileFullException e)
        {
            string reason = e.InnerException?.Message ?? string.Create(CultureInfo.InvariantCulture, $"the limit is {limitBytes:N0} bytes");
            throw Full(options, reason, e);
        }
        catch (OutOfMemoryException e)
        {
            throw Full(options, e.Message, e);
        }
    }

    private static InsertReport Run<TKind>(
        InsertOptions options, TKind kind, WorkDirectory? directory, long limitBytes, ILoadProgress progress, CancellationToken stop)
        where TKind : struct, IPayloadKind<TKind>
    {
        Rehearsal.Run(options, kind, stop);
        using var load = new InsertLoad<TKind>(options, kind, directory, limitBytes, progress, stop);
        return load.Run();
    }

    private static LoadException Full(InsertOptions options, string reason, Exception cause)
    {
        string remedy = options.Store == StoreKind.Mapped ? "name a --dir on a larger disk" : "use --store mapped";
        return new LoadException(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The pile is full before --count {options.Count} of {options.Payload} was reached: {reason.TrimEnd('.')}. "
                + $"Lower --count or the size of --payload, or {remedy}."),
            cause);
    }
}

/// <summary>What it costs a mapped pile to be closed and opened again, in seconds.</summary>
/// <param name="FlushSeconds">Until all is durable.</param>
/// <param name="OpenSeconds">From the call that opens it to the first object.</param>
/// <param name="ReadBackSeconds">Getting everything in sequence after that.</param>
internal sealed record RestartFigures(double FlushSeconds, double OpenSeconds, double ReadBackSeconds);

/// <summary>The warm-up: runs all phases repeatedly on a small pile of its own before the load.</summary>
/// <remarks>
/// The runtime optimizes a method only after many calls, and takes up to half a second for that when all cores are busy. Without a warm-up
/// the figure of the first puts is that of unoptimized code: 6 M a second instead of 17. Without tiered compilation there is no profile,
/// and puts and gets of the measured round are a quarter slower.
/// </remarks>
internal static class Rehearsal
{
    private const long SegmentBytes = 16 << 20;
    private const int MaxPayloadBytes = 4 << 20;
    private const int MaxObjects = 16_384;

    private static readonly int Rounds = Brevity.Of(usual: 60, brief: 1); // each of two tiers needs 30 calls

    internal static void Run<TKind>(InsertOptions options, TKind kind, CancellationToken stop)
        where TKind : struct, IPayloadKind<TKind>
    {
        int count = Math.Min(options.Count, Math.Min(MaxPayloadBytes / options.Payload.LengthBytes, MaxObjects));
        if (count == 0)
            return; // for large objects copying dominates
        InsertOptions small = options with { Count = count };
        var layout = new LoadLayout(options.Payload.LengthBytes, options.Threads);
        StoreKind store = options.Store == StoreKind.Mapped ? StoreKind.Native : options.Store;
        var pileOptions = new PileOptions { Store = store, SegmentBytes = SegmentBytes, Codec = options.Codec.Make() };
        using var phases = new ObjectPhases<TKind>(pileOptions, kind, small, layout, stop);
        using var team = new WorkerTeam(Worker.Divide(count, options.Threads), layout.BatchObjects, new NoProgress(), stop);
        for (int i = 0; i < Rounds; i++)
        {
            team.Run("put", phases.Put);
            team.RunAlone("enumerate", phases.Enumerate);
            team.Run("get in sequence", phases.Get);
            team.Run("get at random", phases.GetAtRandom);
            team.Run("delete", phases.Delete);
        }
    }
}
