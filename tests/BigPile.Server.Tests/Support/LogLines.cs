using System;
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Support;

/// <summary>The lines that the service's own classes log.</summary>
internal sealed class LogLines : ILoggerProvider, ILogger
{
    internal ConcurrentQueue<string> Lines { get; } = [];

    public ILogger CreateLogger(string categoryName) => categoryName.StartsWith("BigPile.", StringComparison.Ordinal)
        ? this
        : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

    public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
            Lines.Enqueue(formatter(state, exception));
    }

    public void Dispose()
    {
    }
}
