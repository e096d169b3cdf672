using System;
using System.Buffers;
using System.Collections.Generic;
using System.Text.Json;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>An entry as a JSON object: a line of an export, or an item of <c>:mset</c>.</summary>
/// <remarks>
/// <code>
/// key          text                                              always
/// value        any JSON: the payload is these very bytes         one of the three;
/// text         text: the payload is its UTF-8                    without any of them the payload
/// base64       text: the payload's bytes                         has no bytes
/// contentType  text; application/json with value, text/plain; charset=utf-8 with text, else application/octet-stream
/// encoding     gzip, br or deflate, if the payload is compressed
/// ttl          time to live, such as 30s      sliding  the time that each use gives      both as in the headers
/// expires      an instant, ISO 8601           priority low, normal, high or never-evict
/// tags         array of text; items of :mset only
/// tagHashes    array of hashes of tags        as an export has them, for entries that are to be the same again:
/// unusedUntil  the instant from which an entry with a sliding time is gone, unless it is used before
/// </code>
/// Thread safety: none; an instance is reused for each record.
/// </remarks>
internal sealed partial class EntryRecord : IDisposable
{
    // Each byte of a key can be a six-character escape.
    private const int MaxEscapedKeyBytes = 6 * EntryKey.MaxBytes;

    private const string TextType = "text/plain; charset=utf-8";

    /// <summary>The stored value: head and payload.</summary>
    private readonly ValueBuffer _value = new();
    private readonly TagHashList _tagHashes = new();
    /// <summary>The key in UTF-8, <see cref="_keyBytes"/> long.</summary>
    private readonly byte[] _key = new byte[MaxEscapedKeyBytes];
    /// <summary>Length of the key, in bytes; -1: the record has none.</summary>
    private int _keyBytes;
    /// <summary>The payload of a member <c>text</c> or <c>base64</c>; that of <c>value</c> stays in the source.</summary>
    private readonly GrowingMemory _decoded = new();
    private readonly bool _isExported;
    /// <summary>Where the payload begins in the source; unused if it is in <see cref="_decoded"/>.</summary>
    private int _start;
    /// <summary>Length of the payload, in bytes.</summary>
    private int _length;
    /// <summary>Whether the payload is in <see cref="_decoded"/> rather than in the source.</summary>
    private bool _isDecoded;
    private bool _hasPayload;
    private string? _contentType;
    /// <summary>The content type that the kind of the payload's member implies.</summary>
    private string? _defaultType;
    private ContentCoding _coding;
    private TimeSpan? _timeToLive;
    private TimeSpan? _sliding;
    private DateTimeOffset? _expiresAt;
    private TimeSpan? _failSafe;
    private EntryPriority? _priority;
    private DateTimeOffset? _unusedUntil;
    private List<string>? _tags;

    /// <param name="isExported">Whether records are lines of an export; otherwise items of <c>:mset</c>.</param>
    /// <param name="quota">The quota for buffers; <see langword="null"/>: they are not counted.</param>
    internal EntryRecord(bool isExported, BufferQuota? quota = null)
    {
        _isExported = isExported;
        _value.ChargeTo(quota);
        _decoded.ChargeTo(quota);
    }

    /// <summary>The key in UTF-8.</summary>
    internal ReadOnlySpan<byte> Key => _key.AsSpan(0, _keyBytes);

    /// <summary>Whether the record names a key.</summary>
    internal bool HasKey => _keyBytes >= 0;

    /// <summary>The value as the table stores it.</summary>
    internal ReadOnlySpan<byte> Value => _value.WrittenSpan;

    internal int PayloadBytes => _length;

    internal ReadOnlyMemory<byte> Payload => _value.WrittenMemory[(_value.WrittenSpan.Length - _length)..];

    internal ContentCoding Coding => _coding;

    /// <summary>When the entry expires unless it is used, if the record states it.</summary>
    internal DateTimeOffset? ExpiresAt =>
        _sliding != null && _unusedUntil < (_expiresAt ?? DateTimeOffset.MaxValue) ? _unusedUntil : _expiresAt;

