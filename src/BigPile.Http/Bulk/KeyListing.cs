using System;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Bulk;

/// <summary>Answers <c>GET /v1/tables/{table}/keys</c>: one page of keys, as JSON, or as NDJSON on request.</summary>
internal sealed class KeyListing(PileHost host, BufferQuota quota)
{
    private const int DefaultLimit = 1000;
    private const int MaxLimit = 10_000;
    private const string Ndjson = "application/x-ndjson";

    private static readonly JsonWriterOptions JsonOptions = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    internal async Task GetAsync(HttpContext context)
    {
        string name = (string?)context.GetRouteValue("table") ?? "";
        Problem? problem;
        try
        {
            problem = await AnswerAsync(context, name).ConfigureAwait(false);
        }
        catch (Exception e) when (ProblemMapper.FromException(e, 0) is { } known)
        {
            problem = known with { Table = name };
        }
        if (problem != null)
            await ProblemResponse.WriteAsync(context, problem).ConfigureAwait(false);
    }

    private async ValueTask<Problem?> AnswerAsync(HttpContext context, string name)
    {
        if (!TableName.IsValid(name))
            return ProblemCatalog.InvalidTableName;
        if (host.Tables is not { } tables)
            return ProblemCatalog.NotReady;
        if (!tables.TryGet(name, out CacheTable<string, byte[]>? table))
            return ProblemMapper.ForMissingTable(tables, name) with { Table = name };
        IQueryCollection query = context.Request.Query;
        int limit = DefaultLimit;
        string? statedLimit = query["limit"];
        if (statedLimit != null
            && (!int.TryParse(statedLimit, NumberStyles.None, CultureInfo.InvariantCulture, out limit) || limit is < 1 or > MaxLimit))
        {
            return ProblemCatalog.InvalidQuery("limit", statedLimit, $"a number from 1 to {MaxLimit}");
        }
        int origin = HashCode.Combine(tables.Session, RuntimeHelpers.GetHashCode(table));
        KeyCursor start = default;
        if (!string.IsNullOrEmpty(query["cursor"]) && !KeyCursor.TryParse(query["cursor"]!, origin, out start))
            return ProblemCatalog.InvalidCursor;
        if (KeyPrefix.Read(context.Request.QueryString, out byte[] prefix) is { } wrong)
            return wrong;
        var page = KeyPage.Read(table, start, prefix, limit, context.RequestAborted);
        await WriteAsync(context, page, page.Next?.Format(origin)).ConfigureAwait(false);
        return null;
    }

    private async Task WriteAsync(HttpContext context, KeyPage page, string? cursor)
    {
        bool isLines = WantsLines(context.Request.Headers.Accept);
        using ValueBuffer.Loan loan = ValueBuffer.Lend(quota.ForAnswers, out ValueBuffer document);
        if (isLines)
            WriteLines(document, page, cursor);
        else
            WriteDocument(document, page, cursor);
        context.Response.ContentType = isLines ? Ndjson : MediaTypes.Json;
        context.Response.ContentLength = document.WrittenSpan.Length;
        context.Response.Headers.CacheControl = "no-store";
        await SlicedBody.SendAsync(context.Response, document.WrittenMemory, holdsQuota: true).ConfigureAwait(false);
    }

    private static bool WantsLines(StringValues accept)
    {
        string header = accept.ToString();
        AcceptedType lines = AcceptedType.Of(header, Ndjson);
        AcceptedType json = AcceptedType.Of(header, MediaTypes.Json);
        return lines.Weight > json.Weight || (lines.Weight == json.Weight && lines.Weight != 0 && lines.Place < json.Place);
    }

    private static void WriteDocument(ValueBuffer document, KeyPage page, string? cursor)
    {
        using var json = new Utf8JsonWriter(document, JsonOptions);
        json.WriteStartObject();
        json.WriteStartArray("keys"u8);
        foreach (ReadOnlyMemory<byte> key in page.Keys)
            json.WriteStringValue(key.Span);
        json.WriteEndArray();
        if (cursor != null)
            json.WriteString("cursor"u8, cursor);
        json.WriteEndObject();
    }

    private static void WriteLines(ValueBuffer document, KeyPage page, string? cursor)
    {
        using var json = new Utf8JsonWriter(document, JsonOptions);
        foreach (ReadOnlyMemory<byte> key in page.Keys)
            WriteLine(json, document, "key"u8, key.Span);
        if (cursor != null)
            WriteLine(json, document, "cursor"u8, Encoding.ASCII.GetBytes(cursor));
    }

    private static void WriteLine(Utf8JsonWriter json, ValueBuffer document, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        json.WriteStartObject();
        json.WriteString(name, value);
        json.WriteEndObject();
        json.Flush();
        document.GetSpan(1)[0] = (byte)'\n';
        document.Advance(1);
        json.Reset();
    }
}
