using System;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Tests;

public class WorkerTeamTests
{
    [Theory]
    [InlineData(1, 1, 1)]
    [InlineData(1000, 3, 64)]
    [InlineData(1000, 7, 1)]
    [InlineData(3, 8, 10)]
    public void Every_object_comes_exactly_once_in_each_phase(int count, int threads, int batchObjects)
    {
        int[] visits = new int[count];
        using var team = new WorkerTeam(Worker.Divide(count, threads), batchObjects, new NoProgress(), CancellationToken.None);
        for (int round = 1; round <= 3; round++)
        {
            double seconds = team.Run("visit", (_, start, end) => Visit(visits, start, end));
            Assert.True(seconds >= 0);
            Assert.All(visits, visit => Assert.Equal(round, visit));
        }
    }

    [Fact]
    public void A_phase_alone_is_one_batch_of_the_first_worker()
    {
        int[] visits = new int[1000];
        using var team = new WorkerTeam(Worker.Divide(visits.Length, 3), 10, new NoProgress(), CancellationToken.None);
        team.RunAlone("visit", (worker, start, end) =>
        {
            Assert.Equal(0, worker.Index);
            Visit(visits, start, end);
        });
        Assert.All(visits, visit => Assert.Equal(1, visit));
    }

    [Fact]
    public void A_failure_of_a_worker_reaches_the_caller()
    {
        using var team = new WorkerTeam(Worker.Divide(1000, 3), 10, new NoProgress(), CancellationToken.None);
        Assert.Throws<FormatException>(() => team.Run("fail", (worker, _, _) =>
        {
            if (worker.Index == 1)
                throw new FormatException();
        }));
    }

    [Fact]
    public void A_stop_ends_the_phase_between_two_batches()
    {
        using var stop = new CancellationTokenSource();
        int[] visits = new int[1000];
        using var team = new WorkerTeam(Worker.Divide(visits.Length, 1), 10, new NoProgress(), stop.Token);
        Assert.Throws<OperationCanceledException>(() => team.Run("stop", (_, start, end) =>
        {
            Visit(visits, start, end);
            if (start == 500)
                stop.Cancel();
        }));
        Assert.Equal(510, visits.Sum());
    }

    private static void Visit(int[] visits, int start, int end)
    {
        for (int i = start; i < end; i++)
            Interlocked.Increment(ref visits[i]);
    }
}
