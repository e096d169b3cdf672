using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Problems;
using BigPile.Caching;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore.Entries;

/// <summary>Answers PUT and DELETE for an entry.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class EntryWriter(IOptions<BigPileOptions> options, ILogger<EntryWriter> logger)
{
    private readonly long _maxBodyBytes = options.Value.MaxBodyBytes;

    internal async Task PutAsync(HttpContext context, ServedTables tables, string tableName, byte[] key)
    {
        Problem? problem;
        try
        {
            problem = PutRules.Check(context.Request, _maxBodyBytes)
                ?? await PutBodyAsync(context, tables, tableName, key).ConfigureAwait(false);
        }
        catch (Exception e) when (Explain(e) is { } known)
        {
            problem = known;
        }
        if (problem != null)
            await ProblemResponse.WriteAsync(context, problem.Of(tableName, key)).ConfigureAwait(false);
    }

    internal async Task DeleteAsync(HttpContext context, ServedTables tables, string tableName, byte[] key)
    {
        Problem? problem;
        try
        {
            problem = PutRules.CheckConditions(context.Request.Headers) ?? Delete(tables, tableName, key);
        }
        catch (Exception e) when (Explain(e) is { } known)
        {
            problem = known;
        }
        if (problem != null)
            await ProblemResponse.WriteAsync(context, problem.Of(tableName, key)).ConfigureAwait(false);
        else
            context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private static Problem? Delete(ServedTables tables, string tableName, byte[] key)
    {
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return tables.Exists(tableName) ? ProblemCatalog.OtherKeyType : ProblemCatalog.TableNotFound;
        return table.RemoveUtf8(key) ? null : ProblemCatalog.EntryNotFound;
    }

    private async Task<Problem?> PutBodyAsync(HttpContext context, ServedTables tables, string tableName, byte[] key)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
            limit.MaxRequestBodySize = _maxBodyBytes;
        ValueBuffer buffer = ValueBuffer.Rent();
        try
        {
            StoredValue.WriteHead(buffer, PutRules.ContentTypeOf(context.Request));
            long limitBytes = buffer.WrittenSpan.Length + _maxBodyBytes;
            if (!await TryReadBodyAsync(context.Request.BodyReader, buffer, limitBytes).ConfigureAwait(false))
                return ProblemCatalog.BodyTooLarge(_maxBodyBytes, null);
            if (!tables.TryGetOrCreate(tableName, out CacheTable<string, byte[]>? table))
                return ProblemCatalog.OtherKeyType;
            PutResult result = table.PutBytesUtf8(key, buffer.WrittenSpan, out EntryInfo info);
            Confirm(context.Response, result, info, tableName, key);
            return null;
        }
        finally
        {
            ValueBuffer.Return(buffer);
        }
    }

    // The server keeps to the limit too; this also holds where the limit can't be set.
    private static async Task<bool> TryReadBodyAsync(PipeReader reader, ValueBuffer buffer, long limitBytes)
    {
        while (true)
        {
            ReadResult result = await reader.ReadAsync().ConfigureAwait(false);
            if (buffer.WrittenSpan.Length + result.Buffer.Length > limitBytes)
                return false;
            foreach (ReadOnlyMemory<byte> part in result.Buffer)
                buffer.Write(part.Span);
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
                return true;
        }
    }

    private static void Confirm(HttpResponse response, PutResult result, EntryInfo info, string tableName, byte[] key)
    {
        response.Headers.ETag = EntityTag.Of(info.Version);
        if (result == PutResult.Replaced)
        {
            response.StatusCode = StatusCodes.Status204NoContent;
            return;
        }
        response.StatusCode = StatusCodes.Status201Created;
        response.Headers.Location = EntryTarget.PathOf(tableName, Encoding.UTF8.GetString(key));
        response.ContentLength = 0;
    }

    private Problem? Explain(Exception exception)
    {
        switch (exception)
        {
            case BadHttpRequestException { StatusCode: StatusCodes.Status413PayloadTooLarge }:
                return ProblemCatalog.BodyTooLarge(_maxBodyBytes, null);
            case BadHttpRequestException bad:
                return ProblemCatalog.BadBody with { Status = bad.StatusCode, Detail = bad.Message };
            case ObjectDisposedException:
                return ProblemCatalog.NotReady;
            case PileFullException full:
                return ProblemCatalog.PileFull with { Detail = full.Message };
            case PileException failed:
                logger.LogError(failed, "A change of an entry failed");
                return ProblemCatalog.PileFailed with { Detail = failed.Message };
            default:
                return null;
        }
    }
}
