using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Serialization;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tables;

/// <summary>Stores the table settings and drops of clients in the pile, in a table that no client can name.</summary>
/// <remarks>Thread safety: none; the owner holds a lock.</remarks>
internal sealed class SettingsStore
{
    /// <summary>The name of the table that stores them.</summary>
    internal const string Name = "bigpile:tables";

    private readonly PileCache _cache;

    internal SettingsStore(PileCache cache)
    {
        _cache = cache;
        cache.Hide(Name, isHidden: true);
    }

    /// <summary>Stores a table's settings.</summary>
    internal void Keep(string name, TableOptions options) =>
        Store().Put(name, JsonSerializer.SerializeToUtf8Bytes(TableSettings.Of(options), TableJson.Default.TableSettings));

    /// <summary>Stores that a table was dropped.</summary>
    internal void KeepDropped(string name) =>
        Store().Put(name, JsonSerializer.SerializeToUtf8Bytes(new KeptSettings { IsDropped = true }, TableJson.Default.KeptSettings));

    /// <summary>Removes what is stored of a table.</summary>
    internal void Forget(string name) => _ = Store().Remove(name);

    /// <summary>Enumerates the stored settings.</summary>
    internal IEnumerable<(string Name, KeptSettings Settings)> All()
    {
        if (!_cache.TryGetTable(Name, out CacheTable<string, byte[]>? kept))
            yield break;
        foreach (string name in kept.Keys.ToArray())
        {
            if (kept.TryGet(name, out byte[]? document))
                yield return (name, KeptSettings.Parse(document));
        }
    }

    private CacheTable<string, byte[]> Store() =>
        _cache.GetOrCreateTable<string, byte[]>(new TableOptions(Name) { CollisionMode = CollisionMode.Durable });
}

/// <summary>The stored settings of a table, or the fact that it was dropped, which clients can't write.</summary>
internal sealed record KeptSettings : TableSettings
{
    /// <summary>Whether the table was dropped.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool IsDropped { get; set; }

    /// <summary>Reads stored settings.</summary>
    /// <exception cref="JsonException">The document is damaged.</exception>
    internal static new KeptSettings Parse(ReadOnlySpan<byte> document) =>
        JsonSerializer.Deserialize(document, TableJson.Default.KeptSettings) ?? throw new JsonException("It is null.");
}

/// <summary>Reads and writes table settings as JSON. Unknown members are refused rather than ignored.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(TableSettings))]
[JsonSerializable(typeof(KeptSettings))]
internal sealed partial class TableJson : JsonSerializerContext;
