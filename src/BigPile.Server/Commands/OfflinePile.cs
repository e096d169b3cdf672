using System;
using System.IO;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Server.Hosting;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Commands;

/// <summary>The pile of a directory, opened by a command while no server runs on it.</summary>
internal sealed class OfflinePile : IDisposable
{
    private readonly PileCache _cache;

    private OfflinePile(PileCache cache, long maxBodyBytes)
    {
        _cache = cache;
        MaxBodyBytes = maxBodyBytes;
        Tables = new ServedTables(cache, []);
    }

    /// <summary>The tables that the server would serve.</summary>
    internal ServedTables Tables { get; }

    /// <summary>The most bytes of a payload.</summary>
    internal long MaxBodyBytes { get; }

    /// <summary>Opens a pile.</summary>
    /// <param name="directory">The directory; the setting <c>Pile:Directory</c> when left out.</param>
    /// <param name="keepsFormat">Whether to refuse a pile of an earlier format rather than upgrade it, whatever the settings say.</param>
    /// <param name="error">Where warnings are written.</param>
    internal static OfflinePile Open(string? directory, bool keepsFormat, TextWriter error)
    {
        ServerSettings settings = ServerSettings.Read(SettingsFile.Read());
        string path = directory == null ? settings.Pile.Directory : Path.GetFullPath(directory);
        var options = new PileOptions
        {
            SegmentBytes = settings.Pile.SegmentBytes,
            MaxBytes = settings.Pile.MaxBytes,
            UpgradeFormat = settings.Pile.UpgradeFormat && !keepsFormat,
            Logger = new WarningLines(error),
        };
        var cacheOptions = new PileCacheOptions
        {
            OwnsPile = true,
            WaitsUntilReady = true, // a load counts replaced entries, and an export must find every entry
            DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable },
        };
        return new OfflinePile(new PileCache(Pile.Open(path, options), cacheOptions), settings.MaxBodyBytes);
    }

    public void Dispose() => _cache.Dispose();
}

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
