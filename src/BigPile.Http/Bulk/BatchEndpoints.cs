using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>Answers <c>:mget</c>, <c>:mset</c> and <c>:mdelete</c>.</summary>
/// <remarks>
/// Each item is read or changed as if by its own request, and has its own status: a batch is not atomic. Thread safety: all members may be
/// called concurrently.
/// </remarks>
internal sealed class BatchEndpoints(RequestLimits limits, BufferQuota quota, ExpensiveWork work, TimeProvider time)
{
    private const int Missing = AlternateLookup<ReadOnlySpan<byte>, byte[]>.Missing;
    private const int TooLong = AlternateLookup<ReadOnlySpan<byte>, byte[]>.TooLong;

    private readonly int _maxItems = limits.MaxBatchItems;
    private readonly long _maxBytes = limits.MaxBatchBytes;

    /// <summary>Reads entries.</summary>
    internal async Task<Problem?> GetAsync(HttpContext context, ServedTables tables, string tableName)
    {
        BatchForm form = BatchForms.Choose(context.Request.Headers.Accept);
        if (form == BatchForm.None)
            return ProblemCatalog.NotAcceptable;
        using Batch.Loan loan = Batch.Lend(quota, out Batch batch);
        if (await ReadKeysAsync(context, batch).ConfigureAwait(false) is { } unread)
            return unread;
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return ProblemMapper.ForMissingTable(tables, tableName);
        batch.Values.ChargeTo(quota.ForAnswers);
        _ = table.ByUtf8().ReadMany(
            batch.Keys, batch.Ends, batch.Values, _maxBytes, bytesOnly: true, batch.Lengths, batch.Infos, context.RequestAborted);
        Describe(batch, table);
        await BatchAnswer.WriteAsync(context, batch, form, time).ConfigureAwait(false);
        return null;
    }

    /// <summary>Removes entries.</summary>
    internal async Task<Problem?> DeleteAsync(HttpContext context, ServedTables tables, string tableName)
    {
        BatchForm form = FormOfResults(context);
        if (form == BatchForm.None)
            return ProblemCatalog.NotAcceptable;
        using Batch.Loan loan = Batch.Lend(quota, out Batch batch);
        if (await ReadKeysAsync(context, batch).ConfigureAwait(false) is { } unread)
            return unread;
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return ProblemMapper.ForMissingTable(tables, tableName);
        for (int i = 0; i < batch.Count; i++)
        {
            context.RequestAborted.ThrowIfCancellationRequested();
            batch.Items[i] = table.ByUtf8().Remove(batch.Key(i))
                ? BatchItem.Of(StatusCodes.Status204NoContent, default)
                : BatchItem.Of(ProblemCatalog.EntryNotFound);
        }
        await BatchAnswer.WriteAsync(context, batch, form, time).ConfigureAwait(false);
        return null;
    }

    /// <summary>Puts entries. The request's headers for lifetime, priority and tags are the defaults of its items.</summary>
    internal async Task<Problem?> SetAsync(HttpContext context, ServedTables tables, string tableName)
    {
        BatchForm form = FormOfResults(context);
        if (form == BatchForm.None)
            return ProblemCatalog.NotAcceptable;
        if (BodyBuffer.CheckCoding(context.Request) is { } coded)
            return coded;
        if (LifetimeHeaders.Read(context.Request, time, out EntryOptions? common) is { } invalid)
            return invalid;
        using Batch.Loan loan = Batch.Lend(quota, out Batch batch);
        if (await BodyBuffer.ReadAsync(context, batch.Body, _maxBytes).ConfigureAwait(false) is { } unread)
            return unread with { Code = ProblemCatalog.LongBatch.Code, Title = ProblemCatalog.LongBatch.Title };
        var target = new PutTarget(tables, tableName, context.Features.Get<HeldKey>());
        if (target.Check() is { } refusal)
            return refusal;
        var puts = new BatchPuts(target, batch, common, limits, time, context.RequestAborted);
        if (await RunAsync(puts, context).ConfigureAwait(false) is { } wrong)
            return wrong;
        await BatchAnswer.WriteAsync(context, batch, form, time).ConfigureAwait(false);
        return null;
    }

    private async ValueTask<Problem?> RunAsync(BatchPuts puts, HttpContext context)
    {
        string? contentType = context.Request.ContentType;
        using WorkTurn turn = puts.IsExpensive(contentType) ? await work.EnterAsync(context.RequestAborted).ConfigureAwait(false) : default;
        return puts.Run(contentType);
    }

    // Results of changes have no payload, so multipart does not apply.
    private static BatchForm FormOfResults(HttpContext context) =>
        BatchForms.Choose(context.Request.Headers.Accept) switch
        {
            BatchForm.Multipart => BatchForm.None,
            BatchForm form => form,
        };

    private async ValueTask<Problem?> ReadKeysAsync(HttpContext context, Batch batch) =>
        await BodyBuffer.ReadDocumentAsync(context, batch.Body, limits.MaxBodyBytes).ConfigureAwait(false)
            ?? KeyList.Read(batch, context.Request.ContentType, _maxItems);

    private static void Describe(Batch batch, CacheTable table)
    {
        ReadOnlySpan<byte> values = batch.Values.WrittenSpan;
        bool isOpaque = table.HasOpaqueValues;
        int offset = 0;
        for (int i = 0; i < batch.Count; i++)
        {
            int lengthBytes = batch.Lengths[i];
            batch.Items[i] = lengthBytes switch
            {
                Missing => BatchItem.Of(ProblemCatalog.EntryNotFound),
                _ when isOpaque => BatchItem.Of(ProblemCatalog.OpaqueValue),
                TooLong => BatchItem.Of(ProblemCatalog.LongBatch) with { Info = batch.Infos[i] },
                _ => Describe(values.Slice(offset, lengthBytes), offset, batch.Infos[i]),
            };
            offset += Math.Max(0, lengthBytes);
        }
    }

    private static BatchItem Describe(ReadOnlySpan<byte> value, int offset, in EntryInfo info)
    {
        if (!StoredValue.TryReadHead(value, out string? contentType, out ContentCoding coding, out int headBytes))
            return BatchItem.Of(ProblemCatalog.OpaqueValue);
        return new BatchItem(StatusCodes.Status200OK, null, info, contentType, coding, offset + headBytes, value.Length - headBytes);
    }
}