    /// <summary>Parses a record; the reader must be at its first brace, and ends at its last.</summary>
    /// <param name="json">The reader.</param>
    /// <param name="source">The bytes that the reader reads.</param>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    /// <exception cref="JsonException">The record is not valid JSON.</exception>
    internal string? Read(ref Utf8JsonReader json, ReadOnlySpan<byte> source)
    {
        Utf8JsonReader start = json;
        try
        {
            return ReadTexts(ref json, source);
        }
        catch (InvalidOperationException) // thrown by the reader for a lone surrogate and for invalid UTF-8
        {
            json = start;
            json.Skip();
            return ClientText.Reason;
        }
    }

    private string? ReadTexts(ref Utf8JsonReader json, ReadOnlySpan<byte> source)
    {
        Clear();
        string? error = null;
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
            error = ReadMember(ref json) ?? error;
        if (error != null)
            return error;
        if (_keyBytes < 0)
            return "it has no member 'key'";
        KeyError keyError = EntryKey.Check(Key);
        if (keyError != KeyError.None)
            return EntryKey.Describe(keyError);
        string contentType = _contentType ?? _defaultType ?? MediaTypes.Default;
        if (!MediaTypes.IsValid(contentType))
            return $"its contentType '{contentType}' is no media type of at most {MediaTypes.MaxLength} ASCII characters";
        if (!_isDecoded && !ClientText.IsValid(source.Slice(_start, _length)))
            return ClientText.Reason; // the reader validates only strings that are retrieved
        StoredValue.WriteHead(_value, contentType, _coding);
        _value.Write(_isDecoded ? _decoded.Span[.._length] : source.Slice(_start, _length));
        return null;
    }

    /// <summary>The options of the put; for what the record does not state, those given.</summary>
    internal EntryOptions? OptionsOver(EntryOptions? common)
    {
        if (_timeToLive == null && _expiresAt == null && _sliding == null && _priority == null && _tags == null)
            return common;
        bool hasEnd = _timeToLive != null || _expiresAt != null;
        return new EntryOptions
        {
            MaxAge = hasEnd ? _timeToLive : common?.MaxAge,
            ExpiresAt = hasEnd ? _expiresAt : common?.ExpiresAt,
            Sliding = _sliding ?? common?.Sliding,
            Priority = _priority ?? common?.Priority,
            Tags = _tags ?? common?.Tags,
        };
    }

    /// <summary>Why the entry would be expired at once, or <see langword="null"/>.</summary>
    internal string? WhyGone(DateTimeOffset now) => _expiresAt <= now ? "its member 'expires' is not an instant in the future" : null;

    /// <summary>The exact attributes that an exported record states.</summary>
    internal EntryAttributes Attributes(DateTimeOffset now)
    {
        DateTimeOffset? end = _expiresAt;
        if (_timeToLive is { } time)
            end = Earlier(end, Add(now, time));
        return new EntryAttributes
        {
            ExpiresAt = _sliding is { } sliding ? Earlier(end, _unusedUntil ?? Add(now, sliding)) : end,
            Sliding = _sliding,
            EndsAt = end,
            FailSafeMaxAge = _failSafe,
            Priority = _priority ?? EntryPriority.Normal,
            TagHashes = _tagHashes.Hashes,
        };
    }

    private static DateTimeOffset Earlier(DateTimeOffset? end, DateTimeOffset other) => end < other ? end.Value : other;

    private static DateTimeOffset Add(DateTimeOffset now, TimeSpan time) =>
        time > DateTimeOffset.MaxValue - now ? DateTimeOffset.MaxValue : now + time;

    /// <summary>Returns the buffers.</summary>
    public void Dispose()
    {
        _ = _value.TryReset();
        _decoded.Free();
    }

    private void Clear()
    {
        _value.Clear();
        _keyBytes = -1;
        _start = _length = 0;
        _isDecoded = _hasPayload = false;
        _contentType = _defaultType = null;
        _coding = ContentCoding.Identity;
        _timeToLive = _sliding = _failSafe = null;
        _expiresAt = _unusedUntil = null;
        _priority = null;
        _tags = null;
        _tagHashes.Clear();
    }
}
