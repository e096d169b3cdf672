using System;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace BigPile.Http.Entries;

/// <summary>Serves the objects of one table as JSON.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class JsonEntries<TValue>(
    Func<HttpContext, CacheTable<string, TValue>> find, JsonSerializerOptions json, TimeProvider time, long maxBodyBytes,
    BufferQuota? quota)
{
    internal Task HandleAsync(HttpContext context) => AnswerAsync(context, context.Request.Method switch
    {
        "PUT" => PutAsync,
        "DELETE" => DeleteAsync,
        _ => GetAsync,
    });

    private async Task AnswerAsync(HttpContext context, Func<HttpContext, CacheTable<string, TValue>, string, ValueTask<Problem?>> answer)
    {
        string key = (string?)context.GetRouteValue("key") ?? "";
        string? tableName = null;
        Problem? problem;
        try
        {
            KeyError error = EntryKey.Check(Encoding.UTF8.GetBytes(key));
            CacheTable<string, TValue> table = find(context);
            tableName = table.Name;
            problem = error != KeyError.None
                ? ProblemCatalog.InvalidKey(EntryKey.Describe(error))
                : await answer(context, table, key).ConfigureAwait(false);
        }
        catch (Exception e) when (ProblemMapper.FromException(e, maxBodyBytes) is { } known)
        {
            problem = known;
        }
        if (problem != null)
            await ProblemResponse.WriteAsync(context, problem.Of(tableName ?? "", Encoding.UTF8.GetBytes(key))).ConfigureAwait(false);
    }

    private async ValueTask<Problem?> GetAsync(HttpContext context, CacheTable<string, TValue> table, string key)
    {
        if (!table.TryGet(key, out TValue? value, out EntryInfo info))
            return ProblemCatalog.EntryNotFound;
        string tag = EntityTag.Of(info.Version);
        context.Response.Headers.ETag = tag;
        var writer = new HeaderWriter(context.Response.Headers);
        Answer.DescribeCaching(ref writer, info, table.GetAge(info, out _).Ticks, table.Options.PublicMaxAge);
        if (EntityTag.IsNamedBy(context.Request.Headers.IfNoneMatch, tag))
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return null;
        }
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(value, json);
        context.Response.ContentType = MediaTypes.Json;
        context.Response.ContentLength = body.Length;
        await context.Response.Body.WriteAsync(body, context.RequestAborted).ConfigureAwait(false);
        return null;
    }

    private async ValueTask<Problem?> PutAsync(HttpContext context, CacheTable<string, TValue> table, string key)
    {
        if (!context.Request.HasJsonContentType())
            return ProblemCatalog.UnsupportedType(MediaTypes.Json);
        if (LifetimeHeaders.Read(context.Request, time, out EntryOptions? options) is { } invalid)
            return invalid;
        using ValueBuffer.Loan loan = ValueBuffer.Lend(quota, out ValueBuffer body);
        try
        {
            if (await BodyBuffer.ReadDocumentAsync(context, body, maxBodyBytes).ConfigureAwait(false) is { } unread)
                return unread;
            TValue? value = JsonSerializer.Deserialize<TValue>(body.WrittenSpan, json);
            return value == null ? ProblemCatalog.InvalidDocument("It is null.") : Put(context, table, key, value, options);
        }
        catch (JsonException e)
        {
            return ProblemCatalog.InvalidDocument(e.Message);
        }
    }

    private static Problem? Put(HttpContext context, CacheTable<string, TValue> table, string key, TValue value, EntryOptions? options)
    {
        var condition = WriteCondition.Of(context.Request.Headers);
        PutResult result;
        EntryInfo info;
        if (condition.IsNone)
        {
            result = table.Put(key, value, options, out info);
        }
        else
        {
            bool isThere = table.TryGetInfo(key, out EntryInfo known);
            if (!(isThere ? condition.Allows(known) : condition.AllowsMissing)
                || !table.Update(key, value, isThere ? known.Version : 0, out info, options))
            {
                return ProblemCatalog.Precondition;
            }
            result = isThere ? PutResult.Replaced : PutResult.Inserted;
        }
        if (result == PutResult.Collision)
            return ProblemMapper.FromRefusal(table);
        context.Response.Headers.ETag = EntityTag.Of(info.Version);
        context.Response.StatusCode = result == PutResult.Replaced ? StatusCodes.Status204NoContent : StatusCodes.Status201Created;
        if (result != PutResult.Replaced)
            context.Response.Headers.Location = context.Request.PathBase + context.Request.Path.ToUriComponent();
        return null;
    }

    private static ValueTask<Problem?> DeleteAsync(HttpContext context, CacheTable<string, TValue> table, string key)
    {
        var condition = WriteCondition.Of(context.Request.Headers);
        bool isThere = table.TryGetInfo(key, out EntryInfo known);
        if (!condition.IsNone && !(isThere ? condition.Allows(known) : condition.AllowsMissing))
            return new ValueTask<Problem?>(ProblemCatalog.Precondition);
        // Without a condition the key is removed even if the read did not find it: the table may not have recovered the entry yet.
        bool isRemoved = condition.IsNone ? table.Remove(key) : isThere && table.Remove(key, known.Version);
        if (!isRemoved)
            return new ValueTask<Problem?>(isThere && !condition.IsNone ? ProblemCatalog.Precondition : ProblemCatalog.EntryNotFound);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
        return default;
    }
}
