using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using Xunit.Abstractions;

namespace BigPile.Tests.Codec;

/// <summary>The queue of deferred objects beside a queue of the framework as its model, checked after every step.</summary>
public sealed class WorkQueueTests(ITestOutputHelper output)
{
    private const int Seed = 39;

    // More than the queue keeps when it is reset.
    private const int BurstMost = 5000;

    [Fact]
    public void ItemsComeOutInTheirOrder()
    {
        int seed = TestLeg.Seed(Seed);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var queue = new WorkQueue<object>();
        var model = new Queue<object>();
        int added = 0;
        for (int step = 0; step < TestLeg.Steps(3_000, 100_000); step++)
        {
            int burst = random.Next(20) == 0 ? random.Next(BurstMost) : random.Next(20);
            added = Step(random.Next(20), burst, queue, model, added);
            Assert.Equal(added, queue.Added);
            queue.CheckInvariants();
        }
    }

    private static int Step(int kind, int burst, WorkQueue<object> queue, Queue<object> model, int added)
    {
        switch (kind)
        {
            case 0:
                queue.Reset();
                model.Clear();
                return 0;
            case < 10:
                for (int i = 0; i < burst; i++)
                {
                    var item = new object();
                    queue.Enqueue(item);
                    model.Enqueue(item);
                }
                return added + burst;
            default:
                for (int i = 0; i < burst; i++)
                {
                    Assert.Equal(model.TryDequeue(out object? expected), queue.TryDequeue(out object item));
                    Assert.Same(expected, item);
                }
                return added;
        }
    }
}
