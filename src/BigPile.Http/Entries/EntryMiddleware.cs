using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Metrics;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace BigPile.Http.Entries;

/// <summary>
/// Serves entries ahead of routing. A read runs to its end on the caller's thread, and allocates only the strings of its headers.
/// </summary>
internal sealed class EntryMiddleware(RequestDelegate next, PileHost host, EntryReader reader, EntryWriter writer, EntryLatency latency)
{
    private const string AllowedMethods = "GET, HEAD, PUT, POST, DELETE";

    /// <summary>Answers a request for an entry, and passes on any other request.</summary>
    public Task InvokeAsync(HttpContext context)
    {
        string rawTarget = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        if (!EntryTarget.TryParse(rawTarget, out EntryTarget target))
            return next(context);
        if (host.Tables is not { } tables)
            return ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady);
        try
        {
            // A peek is not a client's read, and must not enter the latency figures.
            Problem? badQuery = ReadQuery.Read(target.Query, out ReadQuery asked);
            if (asked.IsPeek || !latency.TryBegin(out long started))
                return AnswerAsync(context, tables, target, asked, badQuery);
            bool isRead = context.Request.Method is "GET" or "HEAD";
            return latency.EndAsync(started, isRead, AnswerAsync(context, tables, target, asked, badQuery));
        }
        catch (ObjectDisposedException)
        {
            return ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady);
        }
    }

    private Task AnswerAsync(HttpContext context, ServedTables tables, EntryTarget target, ReadQuery asked, Problem? badQuery)
    {
        Span<char> nameBuffer = stackalloc char[TableName.MaxLength];
        if (!TableName.TryDecode(target.Table, nameBuffer, out ReadOnlySpan<char> name))
            return ProblemResponse.WriteAsync(context, ProblemCatalog.InvalidTableName);
        Span<byte> keyBuffer = stackalloc byte[EntryKey.MaxBytes];
        ReadOnlySpan<char> rawKey = target.Key;
        EntryAction action = context.Request.Method == "POST" ? EntryWriter.ActionOf(ref rawKey) : EntryAction.Create;
        KeyError error = EntryKey.Decode(rawKey, keyBuffer, out ReadOnlySpan<byte> key);
        if (error != KeyError.None)
            return ProblemResponse.WriteAsync(
                context, ProblemCatalog.InvalidKey(EntryKey.Describe(error)) with { Table = name.ToString() });

        // Methods are case-sensitive (RFC 9110, 9.1).
        switch (context.Request.Method)
        {
            case "GET" or "HEAD":
                return badQuery == null
                    ? ReadAsync(context, tables, name, key, asked)
                    : ProblemResponse.WriteAsync(context, badQuery.Of(name.ToString(), key));
            case "PUT":
                return writer.PutAsync(context, tables, name.ToString(), key.ToArray());
            case "POST":
                return writer.PostAsync(context, tables, name.ToString(), key.ToArray(), action);
            case "DELETE":
                return writer.DeleteAsync(context, tables, name.ToString(), key.ToArray());
            default:
                context.Response.Headers.Allow = AllowedMethods;
                return ProblemResponse.WriteAsync(context, ProblemCatalog.MethodNotAllowed.Of(name.ToString(), key));
        }
    }

    private Task ReadAsync(HttpContext context, ServedTables tables, ReadOnlySpan<char> name, ReadOnlySpan<byte> key, ReadQuery asked)
    {
        Problem problem = ProblemCatalog.TableNotFound;
        try
        {
            if (tables.TryGet(name, out CacheTable<string, byte[]>? table))
                return reader.ReadAsync(context, table, key, asked);
            problem = ProblemMapper.ForMissingTable(tables, name.ToString());
        }
        catch (TableDroppedException)
        {
            // dropped between the lookup and the read
        }
        return ProblemResponse.WriteAsync(context, problem.Of(name.ToString(), key));
    }
}
