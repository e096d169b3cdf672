using System;
using System.Threading.Tasks;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.Server.Tests;

/// <summary>What the server logs of its start, while it is stopped again.</summary>
public sealed class StartReportTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    /// <summary>A stop closes the pile that the report is about: that is no failure of the server.</summary>
    [Theory]
    [InlineData("BigPile listens on")]
    [InlineData("The pile in ")]
    [InlineData("The start took ")]
    public async Task A_stop_at_any_line_of_the_report_is_a_stop(string line)
    {
        using var hook = new LineHook(line);
        await using WebApplication app = ServerApplication.Build(
            RunningServer.Arguments(_directory.Pile, "--Serilog:MinimumLevel:Default=Information"),
            services => services.AddSingleton<ILoggerProvider>(hook));
        hook.Reached = () => app.StopAsync().GetAwaiter().GetResult();
        await app.StartAsync();
        await StartReport.LogAsync(app, default);
        Assert.Null(hook.Reached);
    }

    /// <summary>Runs something once a line of the server's log begins with a text.</summary>
    private sealed class LineHook(string start) : ILoggerProvider, ILogger
    {
        /// <summary>What is run; null once it was.</summary>
        internal Action? Reached { get; set; }

        public ILogger CreateLogger(string categoryName) => categoryName == "BigPile.Server" ? this : NullLogger.Instance;

        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!formatter(state, exception).StartsWith(start, StringComparison.Ordinal))
                return;
            Reached?.Invoke();
            Reached = null;
        }

        public void Dispose()
        {
        }
    }
}
