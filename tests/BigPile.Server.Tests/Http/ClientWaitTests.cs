using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Tests;
using BigPile.Http.Limits;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Http;

/// <summary>Requests that wait for their clients, and are aborted.</summary>
public sealed class ClientWaitTests
{
    private readonly ManualTime _time = new();

    /// <summary>Its context may be that of another request as soon as it has ended.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_does_not_end_while_it_is_aborted(bool fails)
    {
        using var waits = new ClientWaits(_time, null);
        using var lifetime = new SlowAbort();
        var context = new DefaultHttpContext { RequestServices = new ServiceCollection().AddSingleton(waits).BuildServiceProvider() };
        context.Features.Set<IHttpRequestLifetimeFeature>(lifetime);
        var operation = new TaskCompletionSource<int>();
        Task<int> request = ClientWaits.ForAsync(context, new ValueTask<int>(operation.Task), holdsQuota: true).AsTask();
        Task advance = SideBySide.Start(() => _time.Advance(ClientWaits.MaxHold + TimeSpan.FromSeconds(1)));
        Assert.True(lifetime.Begun.Wait(Eventually.Timeout));
        if (fails)
            operation.SetException(new IOException("The client has gone."));
        else
            operation.SetResult(1);
        Assert.False(request.IsCompleted);
        lifetime.Release.Set();
        await advance;
        await Assert.ThrowsAnyAsync<Exception>(() => request.WaitAsync(Eventually.Timeout));
        Assert.True(lifetime.HasEnded);
    }

    private sealed class SlowAbort : IHttpRequestLifetimeFeature, IDisposable
    {
        internal ManualResetEventSlim Begun { get; } = new();

        internal ManualResetEventSlim Release { get; } = new();

        internal bool HasEnded { get; private set; }

        public CancellationToken RequestAborted { get; set; }

        public void Abort()
        {
            Begun.Set();
            Release.Wait(Eventually.Timeout);
            HasEnded = true;
        }

        public void Dispose()
        {
            Begun.Dispose();
            Release.Dispose();
        }
    }
}
