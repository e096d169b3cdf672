using System;
using System.IO;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Commands;

/// <summary>Writes a pile's warnings as lines, for commands without a log.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class WarningLines(TextWriter error) : ILogger
{
    private readonly TextWriter _error = TextWriter.Synchronized(error);

    public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
            _error.WriteLine(formatter(state, exception));
    }
}
