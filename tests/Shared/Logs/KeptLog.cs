using System;
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.Testing;

/// <summary>Keeps what is of a level or worse, of the categories whose names begin so.</summary>
internal sealed class KeptLog(LogLevel least = LogLevel.Warning, string categories = "") : ILoggerProvider, ILogger
{
    internal ConcurrentQueue<string> Lines { get; } = new();

    public ILogger CreateLogger(string categoryName) =>
        categoryName.StartsWith(categories, StringComparison.Ordinal) ? this : NullLogger.Instance;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= least;

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
