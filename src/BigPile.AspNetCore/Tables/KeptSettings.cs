using System;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace BigPile.AspNetCore.Tables;

/// <summary>What the service keeps of a table: how it behaves, or that it was dropped, which no client can say.</summary>
internal sealed record KeptSettings : TableSettings
{
    /// <summary>Whether the table was dropped.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool IsDropped { get; set; }

    /// <summary>Reads what was kept.</summary>
    /// <exception cref="JsonException">It is damaged.</exception>
    internal static new KeptSettings Parse(ReadOnlySpan<byte> document) =>
        JsonSerializer.Deserialize(document, TableJson.Default.KeptSettings) ?? throw new JsonException("It is null.");
}
