using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO.Pipelines;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Http.FastPath;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests;

public sealed class RequestLogTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false, "GET /v1/tables from 127.0.0.1 answered 200")]
    [InlineData(
        true,
        "GET /v1/tables/t/entries/a%0Ab from 127.0.0.1 answered 404|POST /v1/tables/t:mget from 127.0.0.1 answered 200|"
        + "GET /v1/tables from 127.0.0.1 answered 200")]
    public async Task Requests_are_logged_and_reads_of_entries_if_told(bool logEntryReads, string expected)
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile,
            services => services.AddSingleton<ILoggerProvider>(lines),
            $"--Server:LogEntryReads={logEntryReads}"))
        {
            await server.Client.GetAsync("/v1/tables/t/entries/a%0Ab");
            await server.PutAsync("/v1/tables/t/entries/k", [1]);
            await server.SendAsync("POST", "/v1/tables/t:mget", """{"keys":["k"]}"""u8.ToArray());
            await server.SendAsync("POST", "/v1/tables/t:mdelete?x=:mget", """{"keys":["k"]}"""u8.ToArray());
            await server.Client.GetAsync("/health/ready");
            await server.Client.GetAsync("/v1/tables");
        }
        Assert.Equal(expected.Split('|'), lines.Lines.Select(static line => line[..line.IndexOf(" in ", StringComparison.Ordinal)]));
    }

    /// <summary>A key belongs in a header, and some clients put it into the query.</summary>
    [Fact]
    public async Task Of_a_query_only_the_names_are_logged()
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<ILoggerProvider>(lines)))
            await server.Client.GetAsync("/v1/tables?api_key=shop.secret&secret&limit=5");
        Assert.StartsWith("GET /v1/tables?api_key=*&*&limit=* from", Assert.Single(lines.Lines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_target_can_not_write_to_the_terminal_of_who_reads_the_log()
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<ILoggerProvider>(lines)))
        {
            foreach (string target in new[] { "/v1/a\u001b[2Jb", "/v1/a\u0007b", "/v1/a\u007fb", "/v1/a\rGET /forged",
                "/v1/a?\u001b]0;x\u0007" })
                _ = await server.SendRawAsync("GET " + target);
        }
        Assert.Contains(
            lines.Lines, static line => line.StartsWith("GET /v1/a\\x1B[2Jb from 127.0.0.1 answered 404", StringComparison.Ordinal));
        Assert.All(lines.Lines, static line => Assert.DoesNotContain(line, char.IsControl));
    }

    [Theory]
    [InlineData("POST /v1/tables/t:load", "Content-Length: 1000\r\n\r\n{}\n")]
    [InlineData("PUT /v1/tables/t", "Content-Length: 1000\r\n\r\n{")]
    [InlineData("POST /v1/tables/t:evict", "Content-Length: 1000\r\n\r\n{")]
    public async Task A_request_whose_client_goes_is_not_logged_as_answered(string line, string rest)
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<ILoggerProvider>(lines)))
        {
            RequestLoad load = server.Service<RequestLoad>();
            using Attacks.RawConnection connection = await Attacks.RawConnection.OpenAsync(server.Address.Port);
            await connection.SendAsync($"{line} HTTP/1.1\r\nHost: localhost\r\n{rest}");
            await Eventually.TrueAsync(() => load.Running != 0);
            connection.Abort();
            await Eventually.TrueAsync(() => !lines.Lines.IsEmpty);
        }
        Assert.StartsWith($"{line} from 127.0.0.1 was left by its client after ", Assert.Single(lines.Lines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_whose_client_has_gone_before_it_waits_is_not_logged_as_answered()
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<ILoggerProvider>(lines).AddSingleton<IStartupFilter, Attacks.GoneClient>()))
        {
            Task<HttpResponseMessage> sent =
                server.SendAsync("POST", "/v1/tables/t:load", "{}"u8.ToArray(), (Attacks.GoneClient.Header, "yes"));
            await Eventually.TrueAsync(() => !lines.Lines.IsEmpty);
            _ = await Record.ExceptionAsync(() => sent);
        }
        Assert.StartsWith(
            "POST /v1/tables/t:load from 127.0.0.1 was left by its client after ", Assert.Single(lines.Lines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Of_many_reads_one_in_so_many_is_logged()
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile,
            services => services.AddSingleton<ILoggerProvider>(lines),
            "--Server:LogEntryReads=true", "--Server:LogOneIn=10"))
        {
            for (int i = 0; i < 40; i++)
                await server.Client.GetAsync($"/v1/tables/t/entries/{i}");
        }
        Assert.Equal(4, lines.Lines.Count);
    }

    [Fact]
    public async Task The_door_logs_what_the_stack_logs()
    {
        string[] stack = await LogOfReadsAsync(hasFastPath: false, out RecordingProvider stackLines, answeredByFastPath: 0);
        string[] fastPath = await LogOfReadsAsync(hasFastPath: true, out RecordingProvider fastPathLines, answeredByFastPath: 5);
        Assert.Equal(6, stack.Length);
        Assert.Equal(stack, fastPath);
        Assert.Equal(
            "Information Client=127.0.0.1 Method=GET Status=200 Target=/v1/tables/t/entries/k:1 | {Method} {Target} from {Client} "
            + "answered {Status} in "
            + "{Milliseconds:F2} ms", fastPath[0]);
        Assert.All(
            stackLines.Milliseconds.Concat(fastPathLines.Milliseconds), static elapsed => Assert.InRange(elapsed, 0, double.MaxValue));
    }

    [Theory]
    [InlineData(1, 40)]
    [InlineData(10, 4)]
    [InlineData(1_000, 1)]
    public async Task Each_read_counts_once_in_the_sample_although_the_door_leaves_some_to_the_stack(int oneIn, int expected)
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile,
            services => services.AddSingleton<ILoggerProvider>(lines),
            "--Server:LogEntryReads=true", $"--Server:LogOneIn={oneIn}"))
        {
            await server.PutAsync("/v1/tables/t/entries/large", new byte[100_000]);
            for (int i = 0; i < 40; i++)
                await server.Client.GetAsync("/v1/tables/t/entries/" + (i % 3 == 0 ? "large" : "none"));
            Assert.Equal(26, server.Service<FastPathCounters>().Answered);
        }
        Assert.Equal(expected, lines.Lines.Count);
    }

    [Theory]
    [InlineData("--Server:LogEntryReads=false")]
    [InlineData("--Server:LogEntryReads=true", "--Logging:LogLevel:BigPile.Server.Hosting.RequestLog=Warning")]
    public async Task The_door_logs_nothing_unless_told(params string[] settings)
    {
        using var lines = new RecordingProvider();
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<ILoggerProvider>(lines), settings))
        {
            await server.PutAsync("/v1/tables/t/entries/k", [1]);
            await server.Client.GetAsync("/v1/tables/t/entries/k");
            Assert.Equal(1, server.Service<FastPathCounters>().Answered);
        }
        Assert.Empty(lines.Lines);
    }

    [Fact]
    public async Task A_read_that_is_not_sampled_makes_no_object()
    {
        using var lines = new RecordingProvider();
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile,
            services => services.AddSingleton<ILoggerProvider>(lines),
            "--Server:LogEntryReads=true", "--Server:LogOneIn=1000000000");
        await server.PutAsync("/v1/tables/t/entries/k", new byte[100]);
        var fastPath = new FastPathEndpoint(
            server.Services, server.Service<IEntryGuard>(), server.Service<FastPathCounters>(),
            new HeadLimits(new KestrelServerLimits()),
            TimeProvider.System, [], namesServer: false, variesByOrigin: false) { Log = server.Service<IReadLog>() };
        var pipe = new Pipe();
        var answers = new FastPathResponder(fastPath, pipe.Writer);
        var head = new RequestHead();
        head.Read("GET /v1/tables/t/entries/k HTTP/1.1\r\nHost: h\r\n\r\n"u8.ToArray(), 32, []);

        Answer(1_000); // the first one is logged
        const int Reads = 20_000;
        long before = GC.GetAllocatedBytesForCurrentThread();
        Answer(Reads);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        // The smallest object has 24 bytes. What a collection meanwhile takes from a thread counts as allocated: some KB each time.
        Assert.True(allocated < 5 * Reads, $"{allocated:N0} bytes for {Reads:N0} reads.");
        Assert.Single(lines.Lines);

        void Answer(int count)
        {
            for (; count > 0; count--)
            {
                Assert.True(answers.TryAnswer(head, isLast: false));
                answers.MarkSent();
                Assert.True(pipe.Writer.FlushAsync().IsCompletedSuccessfully);
                Assert.True(pipe.Reader.TryRead(out ReadResult written));
                pipe.Reader.AdvanceTo(written.Buffer.End);
            }
        }
    }

    private Task<string[]> LogOfReadsAsync(bool hasFastPath, out RecordingProvider lines, long answeredByFastPath)
    {
        lines = new RecordingProvider();
        return LogOfReadsAsync(hasFastPath, lines, answeredByFastPath);
    }

    private async Task<string[]> LogOfReadsAsync(bool hasFastPath, RecordingProvider lines, long answeredByFastPath)
    {
        const string Path = "/v1/tables/t/entries/k:1";
        await using (RunningServer server = await RunningServer.StartAsync(
            System.IO.Path.Combine(_directory.Pile, hasFastPath ? "door" : "stack"),
            services => services.AddSingleton<ILoggerProvider>(lines),
            "--Server:LogEntryReads=true", "--Server:LogOneIn=1", $"--Http:FastDoor={hasFastPath}"))
        {
            using HttpResponseMessage put = await server.PutAsync(Path, [1]);
            await server.PutAsync("/v1/tables/t/entries/large", new byte[100_000]);
            await server.SendAsync("GET", Path, null);
            await server.SendAsync("HEAD", Path, null);
            await server.SendAsync("GET", "/v1/tables/t/entries/none", null);
            await server.SendAsync("HEAD", "/v1/tables/t/entries/none", null);
            await server.SendAsync("GET", "/v1/tables/t/entries/large", null);
            await server.SendAsync("GET", Path, null, ("If-None-Match", put.Headers.ETag!.ToString()));
            Assert.Equal(answeredByFastPath, server.Service<FastPathCounters>().Answered);
        }
        return [.. lines.Events];
    }

    private sealed class RecordingProvider : ILoggerProvider, ILogger
    {
        internal ConcurrentQueue<string> Lines { get; } = [];

        /// <summary>Levels and properties, but the time that a request took.</summary>
        internal ConcurrentQueue<string> Events { get; } = [];

        internal ConcurrentQueue<double> Milliseconds { get; } = [];

        public ILogger CreateLogger(string categoryName) =>
            categoryName == typeof(RequestLog).FullName ? this : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!IsEnabled(logLevel))
                return;
            Lines.Enqueue(formatter(state, exception));
            var properties = ((IEnumerable<KeyValuePair<string, object?>>)state!).ToDictionary();
            Assert.True(properties.Remove("Milliseconds", out object? elapsed));
            Milliseconds.Enqueue((double)elapsed!);
            Assert.True(properties.Remove("{OriginalFormat}", out object? template));
            Events.Enqueue($"{logLevel} "
                + $"{string.Join(' ', properties.OrderBy(static one => one.Key).Select(static one => $"{one.Key}={one.Value}"))} | "
                + $"{template}");
        }

        public void Dispose()
        {
        }
    }
}
