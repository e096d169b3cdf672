using System;
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tests.Support;

/// <summary>Keeps what is of a level or worse.</summary>
internal sealed class KeptLog(LogLevel least = LogLevel.Warning) : ILoggerProvider, ILogger
{
    internal ConcurrentQueue<string> Lines { get; } = new();

    public ILogger CreateLogger(string categoryName) => this;

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
