using System;
using System.IO;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Server.Hosting;

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

    /// <summary>Its tables, as the server shows them.</summary>
    internal ServedTables Tables { get; }

    /// <summary>The most bytes of a payload.</summary>
    internal long MaxBodyBytes { get; }

    /// <summary>Opens a pile.</summary>
    /// <param name="directory">Its directory; the setting's when left out.</param>
    /// <param name="keepsFormat">Whether its format stays as it is, whatever the settings say: an earlier one is refused.</param>
    /// <param name="error">Where it is told what was found and changed.</param>
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
            WaitsUntilReady = true, // what a line replaces is counted as replaced, and an export must know every entry
            DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable },
        };
        return new OfflinePile(new PileCache(Pile.Open(path, options), cacheOptions), settings.MaxBodyBytes);
    }

    public void Dispose() => _cache.Dispose();
}
