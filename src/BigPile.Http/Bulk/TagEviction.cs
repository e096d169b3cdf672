using System;
using System.Collections.Generic;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>Answers <c>:evict</c>: removes all entries of a table that have one of some tags.</summary>
internal sealed class TagEviction(RequestLimits limits, BufferQuota quota)
{
    private const string Form = "It must be an object with one member 'tags', an array of texts that are not empty.";

    internal async Task<Problem?> EvictAsync(HttpContext context, ServedTables tables, string tableName)
    {
        using ValueBuffer.Loan loan = ValueBuffer.Lend(quota, out ValueBuffer body);
        if (await BodyBuffer.ReadDocumentAsync(context, body, limits.MaxBodyBytes).ConfigureAwait(false) is { } unread)
            return unread;
        List<string> tags = [];
        if (Read(body.WrittenSpan, tags) is { } invalid)
            return invalid;
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return ProblemMapper.ForMissingTable(tables, tableName);
        foreach (string tag in tags)
        {
            context.RequestAborted.ThrowIfCancellationRequested();
            table.RemoveByTag(tag);
        }
        context.Response.StatusCode = StatusCodes.Status204NoContent;
        return null;
    }

    private Problem? Read(ReadOnlySpan<byte> body, List<string> tags)
    {
        try
        {
            var json = new Utf8JsonReader(body);
            return ReadTags(ref json, tags);
        }
        catch (JsonException e)
        {
            return ProblemCatalog.InvalidDocument($"{Form} {e.Message}");
        }
        catch (InvalidOperationException)
        {
            return ProblemCatalog.InvalidDocument(ClientText.Reason);
        }
    }

    private Problem? ReadTags(ref Utf8JsonReader json, List<string> tags)
    {
        if (!json.Read() || json.TokenType != JsonTokenType.StartObject || !json.Read() || json.TokenType != JsonTokenType.PropertyName
            || !json.ValueTextEquals("tags"u8) || !json.Read() || json.TokenType != JsonTokenType.StartArray)
        {
            return ProblemCatalog.InvalidDocument(Form);
        }
        while (json.Read() && json.TokenType == JsonTokenType.String)
        {
            if (tags.Count == limits.MaxBatchItems)
                return ProblemCatalog.BatchTooLarge("tags", limits.MaxBatchItems, null);
            if (json.ValueSpan.IsEmpty)
                return ProblemCatalog.InvalidDocument(Form);
            tags.Add(json.GetString()!);
        }
        bool isWhole = json.TokenType == JsonTokenType.EndArray && json.Read() && json.TokenType == JsonTokenType.EndObject && !json.Read();
        return isWhole ? null : ProblemCatalog.InvalidDocument(Form);
    }
}
