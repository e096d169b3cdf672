using System;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace BigPile.Perf.FullPiles;

/// <summary>Counts log entries from warnings on, and keeps the first.</summary>
/// <remarks>Thread safety: any thread may log.</remarks>
internal sealed class WarningCounter : ILogger
{
    private long _count;
    private string? _first;

    internal long Count => Volatile.Read(ref _count);

    internal string? First => Volatile.Read(ref _first);

    /// <summary>A logger of a type that counts here.</summary>
    internal ILogger<T> For<T>() => new Of<T>(this);

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel) && Interlocked.Increment(ref _count) == 1)
            Volatile.Write(ref _first, formatter(state, exception));
    }

    private sealed class Of<T>(WarningCounter all) : ILogger<T>
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => all.IsEnabled(logLevel);

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            all.Log(logLevel, eventId, state, exception, formatter);
    }
}
