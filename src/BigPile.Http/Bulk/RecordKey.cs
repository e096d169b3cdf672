using System;
using System.Text;
using System.Text.Json;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>Extracts the key of a record, the value of one of its fields.</summary>
/// <remarks>Thread safety: none; the key lies in a reused buffer.</remarks>
internal sealed class RecordKey(string field)
{
    internal const int MaxDepth = 512;

    /// <summary>The message for a record that is not an object.</summary>
    internal const string NoObject = "it is no JSON object";

    private readonly byte[] _field = Encoding.UTF8.GetBytes(field);
    private readonly byte[] _buffer = new byte[6 * EntryKey.MaxBytes]; // each byte of a key can be a six-character escape

    /// <summary>Parses a whole record.</summary>
    /// <param name="record">The record's JSON.</param>
    /// <param name="key">The key in UTF-8: a string as it is, a number by its digits. Valid until the next call.</param>
    /// <returns>What is wrong with the record, or <see langword="null"/>.</returns>
    internal string? Find(ReadOnlySpan<byte> record, out ReadOnlyMemory<byte> key)
    {
        key = default;
        if (!ClientText.IsValid(record))
            return ClientText.Reason;
        if (!MayBeObject(record))
            return NoObject;
        try
        {
            var json = new Utf8JsonReader(record, new JsonReaderOptions { MaxDepth = MaxDepth });
            if (!json.Read() || json.TokenType != JsonTokenType.StartObject)
                return NoObject;
            string? error = $"it has no field '{field}'";
            while (json.Read() && json.TokenType != JsonTokenType.EndObject)
            {
                bool isKey = json.ValueTextEquals(_field);
                json.Read();
                if (isKey)
                    error = Take(ref json, out key); // the last of equal fields wins, as in most parsers
                json.Skip();
            }
            _ = json.Read(); // throws if anything follows
            return error;
        }
        catch (JsonException e)
        {
            return $"it is no JSON: {FirstSentence(e.Message)}";
        }
        catch (InvalidOperationException)
        {
            return $"its field '{field}' is no valid text";
        }
    }

    /// <summary>
    /// Whether a record begins like an object. Anything else is refused here, because the reader's exception takes a hundred times as long.
    /// </summary>
    internal static bool MayBeObject(ReadOnlySpan<byte> record) => record.TrimStart(" \t\r"u8) is [(byte)'{', ..];

    private string? Take(ref Utf8JsonReader json, out ReadOnlyMemory<byte> key)
    {
        key = default;
        if (json.TokenType is not (JsonTokenType.String or JsonTokenType.Number))
            return $"its field '{field}' is neither a string nor a number";
        if (json.ValueSpan.Length > _buffer.Length)
            return $"its field '{field}' can't be a key. {EntryKey.Describe(KeyError.TooLong)}";
        int lengthBytes = json.ValueSpan.Length;
        if (json.TokenType == JsonTokenType.String)
            lengthBytes = json.CopyString(_buffer);
        else
            json.ValueSpan.CopyTo(_buffer);
        key = _buffer.AsMemory(0, lengthBytes);
        KeyError error = EntryKey.Check(key.Span);
        return error == KeyError.None ? null : $"its field '{field}' can't be a key. {EntryKey.Describe(error)}";
    }

    internal static string FirstSentence(string message)
    {
        int end = message.IndexOf(". ", StringComparison.Ordinal);
        return end < 0 ? message : message[..(end + 1)];
    }
}
