using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Deploy;

/// <summary>
/// The acknowledged changes of each key, one after the other, and reads that detect a value older than the last one acknowledged when they
/// began.
/// </summary>
internal sealed class CacheTruth(NodeCluster cluster, int keyCount)
{
    private readonly int[] _acknowledged = new int[keyCount]; // the number of the last change; a key's changes have numbers from 1 on
    private readonly int[] _begun = new int[keyCount];
    private long _older;
    private long _found;
    private long _missed;
    private long _refused;
    private long _changes;
    private string _first = "";

    internal int KeyCount => keyCount;

    internal long Older => Interlocked.Read(ref _older);

    internal long Found => Interlocked.Read(ref _found);

    /// <summary>Changes a key, and tries again until that is acknowledged.</summary>
    internal async Task ChangeAsync(int key, bool isDeletion, CancellationToken stop)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(stop);
        timeout.CancelAfter(Eventually.Timeout);
        while (!await TryChangeAsync(key, ++_begun[key], isDeletion, timeout.Token))
        {
            Interlocked.Increment(ref _refused);
            await Task.Delay(100, timeout.Token);
        }
        Volatile.Write(ref _acknowledged[key], _begun[key]);
        Interlocked.Increment(ref _changes);
    }

    /// <summary>Reads a key.</summary>
    internal async Task ReadAsync(int key)
    {
        int least = Volatile.Read(ref _acknowledged[key]);
        try
        {
            using HttpResponseMessage answer = await cluster.Client.GetAsync(cluster.UriOf(PathOf(key)));
            if (answer.StatusCode != HttpStatusCode.OK)
            {
                Interlocked.Increment(ref answer.StatusCode == HttpStatusCode.NotFound ? ref _missed : ref _refused);
                return;
            }
            string[] parts = (await answer.Content.ReadAsStringAsync()).Split(':');
            Interlocked.Increment(ref _found);
            if (int.Parse(parts[1], CultureInfo.InvariantCulture) < least && Interlocked.Increment(ref _older) == 1)
                _first = $"key {key} had its change {parts[1]} where {least} was acknowledged";
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException)
        {
            Interlocked.Increment(ref _refused);
        }
    }

    internal Task ChangeAllAsync(int[] keys, Func<int, bool> isDeletion) => Parallel.ForEachAsync(
        keys, new ParallelOptions { MaxDegreeOfParallelism = 24 },
        async (key, _) => await ChangeAsync(key, isDeletion(key), CancellationToken.None));

    internal Task ReadAllAsync() => Parallel.ForEachAsync(
        Enumerable.Range(0, keyCount), new ParallelOptions { MaxDegreeOfParallelism = 24 }, async (key, _) => await ReadAsync(key));

    /// <summary>The keys that a node has, by its own word.</summary>
    internal async Task<int[]> OwnedByAsync(int node)
    {
        var owned = new ConcurrentBag<int>();
        await Parallel.ForEachAsync(
            Enumerable.Range(0, keyCount), new ParallelOptions { MaxDegreeOfParallelism = 24 }, async (key, _) =>
            {
                using HttpResponseMessage answer = await cluster.Client.GetAsync(cluster.UriOf(node, PathOf(key), isDirect: true));
                if (answer.StatusCode == HttpStatusCode.OK)
                    owned.Add(key);
            });
        return [.. owned];
    }

    /// <summary>How many of some keys the proxy finds.</summary>
    internal async Task<int> CountFoundAsync(IEnumerable<int> keys)
    {
        int found = 0;
        foreach (int key in keys)
        {
            using HttpResponseMessage answer = await cluster.Client.GetAsync(cluster.UriOf(PathOf(key)));
            if (answer.StatusCode == HttpStatusCode.OK)
                found++;
        }
        return found;
    }

    /// <summary>Returns when a node is given what is put of its keys, by changing one of them again and again.</summary>
    internal Task ServesAsync(int node, int key) => Eventually.TrueAsync(async () =>
    {
        await ChangeAsync(key, isDeletion: false, CancellationToken.None);
        try
        {
            using var soon = new CancellationTokenSource(TimeSpan.FromSeconds(2));
            using HttpResponseMessage answer = await cluster.Client.GetAsync(cluster.UriOf(node, PathOf(key), isDirect: true), soon.Token);
            return answer.StatusCode == HttpStatusCode.OK
                && (await answer.Content.ReadAsStringAsync()).EndsWith($":{_acknowledged[key]}", StringComparison.Ordinal);
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException)
        {
            return false;
        }
    });

    public override string ToString() =>
        $"changes {_changes:N0}, found {_found:N0}, missed {_missed:N0}, refused {_refused:N0}, older {_older:N0} {_first}";

    internal static string PathOf(int key) => $"/v1/tables/truth/entries/key-{key}";

    private async Task<bool> TryChangeAsync(int key, int number, bool isDeletion, CancellationToken stop)
    {
        try
        {
            using var request = new HttpRequestMessage(isDeletion ? HttpMethod.Delete : HttpMethod.Put, cluster.UriOf(PathOf(key)));
            if (!isDeletion)
                request.Content = new StringContent($"{key}:{number}");
            using HttpResponseMessage answer = await cluster.Client.SendAsync(request, stop);
            return answer.IsSuccessStatusCode || (isDeletion && answer.StatusCode == HttpStatusCode.NotFound);
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException)
        {
            return false;
        }
    }
}
