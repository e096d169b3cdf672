using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests;

public sealed class RequestLogTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false, "GET /v1/tables answered 200")]
    [InlineData(true, "GET /v1/tables/t/entries/a%0Ab answered 404|POST /v1/tables/t:mget answered 200|GET /v1/tables answered 200")]
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

    private sealed class RecordingProvider : ILoggerProvider, ILogger
    {
        internal ConcurrentQueue<string> Lines { get; } = [];

        public ILogger CreateLogger(string categoryName) =>
            categoryName == typeof(RequestLog).FullName ? this : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
                Lines.Enqueue(formatter(state, exception));
        }

        public void Dispose()
        {
        }
    }
}
