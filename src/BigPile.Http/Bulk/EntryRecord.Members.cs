using System;
using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text.Json;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>Parses the members of a record.</summary>
internal sealed partial class EntryRecord
{
    private string? ReadMember(ref Utf8JsonReader json)
    {
        if (json.ValueTextEquals("key"u8))
            return ReadKey(ref json);
        if (json.ValueTextEquals("value"u8))
            return ReadRaw(ref json);
        if (json.ValueTextEquals("text"u8))
            return ReadText(ref json);
        if (json.ValueTextEquals("base64"u8))
            return ReadBase64(ref json);
        if (json.ValueTextEquals("tags"u8))
            return ReadTags(ref json);
        if (_isExported && json.ValueTextEquals("tagHashes"u8))
            return _tagHashes.Read(ref json);
        string name = json.GetString()!;
        _ = json.Read();
        if (json.TokenType != JsonTokenType.String)
        {
            json.Skip();
            return $"its member '{name}' is not known, or no text";
        }
        string text = json.GetString()!;
        return Take(name, text) ? null : $"its member '{name}' can't be '{(text.Length <= 100 ? text : text[..100] + "…")}'";
    }

    private bool Take(string name, string text)
    {
        switch (name)
        {
            case "contentType":
                _contentType = text;
                return true;
            case "encoding":
                return ContentCodings.TryFind(text, out _coding);
            case "ttl":
                return TakeTime(text, out _timeToLive);
            case "sliding":
                return TakeTime(text, out _sliding) || (_isExported && SlidingText.TryParse(text, out _sliding));
            case "failSafe" when _isExported:
                return TakeTime(text, out _failSafe) || SlidingText.TryParse(text, out _failSafe);
            case "expires":
                return TakeInstant(text, out _expiresAt);
            case "unusedUntil" when _isExported:
                return TakeInstant(text, out _unusedUntil);
            case "priority":
                bool isPriority = Priorities.TryFind(text, out EntryPriority priority);
                _priority = isPriority ? priority : null;
                return isPriority;
            default:
                return false;
        }
    }

    private static bool TakeInstant(string text, out DateTimeOffset? instant)
    {
        bool isInstant = DateTimeOffset.TryParse(
            text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal,
            out DateTimeOffset found);
        instant = isInstant ? found : null;
        return isInstant;
    }

    private static bool TakeTime(string text, out TimeSpan? time)
    {
        bool isTime = Duration.TryParse(text, out TimeSpan found);
        time = isTime ? found : null;
        return isTime;
    }

    private string? ReadKey(ref Utf8JsonReader json)
    {
        _ = json.Read();
        if (json.TokenType != JsonTokenType.String)
        {
            json.Skip();
            return "its member 'key' is no text";
        }
        if (json.ValueSpan.Length > MaxEscapedKeyBytes)
            return EntryKey.Describe(KeyError.TooLong);
        if (_keyBytes >= 0)
            return "it has more than one member 'key'";
        _keyBytes = json.CopyString(_key);
        return null;
    }

    private string? ReadRaw(ref Utf8JsonReader json)
    {
        _ = json.Read();
        int start = (int)json.TokenStartIndex;
        json.Skip();
        return TakePayload(start, (int)json.BytesConsumed - start, isDecoded: false, MediaTypes.Json);
    }

    private string? ReadText(ref Utf8JsonReader json)
    {
        _ = json.Read();
        if (json.TokenType != JsonTokenType.String)
        {
            json.Skip();
            return "its member 'text' is no text";
        }
        _decoded.Grow(json.ValueSpan.Length, 0);
        return TakePayload(0, json.CopyString(_decoded.Span), isDecoded: true, TextType);
    }

    private string? ReadBase64(ref Utf8JsonReader json)
    {
        _ = json.Read();
        if (json.TokenType != JsonTokenType.String)
        {
            json.Skip();
            return "its member 'base64' is no text";
        }
        _decoded.Grow(json.ValueSpan.Length, 0);
        int lengthBytes = json.CopyString(_decoded.Span);
        return Base64.DecodeFromUtf8InPlace(_decoded.Span[..lengthBytes], out int written) == OperationStatus.Done
            ? TakePayload(0, written, isDecoded: true, MediaTypes.Default)
            : "its member 'base64' is no base64";
    }

    private string? TakePayload(int start, int length, bool isDecoded, string type)
    {
        if (_hasPayload)
            return "it has more than one of the members 'value', 'text' and 'base64'";
        _hasPayload = true;
        _start = start;
        _length = length;
        _isDecoded = isDecoded;
        _defaultType = type;
        return null;
    }

    private string? ReadTags(ref Utf8JsonReader json)
    {
        _ = json.Read();
        if (_isExported || json.TokenType != JsonTokenType.StartArray)
        {
            json.Skip();
            return _isExported ? "it has tags, and a line of an export has their 'tagHashes'" : "its member 'tags' is no array";
        }
        _tags = [];
        bool isGood = true;
        while (json.Read() && json.TokenType != JsonTokenType.EndArray)
        {
            isGood &= json.TokenType == JsonTokenType.String && json.ValueSpan.Length is > 0 and <= LifetimeHeaders.MaxTagLength;
            if (isGood)
                _tags.Add(json.GetString()!);
            else
                json.Skip();
        }
        return isGood && _tags.Count <= EntryOptions.MaxTags
            ? null
            : $"its tags are not at most {EntryOptions.MaxTags} texts of 1 to {LifetimeHeaders.MaxTagLength} characters";
    }
}
