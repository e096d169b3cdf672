using System;
using System.Linq;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Perf.FullPiles;

/// <summary>One kind in one pile, and the threads that load it.</summary>
internal sealed class FullLoad : IDisposable
{
    private const int ProgressSteps = 1000; // of each client

    private readonly WorkDirectory? _directory;
    private readonly PileCache _cache;

    internal FullLoad(FullKind kind, FullOptions options, long? tableBytes, int keys)
    {
        _directory = WorkDirectory.CreateFor(options.Store, requested: null);
        var pile = new Pile(options.PileOptions(_directory) with { Logger = Warnings });
        _cache = new PileCache(pile, ownsPile: true);
        FullTarget target = FullTarget.Of(kind, _cache, tableBytes, Warnings);
        Clients =
            [.. Enumerable.Range(0, FullClient.Count).Select(index => new FullClient(index, keys, options.Seed, kind, target))];
    }

    internal WarningCounter Warnings { get; } = new();

    internal FullClient[] Clients { get; }

    internal long Operations => Clients.Sum(static client => client.Operations);

    internal long Exceptions => Clients.Sum(static client => client.Exceptions);

    internal string? FirstException => Clients.Select(static client => client.FirstException).FirstOrDefault(static one => one != null);

    /// <summary>The hits of the gets in the second half.</summary>
    internal double HitRatioPercent => Math.Round(
        100.0 * Clients.Sum(static client => client.Hits) / Math.Max(1, Clients.Sum(static client => client.Gets)), 2);

    internal TableStatistics Statistics => FullTarget.StatisticsOf(_cache);

    /// <summary>Lets all clients run for a time.</summary>
    /// <returns>The seconds that it took.</returns>
    internal double Run(TimeSpan time, ILoadProgress progress, CancellationToken stop) =>
        Run("load", (client, worker) => client.Run(time, worker, stop), progress, stop);

    /// <summary>Lets each client make the operations that one of another load has made.</summary>
    internal double Repeat(FullLoad other, ILoadProgress progress, CancellationToken stop) =>
        Run("repeat", (client, worker) => client.Repeat(other.Clients[worker.Index], worker, stop), progress, stop);

    public void Dispose()
    {
        _cache.Dispose();
        _directory?.Dispose();
    }

    private double Run(string phase, Action<FullClient, Worker> run, ILoadProgress progress, CancellationToken stop)
    {
        Worker[] workers = Worker.Divide(FullClient.Count * ProgressSteps, FullClient.Count);
        using var team = new WorkerTeam(workers, ProgressSteps, progress, stop);
        return team.RunWhole(phase, (worker, _, _) => run(Clients[worker.Index], worker));
    }
}
