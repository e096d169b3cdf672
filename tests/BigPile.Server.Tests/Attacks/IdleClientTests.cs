using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Attacks;

/// <summary>Clients that send nothing more, and take nothing more.</summary>
public sealed class IdleClientTests : ServerTest
{
    private const int ValueBytes = 8 << 20;

    protected override string[] Settings => ["--Server:MaxBodyBytes=8m", "--Limits:BufferedBytes=128m", "--Server:DrainSeconds=300"];

    [Fact]
    public async Task Answers_that_nobody_takes_leave_room_for_those_who_put()
    {
        (await Server.PutAsync("/v1/tables/t/entries/large", new byte[ValueBytes])).EnsureSuccessStatusCode();
        var idle = new List<Socket>();
        try
        {
            for (int i = 0; i < 20; i++)
                idle.Add(Ask("POST /v1/tables/t:mget", "{\"keys\":[\"large\"]}"));
            var quota = Server.Service<BufferQuota>();
            await Eventually.TrueAsync(() => quota.ForAnswers.UsedBytes > quota.ForAnswers.LimitBytes - (2 * ValueBytes));
            Assert.InRange(quota.ForAnswers.UsedBytes, 0, quota.LimitBytes / 2);
            (await Server.PutAsync("/v1/tables/t/entries/other", new byte[ValueBytes])).EnsureSuccessStatusCode();
        }
        finally
        {
            idle.ForEach(static socket => socket.Dispose());
        }
    }

    [Fact]
    public async Task A_stop_does_not_wait_for_clients_that_do_nothing()
    {
        (await Server.PutAsync("/v1/tables/t/entries/large", new byte[ValueBytes])).EnsureSuccessStatusCode();
        using Socket sends = Open("PUT /v1/tables/t/entries/slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nabc");
        using Socket loads = Open("POST /v1/tables/t:load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{");
        using Socket reads = Open("GET /v1/tables/t/entries/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
        using Socket exports = Open("GET /v1/tables/t:export HTTP/1.1\r\nHost: localhost\r\n\r\n");
        using Socket asks = Ask("POST /v1/tables/t:mget", "{\"keys\":[\"large\"]}");
        await Eventually.TrueAsync(() => Server.Service<RequestLoad>().Running == 5);
        long start = Stopwatch.GetTimestamp();
        await Server.DisposeAsync();
        // Not a measure of speed: the drain is five minutes, and nobody does anything.
        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Eventually.Timeout);
    }

    [Fact]
    public async Task A_wait_is_cut_when_it_holds_room_too_long_and_others_are_not()
    {
        var time = new BigPile.Caching.Tests.ManualTime();
        using var waits = new ClientWaits(time, null);
        ServiceProvider services = new ServiceCollection().AddSingleton(waits).BuildServiceProvider();
        var holding = WithLifetime(services);
        var other = WithLifetime(services);
        var never = new TaskCompletionSource<int>();
        ValueTask<int> first = ClientWaits.ForAsync(holding, new ValueTask<int>(never.Task), holdsQuota: true);
        ValueTask<int> second = ClientWaits.ForAsync(other, new ValueTask<int>(never.Task), holdsQuota: false);
        time.Advance(ClientWaits.MaxHold - TimeSpan.FromSeconds(1));
        waits.AbortSlowClients();
        Assert.False(holding.RequestAborted.IsCancellationRequested);
        time.Advance(TimeSpan.FromSeconds(1));
        waits.AbortSlowClients();
        Assert.True(holding.RequestAborted.IsCancellationRequested);
        Assert.False(other.RequestAborted.IsCancellationRequested);
        never.SetResult(7);
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await first);
        Assert.Equal(7, await second);
    }

    [Fact]
    public async Task Who_holds_room_and_moves_little_at_a_time_is_cut_off_in_the_end()
    {
        const int Bytes = 16 * 1024; // half a second's worth
        var time = new BigPile.Caching.Tests.ManualTime();
        using var waits = new ClientWaits(time, null);
        DefaultHttpContext context = WithLifetime(new ServiceCollection().AddSingleton(waits).BuildServiceProvider());
        Assert.Equal(100, await MoveAsync(TimeSpan.FromSeconds(0.5), 100));
        // What is faster than it need be earns no more than the one long wait that everybody has.
        Assert.Equal(100, await MoveAsync(TimeSpan.FromSeconds(0.1), 100));
        int transfers = await MoveAsync(TimeSpan.FromSeconds(1), 100);
        Assert.InRange(transfers, 38, 41);

        async Task<int> MoveAsync(TimeSpan pause, int times)
        {
            for (int i = 0; i < times; i++)
            {
                var more = new TaskCompletionSource<int>();
                ValueTask<int> waiting = ClientWaits.ForAsync(context, new ValueTask<int>(more.Task), holdsQuota: true);
                time.Advance(pause);
                waits.AbortSlowClients();
                more.SetResult(1);
                if (context.RequestAborted.IsCancellationRequested)
                {
                    await Assert.ThrowsAsync<OperationCanceledException>(async () => await waiting);
                    return i;
                }
                await waiting;
                ClientWaits.RecordProgress(context, Bytes);
            }
            return times;
        }
    }

    private static DefaultHttpContext WithLifetime(IServiceProvider services)
    {
        var context = new DefaultHttpContext { RequestServices = services };
        context.Features.Set<IHttpRequestLifetimeFeature>(new Lifetime());
        return context;
    }

    private Socket Ask(string request, string body) =>
        Open($"{request} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n{body}");

    private Socket Open(string request)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        socket.Connect(IPAddress.Loopback, Server.Address.Port);
        socket.Send(Encoding.ASCII.GetBytes(request));
        return socket;
    }

    private sealed class Lifetime : IHttpRequestLifetimeFeature
    {
        private readonly CancellationTokenSource _aborted = new();

        public CancellationToken RequestAborted
        {
            get => _aborted.Token;
            set => throw new NotSupportedException();
        }

        public void Abort() => _aborted.Cancel();
    }
}
