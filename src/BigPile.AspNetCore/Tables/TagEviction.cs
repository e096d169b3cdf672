using System.Collections.Generic;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore.Entries;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Problems;
using BigPile.Caching;
using Microsoft.AspNetCore.Http;

namespace BigPile.AspNetCore.Tables;

/// <summary>Answers <c>:evict</c>: removes all entries of a table that have one of some tags.</summary>
internal sealed class TagEviction(BigPileOptions options)
{
    private const string Form = "It must be an object with one member 'tags', an array of texts that are not empty.";

    internal async Task<Problem?> EvictAsync(HttpContext context, ServedTables tables, string tableName)
    {
        ValueBuffer body = ValueBuffer.Rent();
        try
        {
            if (await BodyBuffer.ReadAsync(context, body, options.MaxBodyBytes).ConfigureAwait(false) is { } unread)
                return unread;
            List<string> tags = [];
            if (Read(body, tags) is { } invalid)
                return invalid;
            if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
                return tables.Exists(tableName) ? ProblemCatalog.OtherKeyType : ProblemCatalog.TableNotFound;
            foreach (string tag in tags)
                table.RemoveByTag(tag);
            context.Response.StatusCode = StatusCodes.Status204NoContent;
            return null;
        }
        finally
        {
            ValueBuffer.Return(body);
        }
    }

    private Problem? Read(ValueBuffer body, List<string> tags)
    {
        try
        {
            using var document = JsonDocument.Parse(body.WrittenMemory);
            if (document.RootElement.ValueKind != JsonValueKind.Object || !document.RootElement.TryGetProperty("tags", out JsonElement list)
                || list.ValueKind != JsonValueKind.Array)
            {
                return ProblemCatalog.InvalidDocument(Form);
            }
            foreach (JsonElement tag in list.EnumerateArray())
            {
                if (tag.ValueKind != JsonValueKind.String || tag.GetString() is not { Length: > 0 } text)
                    return ProblemCatalog.InvalidDocument(Form);
                tags.Add(text);
            }
            return tags.Count <= options.MaxBatchItems ? null : ProblemCatalog.BatchTooLarge("tags", options.MaxBatchItems, tags.Count);
        }
        catch (JsonException e)
        {
            return ProblemCatalog.InvalidDocument($"{Form} {e.Message}");
        }
    }
}
