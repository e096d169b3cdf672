using System;
using System.IO;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Entries;

/// <summary>Answers GET and HEAD for an entry.</summary>
/// <remarks>
/// Value and version come from one optimistic read or one lease, so body, length, content type and ETag always belong together. A small
/// payload is copied before the first byte is sent. A large one is leased and sent in slices, each after the client has received the one
/// before. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class EntryReader(RequestLimits limits, BufferQuota quota, TimeProvider time)
{
    /// <summary>The longest payload that is copied as a whole, and the slice size of longer ones, in bytes.</summary>
    internal const int SliceBytes = 32 * 1024;

    /// <summary>
    /// The longest value whose payload is certainly no longer than <see cref="SliceBytes"/>: each value has at least one byte of head.
    /// </summary>
    internal const int MaxSmallValueBytes = SliceBytes + 1;

    private const int MaxAcceptBytes = 512;

    private readonly TimeSpan _maxLease = limits.MaxLease;

    internal Task ReadAsync(HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ReadQuery asked)
    {
        if (asked.IsPeek)
            return AnswerPeek(context, table, key, asked);
        bool wantsBody = context.Request.Method == "GET";
        // Most conditional reads end with 304, which needs only the start of the value.
        if (!wantsBody || Preconditions.Has(context.Request.Headers))
        {
            Task? answer = AnswerWithoutBody(context, table, key, asked, isLast: !wantsBody);
            if (answer != null)
                return answer;
        }
        return AnswerWithBody(context, table, key, asked);
    }

    private Task? AnswerWithoutBody(
        HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ReadQuery asked, bool isLast)
    {
        Span<byte> start = stackalloc byte[StoredValue.MaxHeadBytes];
        if (!table.ByUtf8().TryReadStart(key, start, bytesOnly: true, out int copiedBytes, out EntryInfo info))
            return PrebuiltProblem.EntryNotFound.WriteAsync(context);
        if (!TryDescribe(context, table, info, start[..copiedBytes], asked, out Representation found))
            return NotServable(context, table, key);
        Task? refusal = CheckConditions(context, table, found, asked);
        if (refusal != null || !isLast)
            return refusal;
        return AnswerHead(context, table, found);
    }

    private static Task AnswerHead(HttpContext context, CacheTable table, in Representation found)
    {
        found.DescribePayloadTo(context.Response, table);
        if (!found.IsDecoded)
            context.Response.ContentLength = found.StoredBytes;
        return Task.CompletedTask;
    }

    private Task AnswerWithBody(HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ReadQuery asked)
    {
        ValueBuffer? buffer = ValueBuffer.Rent(null);
        try
        {
            int valueBytes = table.ByUtf8().Read(key, buffer, MaxSmallValueBytes, bytesOnly: true, out EntryInfo info);
            if (valueBytes == AlternateLookup<ReadOnlySpan<byte>, byte[]>.Missing)
                return PrebuiltProblem.EntryNotFound.WriteAsync(context);
            if (valueBytes < 0)
                return AnswerLarge(context, table, key, asked);
            if (!TryDescribe(context, table, info, buffer.WrittenSpan, asked, out Representation found))
                return NotServable(context, table, key);
            if (CheckConditions(context, table, found, asked) is { } refusal)
                return refusal;
            if (!TryStart(context, table, found, out ByteRange range))
                return RangeOutside(context, found);
            ReadOnlyMemory<byte> payload = buffer.WrittenMemory[found.HeadBytes..].Slice(range.Offset, range.LengthBytes);
            if (!found.IsDecoded)
                return SlicedBody.SendAtOnce(context.Response, payload.Span);
            Task sending = DecodeAsync(context.Response, payload, found.Coding, buffer);
            buffer = null;
            return sending;
        }
        finally
        {
            if (buffer != null)
                ValueBuffer.Return(buffer);
        }
    }

    private Task AnswerLarge(HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ReadQuery asked)
    {
        return table.ByUtf8().TryLease(key, out PileLease? lease, out EntryInfo info)
            ? AnswerLeased(context, table, key, asked, lease, info)
            : PrebuiltProblem.EntryNotFound.WriteAsync(context);
    }

    private Task AnswerPeek(HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ReadQuery asked)
    {
        if (!table.ByUtf8().TryPeek(key, out StoredEntry entry, out PileLease? lease))
            return PrebuiltProblem.EntryNotFound.WriteAsync(context);
        EntryPeek.DescribeTo(context.Response.Headers, entry.Attributes);
        return AnswerLeased(context, table, key, asked, lease, entry.Info);
    }

    /// <summary>Answers with a leased value, and ends the lease.</summary>
    private Task AnswerLeased(
        HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, ReadQuery asked, PileLease? lease, EntryInfo info)
    {
        try
        {
            if (lease!.Kind != PayloadKind.Bytes || !TryDescribe(context, table, info, lease.Span, asked, out Representation found))
                return NotServable(context, table, key);
            if (CheckConditions(context, table, found, asked) is { } refusal)
                return refusal;
            if (context.Request.Method != "GET")
                return AnswerHead(context, table, found);
            if (!TryStart(context, table, found, out ByteRange range))
                return RangeOutside(context, found);
            ReadOnlyMemory<byte> payload = lease.Memory[found.HeadBytes..].Slice(range.Offset, range.LengthBytes);
            var leased =
                new LeasedPayload(lease, payload, quota.ForAnswers, time, _maxLease, EntryPeek.IsCurrent(table, key, info.Version));
            lease = null;
            return SendLeasedAsync(context.Response, leased, found.IsDecoded ? found.Coding : ContentCoding.Identity);
        }
        finally
        {
            lease?.Dispose();
        }
    }

    private static bool TryDescribe(
        HttpContext context, CacheTable table, in EntryInfo info, ReadOnlySpan<byte> start, ReadQuery asked, out Representation found)
    {
        found = default;
        if (table.HasOpaqueValues
            || !StoredValue.TryReadHead(start, out string? contentType, out ContentCoding coding, out int headBytes))
            return false;
        found = new Representation(
            info, contentType, coding, FormFor(context.Request.Headers.AcceptEncoding, coding), headBytes, IsOfNow: asked != default);
        return true;
    }

    private static PayloadForm FormFor(StringValues header, ContentCoding coding)
    {
        if (header.Count == 0)
            return AcceptEncoding.Choose(default, coding);
        string joined = header.ToString();
        Span<byte> buffer = stackalloc byte[MaxAcceptBytes];
        // An absurdly long header is ignored.
        return joined.Length <= MaxAcceptBytes && Encoding.ASCII.TryGetBytes(joined, buffer, out int length)
            ? AcceptEncoding.Choose(buffer[..length], coding)
            : AcceptEncoding.Choose(default, coding);
    }

    /// <summary>The answer of a read that ends before its payload is needed, or <see langword="null"/>.</summary>
    private static Task? CheckConditions(HttpContext context, CacheTable table, in Representation found, ReadQuery asked)
    {
        long ageTicks = table.GetAge(found.Info, out _).Ticks;
        if (asked.MaxAgeSeconds is { } seconds && Freshness.IsStale(ageTicks, seconds))
            return PrebuiltProblem.EntryStale.WriteAsync(context);
        if (found.Form == PayloadForm.None)
        {
            Vary(context, found);
            return PrebuiltProblem.EncodingRefused.WriteAsync(context);
        }
        IHeaderDictionary headers = context.Request.Headers;
        if (!Preconditions.Has(headers))
            return null;
        switch (Preconditions.Check(headers, found.Tag, Freshness.LastModified(found.Info)))
        {
            case StatusCodes.Status412PreconditionFailed:
                return PrebuiltProblem.Precondition.WriteAsync(context);
            case StatusCodes.Status304NotModified:
                context.Response.StatusCode = StatusCodes.Status304NotModified;
                found.DescribeTo(context.Response, table);
                return Task.CompletedTask;
            default:
                return null;
        }
    }

    /// <summary>Writes the head of 200 or 206.</summary>
    /// <returns><see langword="false"/> if the range can't be satisfied; nothing is written then.</returns>
    private static bool TryStart(HttpContext context, CacheTable table, in Representation found, out ByteRange range)
    {
        range = new ByteRange(0, found.StoredBytes);
        RangeKind kind = found.IsDecoded ? RangeKind.Whole : KindOf(context.Request.Headers, found, ref range);
        if (kind == RangeKind.Unsatisfiable)
            return false;
        HttpResponse response = context.Response;
        found.DescribePayloadTo(response, table);
        if (!found.IsDecoded)
            response.ContentLength = range.LengthBytes;
        if (kind == RangeKind.Part)
        {
            response.StatusCode = StatusCodes.Status206PartialContent;
            response.Headers.ContentRange = range.Describe(found.StoredBytes);
        }
        return true;
    }

    private static RangeKind KindOf(IHeaderDictionary headers, in Representation found, ref ByteRange range)
    {
        if (headers.Range is not [{ } header] || !Preconditions.AllowRange(headers, found.Tag))
            return RangeKind.Whole;
        RangeKind kind = ByteRange.Read(header, found.StoredBytes, out ByteRange part);
        if (kind == RangeKind.Part)
            range = part;
        return kind;
    }

    private static async Task DecodeAsync(HttpResponse response, ReadOnlyMemory<byte> payload, ContentCoding coding, ValueBuffer buffer)
    {
        try
        {
            using Stream decoded = PayloadDecoder.Open(new MemoryReader(payload), coding);
            while (await TrySendSliceAsync(response, decoded, null).ConfigureAwait(false))
            {
            }
        }
        finally
        {
            ValueBuffer.Return(buffer);
        }
    }

    private static async Task SendLeasedAsync(HttpResponse response, LeasedPayload leased, ContentCoding coding)
    {
        using Stream payload = PayloadDecoder.Open(leased, coding); // closes the lease with itself
        try
        {
            while (await TrySendSliceAsync(response, payload, leased).ConfigureAwait(false))
            {
            }
        }
        catch (BufferQuotaException)
        {
            response.HttpContext.Abort(); // the quota is exhausted: so slow a client must not hold memory that others need
        }
    }

    /// <summary>Sends the next slice, and waits until the client can receive another one.</summary>
    /// <returns><see langword="false"/> at the end, and when the client has gone.</returns>
    private static async ValueTask<bool> TrySendSliceAsync(HttpResponse response, Stream payload, LeasedPayload? leased)
    {
        PipeWriter writer = response.BodyWriter;
        int lengthBytes = payload.Read(writer.GetSpan(SliceBytes)[..SliceBytes]);
        if (lengthBytes == 0)
            return false;
        writer.Advance(lengthBytes);
        ValueTask<bool> flush = SlicedBody.TryFlushAsync(response, writer.FlushAsync(), leased?.HoldsQuota == true, lengthBytes);
        if (leased is not { IsLeased: true })
            return await flush.ConfigureAwait(false);
        Task<bool> sending = flush.AsTask();
        await leased.WaitAsync(sending).ConfigureAwait(false);
        // The wait may have made a copy: from here on the client may hold quota.
        return await ClientWaits.ForAsync(response.HttpContext, new ValueTask<bool>(sending), leased.HoldsQuota).ConfigureAwait(false);
    }

    private static Task RangeOutside(HttpContext context, in Representation found)
    {
        context.Response.Headers.ContentRange = $"bytes */{found.StoredBytes}";
        context.Response.Headers.AcceptRanges = "bytes";
        Vary(context, found);
        return ProblemResponse.WriteAsync(context, ProblemCatalog.RangeOutside);
    }

    private static void Vary(HttpContext context, in Representation found)
    {
        if (found.Coding != ContentCoding.Identity)
            context.Response.Headers.Append(HeaderNames.Vary, HeaderNames.AcceptEncoding);
    }

    private static Task NotServable(HttpContext context, CacheTable table, ReadOnlySpan<byte> key) =>
        ProblemResponse.WriteAsync(context, ProblemCatalog.OpaqueValue.Of(table.Name, key));
}
