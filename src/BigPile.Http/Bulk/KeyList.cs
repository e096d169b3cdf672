using System;
using System.Buffers.Binary;
using System.Text.Json;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>Parses the keys of a batch request.</summary>
/// <remarks>
/// As JSON, <c>{"keys": ["a", "b"]}</c>; or as <c>application/vnd.bigpile.keys</c>: for each key its length in 16 bits, little-endian, and
/// the key in UTF-8, to the end of the body. A key that no entry can have is valid: it is not found.
/// </remarks>
internal static class KeyList
{
    internal const string Accepted = "application/json or " + BatchForms.Keys;

    private const string JsonForm = "It must be an object with one member 'keys', an array of strings.";

    /// <summary>Parses the keys.</summary>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    internal static Problem? Read(Batch batch, string? contentType, int maxKeys)
    {
        if (contentType != null && BatchForms.Is(contentType, BatchForms.Keys))
            return ReadBinary(batch, maxKeys);
        if (contentType != null && !BatchForms.Is(contentType, "application/json")
            && !BatchForms.Is(contentType, "application/x-www-form-urlencoded"))
            return ProblemCatalog.UnsupportedType(Accepted);
        try
        {
            return ReadJson(batch, maxKeys);
        }
        catch (JsonException e)
        {
            return ProblemCatalog.InvalidDocument($"{JsonForm} {e.Message}");
        }
        catch (InvalidOperationException)
        {
            return ProblemCatalog.InvalidDocument(ClientText.Reason);
        }
    }

    private static Problem? ReadBinary(Batch batch, int maxKeys)
    {
        ReadOnlySpan<byte> rest = batch.Body.WrittenSpan;
        while (!rest.IsEmpty)
        {
            if (batch.Count == maxKeys)
                return ProblemCatalog.BatchTooLarge("keys", maxKeys, null);
            int lengthBytes = rest.Length < sizeof(ushort) ? int.MaxValue : BinaryPrimitives.ReadUInt16LittleEndian(rest);
            if (lengthBytes > rest.Length - sizeof(ushort))
                return ProblemCatalog.InvalidDocument($"The key behind {batch.Count:N0} others is cut off.");
            batch.AddKey(rest.Slice(sizeof(ushort), lengthBytes));
            rest = rest[(sizeof(ushort) + lengthBytes)..];
        }
        return null;
    }

    private static Problem? ReadJson(Batch batch, int maxKeys)
    {
        var json = new Utf8JsonReader(batch.Body.WrittenSpan);
        if (!json.Read() || json.TokenType != JsonTokenType.StartObject || !json.Read() || json.TokenType != JsonTokenType.PropertyName
            || !json.ValueTextEquals("keys"u8) || !json.Read() || json.TokenType != JsonTokenType.StartArray)
        {
            return ProblemCatalog.InvalidDocument(JsonForm);
        }
        while (json.Read() && json.TokenType == JsonTokenType.String)
        {
            if (batch.Count == maxKeys)
                return ProblemCatalog.BatchTooLarge("keys", maxKeys, null);
            if (json.ValueIsEscaped)
                batch.AddKey(json.CopyString(batch.GetKeySpan(json.ValueSpan.Length)));
            else
                batch.AddKey(json.ValueSpan);
        }
        bool isWhole = json.TokenType == JsonTokenType.EndArray && json.Read() && json.TokenType == JsonTokenType.EndObject && !json.Read();
        return isWhole ? null : ProblemCatalog.InvalidDocument(JsonForm);
    }
}
