using System;
using System.Text;
using System.Text.Json;
using System.Threading;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>Puts the items of one request.</summary>
/// <remarks>
/// The body is parsed as a whole first: an invalid body, or one with too many items, changes nothing. A fault of a single item becomes that
/// item's status.
/// </remarks>
internal sealed class BatchPuts(
    PutTarget target, Batch batch, EntryOptions? common, RequestLimits limits, TimeProvider time, CancellationToken stop)
{
    internal const string Accepted = "application/json or " + BatchForms.Binary;

    private const string JsonForm = "It must be an object with one member 'items', an array of objects.";

    // An item lies two levels deep: in an array that is a member.
    private static readonly JsonReaderOptions JsonOptions = new() { MaxDepth = RecordKey.MaxDepth + 2 };

    private readonly DecodeBudget _budget = new(limits.MaxBatchBytes, stop);

    /// <summary>Puts the items of the batch's body.</summary>
    /// <returns>What is wrong with the body, or <see langword="null"/>.</returns>
    /// <exception cref="OperationCanceledException">The request was aborted or timed out; what was put stays.</exception>
    internal Problem? Run(string? contentType)
    {
        if (contentType != null && BatchForms.Is(contentType, BatchForms.Binary))
            return CheckFrames() ?? PutFrames();
        if (contentType != null && !BatchForms.Is(contentType, "application/json")
            && !BatchForms.Is(contentType, "application/x-www-form-urlencoded"))
            return ProblemCatalog.UnsupportedType(Accepted);
        try
        {
            return CheckJson() ?? PutJson();
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

    /// <summary>Whether the work may be expensive: the body is long, or may contain compressed payloads.</summary>
    internal bool IsExpensive(string? contentType)
    {
        ReadOnlySpan<byte> body = batch.Body.WrittenSpan;
        if (body.Length > ExpensiveWork.SmallBytes)
            return true;
        return contentType != null && BatchForms.Is(contentType, BatchForms.Binary)
            ? HasCodedFrame(body)
            : body.IndexOf("encoding"u8) >= 0 || body.IndexOf("\\u"u8) >= 0; // the member's name, or an escape that may spell it
    }

    private static bool HasCodedFrame(ReadOnlySpan<byte> rest)
    {
        while (BatchFrame.TryRead(rest, out BatchFrame frame) && frame.RestBytes <= rest.Length - BatchFrame.HeadBytes)
        {
            if ((ContentCoding)frame.Coding != ContentCoding.Identity)
                return true;
            rest = rest[(int)(BatchFrame.HeadBytes + frame.RestBytes)..];
        }
        return false;
    }

    private Problem? CheckFrames()
    {
        ReadOnlySpan<byte> rest = batch.Body.WrittenSpan;
        for (int count = 0; !rest.IsEmpty; count++)
        {
            if (count == limits.MaxBatchItems)
                return ProblemCatalog.BatchTooLarge("items", limits.MaxBatchItems, null);
            if (!BatchFrame.TryRead(rest, out BatchFrame frame) || frame.RestBytes > rest.Length - BatchFrame.HeadBytes)
                return ProblemCatalog.InvalidDocument($"The item behind {count:N0} others is cut off, or has a head that can't be.");
            rest = rest[(int)(BatchFrame.HeadBytes + frame.RestBytes)..];
        }
        return null;
    }

    private Problem? PutFrames()
    {
        ReadOnlyMemory<byte> rest = batch.Body.WrittenMemory;
        while (!rest.IsEmpty)
        {
            stop.ThrowIfCancellationRequested();
            _ = BatchFrame.TryRead(rest.Span, out BatchFrame frame);
            ReadOnlyMemory<byte> item = rest.Slice(BatchFrame.HeadBytes, (int)frame.RestBytes);
            ReadOnlySpan<byte> key = item.Span[..frame.KeyBytes];
            batch.AddKey(key);
            batch.Items[^1] =
                PutFrame(frame, key, item.Span.Slice(frame.KeyBytes, frame.TypeBytes), item[(frame.KeyBytes + frame.TypeBytes)..]);
            rest = rest[(BatchFrame.HeadBytes + item.Length)..];
        }
        return null;
    }

    private BatchItem PutFrame(in BatchFrame frame, ReadOnlySpan<byte> key, ReadOnlySpan<byte> type, ReadOnlyMemory<byte> payload)
    {
        KeyError error = EntryKey.Check(key);
        if (error != KeyError.None)
            return BatchItem.Of(ProblemCatalog.InvalidKey(EntryKey.Describe(error)));
        // maps each byte to one character, so that no byte is lost
        string contentType = type.IsEmpty ? MediaTypes.Default : Encoding.Latin1.GetString(type);
        if (!MediaTypes.IsValid(contentType))
            return BatchItem.Of(ProblemCatalog.InvalidContentType);
        if (!ContentCodings.IsKnown(frame.Coding))
            return BatchItem.Of(ProblemCatalog.UnsupportedCoding);
        batch.Values.Clear();
        StoredValue.WriteHead(batch.Values, contentType, (ContentCoding)frame.Coding);
        payload.Span.CopyTo(batch.Values.GetSpan(payload.Length));
        batch.Values.Advance(payload.Length);
        EntryOptions? options = frame.LifetimeSeconds == 0 ? common
            : (common ?? new EntryOptions()) with { MaxAge = TimeSpan.FromSeconds(frame.LifetimeSeconds), ExpiresAt = null };
        return Put(key, batch.Values.WrittenSpan, payload, (ContentCoding)frame.Coding, options);
    }

    private Problem? CheckJson()
    {
        var json = new Utf8JsonReader(batch.Body.WrittenSpan, JsonOptions);
        if (!Begin(ref json))
            return ProblemCatalog.InvalidDocument(JsonForm);
        int count = 0;
        for (; json.Read() && json.TokenType == JsonTokenType.StartObject; count++)
            json.Skip();
        bool isWhole = json.TokenType == JsonTokenType.EndArray && json.Read() && json.TokenType == JsonTokenType.EndObject && !json.Read();
        if (!isWhole)
            return ProblemCatalog.InvalidDocument(JsonForm);
        return count <= limits.MaxBatchItems ? null : ProblemCatalog.BatchTooLarge("items", limits.MaxBatchItems, count);
    }

    private Problem? PutJson()
    {
        ReadOnlySpan<byte> source = batch.Body.WrittenSpan;
        using var record = new EntryRecord(isExported: false, batch.Quota);
        var json = new Utf8JsonReader(source, JsonOptions);
        _ = Begin(ref json);
        while (json.Read() && json.TokenType == JsonTokenType.StartObject)
        {
            stop.ThrowIfCancellationRequested();
            string? error = record.Read(ref json, source);
            batch.AddKey(record.HasKey ? record.Key : default);
            batch.Items[^1] = (error ?? record.WhyGone(time.GetUtcNow())) is { } reason
                ? BatchItem.Of(ProblemCatalog.InvalidDocument(reason))
                : Put(record.Key, record.Value, record.Payload, record.Coding, record.OptionsOver(common));
        }
        return null;
    }

    private static bool Begin(ref Utf8JsonReader json) =>
        json.Read() && json.TokenType == JsonTokenType.StartObject && json.Read() && json.TokenType == JsonTokenType.PropertyName
        && json.ValueTextEquals("items"u8) && json.Read() && json.TokenType == JsonTokenType.StartArray;

    private BatchItem Put(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, ReadOnlyMemory<byte> payload, ContentCoding coding, EntryOptions? options)
    {
        if (payload.Length > limits.MaxBodyBytes)
            return BatchItem.Of(ProblemCatalog.BodyTooLarge(limits.MaxBodyBytes, payload.Length));
        if (BodyCoding.Check(payload, coding, limits.MaxBodyBytes, _budget) is { } undecodable)
            return BatchItem.Of(undecodable);
        // Only now: a batch without a valid item must not create the table.
        if (target.Open(out CacheTable<string, byte[]> table) is { } refusal)
            return BatchItem.Of(refusal);
        try
        {
            PutResult result = table.ByUtf8().PutBytes(key, value, options, out EntryInfo info);
            if (result == PutResult.Collision)
                return BatchItem.Of(ProblemMapper.FromRefusal(table));
            return BatchItem.Of(result == PutResult.Replaced ? StatusCodes.Status204NoContent : StatusCodes.Status201Created, info);
        }
        catch (PileFullException)
        {
            return BatchItem.Of(ProblemCatalog.PileFull);
        }
    }
}
