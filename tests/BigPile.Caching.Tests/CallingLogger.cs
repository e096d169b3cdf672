using System;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests;

/// <summary>Calls with the level and the exception of all that is told to it.</summary>
/// <param name="told">What it calls, on the thread that tells.</param>
internal sealed class CallingLogger(Action<LogLevel, Exception?> told) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        told(logLevel, exception);
}
