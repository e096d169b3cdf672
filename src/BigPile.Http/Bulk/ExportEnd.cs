using System;
using System.Text.Json;

namespace BigPile.Http.Bulk;

/// <summary>The last line of an export; without it the export was cut off.</summary>
/// <param name="Entries">The number of lines before it.</param>
/// <param name="Skipped">Entries that were left out, since the service did not write them.</param>
internal readonly record struct ExportEnd(long Entries, long Skipped)
{
    private static ReadOnlySpan<byte> Start => "{\"bigpile\":\"end\""u8;

    /// <summary>Parses a line.</summary>
    /// <returns><see langword="false"/> if it is not the last line of an export.</returns>
    internal static bool TryParse(ReadOnlySpan<byte> line, out ExportEnd end)
    {
        end = default;
        if (!line.StartsWith(Start))
            return false;
        var json = new Utf8JsonReader(line);
        try
        {
            long entries = 0;
            long skipped = 0;
            while (json.Read())
            {
                if (json.TokenType != JsonTokenType.PropertyName)
                    continue;
                if (json.ValueTextEquals("entries"u8) && json.Read() && json.TryGetInt64(out long found))
                    entries = found;
                else if (json.ValueTextEquals("skipped"u8) && json.Read() && json.TryGetInt64(out found))
                    skipped = found;
            }
            end = new ExportEnd(entries, skipped);
            return true;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return false;
        }
    }

    /// <summary>Writes the line, without a line break.</summary>
    internal void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("bigpile"u8, "end"u8);
        json.WriteNumber("entries"u8, Entries);
        json.WriteNumber("skipped"u8, Skipped);
        json.WriteEndObject();
    }
}
