using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Deploy;

/// <summary>The HAProxy configuration as it is shipped, with nodes that are away at random, several at once too.</summary>
public sealed class HaproxySoakTests(NodeCluster cluster, ITestOutputHelper output) : IClassFixture<NodeCluster>
{
    private const int KeyCount = 400;
    private const int WriterCount = 8;

    [ProgramFact(NodeCluster.Proxy)]
    public async Task Reads_give_nothing_that_is_older_than_what_was_put_last_before_they_began()
    {
        int seed = TestLeg.Seed(Environment.TickCount);
        var duration = TimeSpan.FromSeconds(TestLeg.Steps(4, 240));
        output.WriteLine($"Seed {seed}");
        var truth = new CacheTruth(cluster, KeyCount);
        using var stop = new CancellationTokenSource();
        Task[] work =
        [
            .. Enumerable.Range(0, WriterCount).Select(writer => WriteAsync(truth, writer, new Random(seed + writer), stop.Token)),
            .. Enumerable.Range(0, WriterCount).Select(reader => ReadAsync(truth, new Random(seed + 100 + reader), stop.Token)),
            .. Enumerable.Range(0, NodeCluster.NodeCount).Select(
                node => ComeAndGoAsync(node, new Random(seed + 200 + node), stop.Token)),
        ];
        using var elapsed = new CancellationTokenSource(duration);
        await Task.Delay(Timeout.InfiniteTimeSpan, elapsed.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Eventually.TrueAsync(() => truth.Found > KeyCount); // on a busy machine that takes longer
        await stop.CancelAsync();
        await Task.WhenAll(work);
        await truth.ReadAllAsync();
        output.WriteLine(truth.ToString());
        Assert.True(truth.Older == 0, $"seed {seed}: {truth}");
    }

    private static async Task WriteAsync(CacheTruth truth, int writer, Random random, CancellationToken stop)
    {
        try
        {
            while (!stop.IsCancellationRequested)
                await truth.ChangeAsync((random.Next(KeyCount / WriterCount) * WriterCount) + writer, random.Next(10) == 0, stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // the last one is unknown
        }
    }

    private static async Task ReadAsync(CacheTruth truth, Random random, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
            await truth.ReadAsync(random.Next(KeyCount));
    }

    private async Task ComeAndGoAsync(int node, Random random, CancellationToken stop)
    {
        while (true)
        {
            await PauseAsync(random, 15_000, stop);
            if (stop.IsCancellationRequested)
                return;
            switch (random.Next(4))
            {
                case 0:
                    await cluster.Nodes[node].KillAsync();
                    await PauseAsync(random, 8_000, stop);
                    await cluster.StartAgainAsync(node);
                    break;
                case 1:
                    await cluster.Nodes[node].StandStillAsync(true);
                    await PauseAsync(random, 12_000, stop);
                    await cluster.Nodes[node].StandStillAsync(false);
                    break;
                case 2:
                    cluster.Relays[node].Cut();
                    await PauseAsync(random, 12_000, stop);
                    cluster.Relays[node].Mend();
                    break;
                default:
                    cluster.Relays[node].Refuse();
                    await PauseAsync(random, 4_000, stop);
                    await cluster.Relays[node].AcceptAgainAsync();
                    break;
            }
        }
    }

    private static Task PauseAsync(Random random, int maxMilliseconds, CancellationToken stop) =>
        Task.WhenAny(Task.Delay(random.Next(maxMilliseconds), stop));
}
