using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO.Pipelines;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.FastPath;
using BigPile.Http.Limits;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>
/// A fast-path connection without a socket and without a thread: what a test writes is answered before the write returns.
/// </summary>
internal sealed class MemoryConnection : IConnectionHeartbeatFeature, IConnectionLifetimeNotificationFeature, IDisposable
{
    private readonly List<(Action<object> Callback, object State)> _heartbeats = [];
    private readonly CancellationTokenSource _closing = new();
    private readonly BlockPool _blocks = new();
    private readonly DuplexPipe _client;
    private readonly DefaultConnectionContext _context;

    internal MemoryConnection(
        ServedApp app, ConnectionDelegate next, int pauseBytes = 0, IEntryGuard? guard = null, RequestLoad? load = null)
    {
        var input = new Pipe(Options(0));
        var output = new Pipe(Options(pauseBytes));
        _client = new DuplexPipe(output.Reader, input.Writer);
        _context = new DefaultConnectionContext("test", new DuplexPipe(input.Reader, output.Writer), _client);
        _context.Features.Set<IConnectionHeartbeatFeature>(this);
        _context.Features.Set<IConnectionLifetimeNotificationFeature>(this);
        IServiceProvider services = app.Services;
        var endpoint = new FastPathEndpoint(
            services, guard ?? services.GetRequiredService<IEntryGuard>(), app.Counters, Limits, app.Time,
            [], namesServer: false, variesByOrigin: false)
        {
            Load = load,
        };
        Running = new FastPathConnection(endpoint, _context).RunAsync(next);
    }

    internal static HeadLimits Limits { get; } = new(new KestrelServerLimits
    {
        KeepAliveTimeout = TimeSpan.FromSeconds(20),
        RequestHeadersTimeout = TimeSpan.FromSeconds(10),
        MinResponseDataRate = new MinDataRate(100, TimeSpan.FromSeconds(5)),
    });

    /// <summary>Ends when the connection does.</summary>
    internal Task Running { get; }

    internal bool IsAborted => _context.ConnectionClosed.IsCancellationRequested;

    internal PipeWriter Input => _client.Output;

    internal PipeReader Output => _client.Input;

    public CancellationToken ConnectionClosedRequested
    {
        get => _closing.Token;
        set => throw new NotSupportedException();
    }

    public void RequestClose() => _closing.Cancel();

    public void OnHeartbeat(Action<object> action, object state) => _heartbeats.Add((action, state));

    /// <summary>Lets seconds pass.</summary>
    internal void Beat(int count)
    {
        for (; count > 0; count--)
        {
            foreach ((Action<object> callback, object state) in _heartbeats)
                callback(state);
        }
    }

    internal async Task SendAsync(string text) => await Input.WriteAsync(Encoding.Latin1.GetBytes(text));

    /// <summary>The bytes answered since the last call.</summary>
    internal string Receive()
    {
        var text = new StringBuilder();
        while (Output.TryRead(out ReadResult result))
        {
            text.Append(Encoding.Latin1.GetString(result.Buffer.ToArray()));
            Output.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
                break;
        }
        return text.ToString();
    }

    public void Dispose()
    {
        Input.Complete();
        Output.Complete();
        _closing.Dispose();
    }

    private PipeOptions Options(int pauseBytes) => new(
        _blocks, readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, pauseWriterThreshold: pauseBytes,
        resumeWriterThreshold: pauseBytes / 2, useSynchronizationContext: false);

    private sealed class DuplexPipe(PipeReader input, PipeWriter output) : IDuplexPipe
    {
        public PipeReader Input => input;

        public PipeWriter Output => output;
    }
}
