using System;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests;

/// <summary>Calls a delegate with the level and the exception of each log entry.</summary>
/// <param name="told">The delegate, called on the thread that logs.</param>
internal sealed class CallingLogger(Action<LogLevel, Exception?> told) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        told(logLevel, exception);
}
