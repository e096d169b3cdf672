using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>One call of a factory, for those keys of a request that no level has.</summary>
/// <remarks>
/// Each key has a run of its own, which asks the levels and joins the batch if it needs the factory. The factory runs once all of
/// them have asked. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class HybridBatch<T>
{
    private const int MostNamed = 3; // keys in a message

    private readonly Func<IReadOnlyList<string>, CancellationToken, ValueTask<IReadOnlyDictionary<string, T>>> _factory;
    private readonly SharedRun<IReadOnlyDictionary<string, T>> _shared;
    private readonly TaskCompletionSource _allHaveAsked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<string> _wanted = []; // guarded by itself until all have asked
    private int _asking; // runs that still ask the levels; guarded by _wanted

    internal HybridBatch(
        CacheTable table, IReadOnlyCollection<string> keys,
        Func<IReadOnlyList<string>, CancellationToken, ValueTask<IReadOnlyDictionary<string, T>>> factory)
    {
        Debug.Assert(keys.Count > 0, "Without keys nobody would say that all have asked.");
        _factory = factory;
        _shared = new SharedRun<IReadOnlyDictionary<string, T>>(table, string.Join(", ", keys.Take(MostNamed)), isOneCall: true);
        _asking = keys.Count;
    }

    /// <summary>Begins, and waits for all values.</summary>
    internal Task RunAsync(CancellationToken cancellation) => _shared.RunAsync(MakeAsync, static () => { }, cancellation);

    /// <summary>States that a key's run has found its value.</summary>
    internal void Leave() => EndAsking(null);

    /// <summary>Has a key's value made.</summary>
    /// <returns>The values of all keys that have one.</returns>
    internal async ValueTask<IReadOnlyDictionary<string, T>> MakeAsync(string key, CancellationToken abandoned)
    {
        bool isJoined = _shared.TryJoin(out Task<IReadOnlyDictionary<string, T>>? values, abandoned); // before the factory can run
        EndAsking(isJoined ? key : null);
        return isJoined
            ? await values!.ConfigureAwait(false)
            : await CallAsync([key], abandoned).ConfigureAwait(false); // the caller has gone, and others wait for this key
    }

    private void EndAsking(string? wanted)
    {
        lock (_wanted)
        {
            if (wanted != null)
                _wanted.Add(wanted);
            Debug.Assert(_asking > 0, "Each run asks once.");
            if (--_asking != 0)
                return;
        }
        _allHaveAsked.SetResult();
    }

    private async ValueTask<IReadOnlyDictionary<string, T>> MakeAsync(CancellationToken abandoned)
    {
        await _allHaveAsked.Task.WaitAsync(abandoned).ConfigureAwait(false);
        return _wanted.Count == 0 ? new Dictionary<string, T>() : await CallAsync(_wanted, abandoned).ConfigureAwait(false);
    }

    private async ValueTask<IReadOnlyDictionary<string, T>> CallAsync(IReadOnlyList<string> keys, CancellationToken abandoned)
    {
        IReadOnlyDictionary<string, T>? values =
            await _shared.RunFactoryAsync(stop => _factory(keys, stop), abandoned).ConfigureAwait(false);
        abandoned.ThrowIfCancellationRequested(); // since nobody waits for them, nobody may find them
        return values ?? throw new InvalidOperationException("The factory returned null; it must return a dictionary of values.");
    }
}
