using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using BigPile.Http.Security;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Limits that the fast path and the full stack share: concurrent requests, and the permits of keys.</summary>
public sealed class SharedLimitTests : IAsyncLifetime
{
    private const string Small = "GET /v1/tables/t/entries/a HTTP/1.1\r\nHost: h\r\n\r\n";
    private const string Large = "GET /v1/tables/t/entries/large HTTP/1.1\r\nHost: h\r\n\r\n";
    private const string Unknown = "GET /v1/tables/t/entries/a?maxAge=1 HTTP/1.1\r\nHost: h\r\n\r\n";
    private const int PauseBytes = 16 << 10;

    private readonly RequestLoad _load = new(1);
    private readonly StackStub _stack = new();
    private ServedApp _app = null!;

    public async Task InitializeAsync()
    {
        _app = await ServedApp.StartAsync(isFast: false);
        _app.Put("a", new byte[1_000]);
        _app.Put("large", new byte[EntryReader.MaxSmallValueBytes + 1]);
    }

    public async Task DisposeAsync()
    {
        _stack.End();
        await _app.DisposeAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_that_takes_no_answers_counts_until_it_takes_them_or_is_gone(bool takes)
    {
        using var slow = new MemoryConnection(_app, _stack.RunAsync, PauseBytes, load: _load);
        await slow.SendAsync(string.Concat(Enumerable.Repeat(Small, 20)));
        Assert.Equal(1, _load.Running);

        using (var other = new MemoryConnection(_app, _stack.RunAsync, load: _load))
        {
            await other.SendAsync(Small);
            Assert.Equal("", other.Receive());
            Assert.Equal(Small, await _stack.TakeAsync(Small.Length)); // it is the stack that refuses
        }
        Assert.Equal(1, _load.Running);

        if (takes)
            Assert.Equal(20, slow.Receive().Split("HTTP/1.1 200").Length - 1);
        else
            await slow.Output.CompleteAsync();
        Assert.Equal(0, _load.Running);
        using var third = new MemoryConnection(_app, _stack.RunAsync, load: _load);
        await third.SendAsync(Small);
        Assert.StartsWith("HTTP/1.1 200", third.Receive(), StringComparison.Ordinal);
        Assert.Equal(0, _load.Running);
    }

    [Fact]
    public async Task What_is_handed_over_is_counted_by_the_stack_alone()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync, load: _load);
        await connection.SendAsync(Small + Large);
        Assert.StartsWith("HTTP/1.1 200", connection.Receive(), StringComparison.Ordinal);
        Assert.Equal(Large, await _stack.TakeAsync(Large.Length));
        Assert.True(_load.TryEnter());
        _load.Leave();
    }

    [Fact]
    public async Task A_permit_that_the_door_took_is_good_for_that_one_request()
    {
        BigPileKey key = BigPileKey.Create("one", KeyScopes.Read, out string credential) with { RequestsPerSecond = 0.001, Burst = 3 };
        var ring = new KeyRing([key], _app.Time);
        using var connection = new MemoryConnection(_app, _stack.RunAsync, guard: ring);
        string paid = WithKey(Large, credential);
        string unpaid = WithKey(Unknown, credential);

        await connection.SendAsync(paid);
        IHandoverFeature handover = _stack.Connection!.Features.Get<IHandoverFeature>()!;
        Assert.True(handover.TakePermit());
        Assert.False(handover.TakePermit());

        await NextAsync(connection, paid, unpaid);
        Assert.False(handover.TakePermit());

        await NextAsync(connection, unpaid, paid); // no one asks for this one's permit
        await NextAsync(connection, paid, unpaid);
        Assert.False(handover.TakePermit());

        await NextAsync(connection, unpaid, paid);
        Assert.True(handover.TakePermit());
        await NextAsync(connection, paid, paid);
        Assert.False(handover.TakePermit()); // there was none left: the stack says so
    }

    private async Task NextAsync(MemoryConnection connection, string request, string next)
    {
        Assert.Equal(request, await _stack.TakeAsync(request.Length));
        await _stack.AnswerAsync("x");
        await connection.SendAsync(next);
        ValueTask<System.IO.Pipelines.ReadResult> read = _stack.Input.ReadAsync();
        System.IO.Pipelines.ReadResult found = await read;
        Assert.Equal(next.Length, found.Buffer.Length);
        _stack.Input.AdvanceTo(found.Buffer.Start);
    }

    private static string WithKey(string request, string credential) =>
        new StringBuilder(request).Insert(request.Length - 2, $"Authorization: Bearer {credential}\r\n").ToString();
}
