using System;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace BigPile.AspNetCore.Tables;

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
