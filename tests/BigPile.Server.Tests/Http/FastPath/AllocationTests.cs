using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>A fast-path read allocates nothing.</summary>
public sealed class AllocationTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(1, "application/json")]
    [InlineData(16, "application/json")]
    [InlineData(16, "text/html")]
    public async Task Reads_at_the_door_make_no_objects(int depth, string contentType)
    {
        await using ServedApp app = await ServedApp.StartAsync(isFast: false);
        app.Put("a", new byte[1_000], contentType);
        var stack = new StackStub();
        using var connection = new MemoryConnection(app, stack.RunAsync, load: new RequestLoad(1));
        string one = "GET /v1/tables/t/entries/a HTTP/1.1\r\nHost: h\r\nUser-Agent: test\r\n\r\n"
            + "GET /v1/tables/t/entries/none HTTP/1.1\r\nHost: h\r\n\r\n";
        byte[] sent = Encoding.ASCII.GetBytes(string.Concat(System.Linq.Enumerable.Repeat(one, depth)));
        int steps = TestLeg.Steps(20_000, 1_000_000) / depth;
        Run(connection, sent, 1_000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Run(connection, sent, steps);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        long requests = 2L * depth * steps;
        output.WriteLine($"{allocated:N0} bytes for {requests:N0} requests, {depth * 2} at once");
        // The smallest object has 24 bytes. The few allocations come from code that is not fully tiered up yet.
        Assert.True(allocated <= requests, $"{allocated:N0} bytes for {requests:N0} requests.");
        Assert.Equal(requests + 2L * depth * 1_000, app.Counters.Answered);
    }

    // On one thread: the write returns when everything is answered.
    private static void Run(MemoryConnection connection, byte[] sent, int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            sent.CopyTo(connection.Input.GetSpan(sent.Length));
            connection.Input.Advance(sent.Length);
            ValueTask<FlushResult> written = connection.Input.FlushAsync();
            Assert.True(written.IsCompletedSuccessfully);
            Assert.True(connection.Output.TryRead(out ReadResult answers));
            connection.Output.AdvanceTo(answers.Buffer.End);
        }
    }
}
