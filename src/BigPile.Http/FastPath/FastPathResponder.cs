using System;
using System.IO.Pipelines;
using System.Net;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Metrics;
using BigPile.Http.Protocol;
using BigPile.Http.Security;

namespace BigPile.Http.FastPath;

/// <summary>Writes the answers of the fast path to a connection's output.</summary>
/// <param name="endpoint">The endpoint.</param>
/// <param name="output">The connection's output.</param>
/// <param name="client">The client's address.</param>
/// <remarks>Thread safety: none; it belongs to one connection.</remarks>
internal sealed class FastPathResponder(FastPathEndpoint endpoint, PipeWriter output, EndPoint? client = null)
{
    private const int MaxTextLength = 64;

    // Bytes that a head may be longer than the last one: an age or a length may gain digits.
    private const int HeadSlackBytes = 8;

    private const int Missing = AlternateLookup<ReadOnlySpan<byte>, byte[]>.Missing;

    private readonly SpaceBehindHead _space = new(output);

    /// <summary>Answers since the last <see cref="MarkSent"/>.</summary>
    private FastPathTally _tally;
    /// <summary>
    /// Length of the last head without the stored head: where the next value is copied to, a guess that saves a second copy.
    /// </summary>
    private int _lastHeadBytes;

    /// <summary>Bytes that are written and not flushed.</summary>
    internal int UnsentBytes { get; private set; }

    /// <summary>Whether the last request's rate-limit permit was taken here, so that the stack must not take another.</summary>
    internal bool HasPermit { get; private set; }

    /// <summary>Answers a request if the fast path supports it.</summary>
    /// <param name="head">The request.</param>
    /// <param name="isLast">Whether the connection closes after the answer.</param>
    /// <returns><see langword="false"/>: the full stack must answer, and nothing was written.</returns>
    internal bool TryAnswer(RequestHead head, bool isLast)
    {
        if (endpoint.Log is not { IsOn: true } log)
            return TryAnswerTimed(head, isLast);
        FastPathTally before = _tally;
        long started = endpoint.Time.GetTimestamp();
        if (!TryAnswerTimed(head, isLast))
            return false;
        if (log.CountRead())
        {
            log.Write(
                head.IsHead ? "HEAD" : "GET", head.Table, head.Key, client, endpoint.Guard.IsOpen ? default : head.Authorization,
                _tally.StatusSince(before), endpoint.Time.GetElapsedTime(started));
        }
        return true;
    }

    private bool TryAnswerTimed(RequestHead head, bool isLast)
    {
        if (endpoint.Latency is not { } latency || !latency.TryBegin(out long started))
            return TryAnswerUntimed(head, isLast);
        bool isAnswered = TryAnswerUntimed(head, isLast);
        if (isAnswered)
            latency.End(started, isRead: true);
        return isAnswered;
    }

    private bool TryAnswerUntimed(RequestHead head, bool isLast)
    {
        HasPermit = false;
        if (endpoint.Host.Tables is not { } tables || !tables.TryGet(head.Table, out CacheTable<string, byte[]>? table)
            || table.HasOpaqueValues)
            return false;
        if (!endpoint.Guard.IsOpen && endpoint.Guard.CheckRead(head.Authorization, head.Table) != EntryAccess.Allowed)
            return false;
        HasPermit = !endpoint.Guard.IsOpen;
        try
        {
            return head.IsHead || !head.Tags.IsEmpty
                ? TryAnswerByHead(table, head, isLast)
                : TryAnswerWhole(table, head, isLast);
        }
        catch (Exception e) when (e is ObjectDisposedException or PileException)
        {
            return false;
        }
    }

    /// <summary>Writes the 408 for a head that timed out.</summary>
    internal void WriteTimeout()
    {
        var writer = new HeadWriter(stackalloc byte[AnswerHead.MaxBytes]);
        Span<byte> text = stackalloc byte[AnswerHead.Timeout.Length];
        System.Text.Encoding.ASCII.GetBytes(AnswerHead.Timeout, text);
        writer.Add(text);
        writer.Add(endpoint.Date.At(endpoint.Time.GetUtcNow().UtcTicks));
        writer.Add(endpoint.Closing(isLast: false));
        Write(writer.Written);
        endpoint.Counters.CountTimeout();
    }

    /// <summary>Adds the tally to the counters, and takes the unsent bytes as sent.</summary>
    internal void MarkSent()
    {
        endpoint.Counters.Add(ref _tally);
        UnsentBytes = 0;
    }

    private bool TryAnswerByHead(CacheTable<string, byte[]> table, RequestHead head, bool isLast)
    {
        Span<byte> start = stackalloc byte[StoredValue.MaxHeadBytes];
        if (!table.ByUtf8().TryReadStart(head.Key, start, bytesOnly: true, out int copiedBytes, out EntryInfo info))
            return WriteNotFound(head, isLast);
        if (!TryReadStoredHead(head, start[..copiedBytes], out StoredHead stored))
            return false;
        if (!head.Tags.IsEmpty && IsKnown(head.Tags, info.Version))
            return WriteNotModified(table, info, stored, isLast);
        if (!head.IsHead)
            return TryAnswerWhole(table, head, isLast);
        if (info.ValueBytes > EntryReader.MaxSmallValueBytes)
            return false;
        var writer = new HeadWriter(stackalloc byte[AnswerHead.MaxBytes]);
        WriteOk(ref writer, table, info, stored, isLast);
        Write(writer.Written);
        _tally.Found++;
        return true;
    }

    private bool TryAnswerWhole(CacheTable<string, byte[]> table, RequestHead head, bool isLast) =>
        TryAnswerWhole(table, head, isLast, _lastHeadBytes + HeadSlackBytes, out bool isHeadLonger)
        || (isHeadLonger && TryAnswerWhole(table, head, isLast, AnswerHead.MaxBytes, out _));

    /// <summary>Answers with a value, which is copied once, from the pile to the output.</summary>
    /// <param name="table">The table.</param>
    /// <param name="head">The request.</param>
    /// <param name="isLast">Whether the connection closes after the answer.</param>
    /// <param name="headBytes">Bytes to reserve for the head; the fewer, the more answers fit into one memory block of the output.</param>
    /// <param name="isHeadLonger">Whether the head did not fit into the reserved bytes.</param>
    private bool TryAnswerWhole(CacheTable<string, byte[]> table, RequestHead head, bool isLast, int headBytes, out bool isHeadLonger)
    {
        isHeadLonger = false;
        _space.Begin(_lastHeadBytes, headBytes);
        int valueBytes = table.ByUtf8().Read(head.Key, _space, EntryReader.MaxSmallValueBytes, bytesOnly: true, out EntryInfo info);
        if (valueBytes == Missing)
            return WriteNotFound(head, isLast);
        if (valueBytes < 0)
            return false;
        Span<byte> buffer = _space.Buffer;
        if (!TryReadStoredHead(head, buffer.Slice(_lastHeadBytes, valueBytes), out StoredHead stored))
            return false;
        var writer = new HeadWriter(stackalloc byte[AnswerHead.MaxBytes]);
        WriteOk(ref writer, table, info, stored, isLast);
        isHeadLonger = writer.LengthBytes + valueBytes > buffer.Length;
        if (isHeadLonger)
            return false;
        PlaceHead(buffer, writer.Written, stored.HeadBytes, valueBytes);
        _tally.Found++;
        return true;
    }

    // The value lies where its payload would follow a head as long as the last one; otherwise the payload moves once more.
    private void PlaceHead(Span<byte> buffer, ReadOnlySpan<byte> head, int storedHeadBytes, int valueBytes)
    {
        int payloadBytes = valueBytes - storedHeadBytes;
        int offset = _lastHeadBytes + storedHeadBytes;
        if (offset != head.Length)
            buffer.Slice(offset, payloadBytes).CopyTo(buffer[head.Length..]);
        head.CopyTo(buffer);
        _lastHeadBytes = head.Length - storedHeadBytes;
        Advance(head.Length + payloadBytes);
    }

    /// <summary>Parses the stored head in front of a payload.</summary>
    /// <returns><see langword="false"/> if the payload can't be sent as it is stored.</returns>
    private static bool TryReadStoredHead(RequestHead head, ReadOnlySpan<byte> start, out StoredHead stored) =>
        StoredHead.TryReadCoded(start, out stored)
        && (head.Accept.IsEmpty && stored.Coding == ContentCoding.Identity
            || AcceptEncoding.Choose(head.Accept, stored.Coding) == PayloadForm.AsStored);

    private static bool IsKnown(ReadOnlySpan<byte> tags, ulong version)
    {
        Span<char> list = stackalloc char[MaxTextLength];
        Span<char> tag = stackalloc char[EntityTag.MaxLength];
        int length = System.Text.Encoding.ASCII.GetChars(tags, list);
        return EntityTag.IsNamedBy(list[..length], tag[..EntityTag.Format(version, isDecoded: false, tag)]);
    }

    private void WriteOk(ref HeadWriter writer, CacheTable table, in EntryInfo info, in StoredHead stored, bool isLast)
    {
        long ageTicks = table.GetAge(info, out DateTimeOffset now).Ticks;
        AnswerHead.WriteOk(
            ref writer, info, stored, ageTicks, table.Options.PublicMaxAge, endpoint.Date.At(now.UtcTicks),
            endpoint.Closing(isLast));
    }

    private bool WriteNotModified(CacheTable table, in EntryInfo info, in StoredHead stored, bool isLast)
    {
        long ageTicks = table.GetAge(info, out DateTimeOffset now).Ticks;
        var writer = new HeadWriter(stackalloc byte[AnswerHead.MaxBytes]);
        AnswerHead.WriteNotModified(
            ref writer, info, stored, ageTicks, table.Options.PublicMaxAge, endpoint.Date.At(now.UtcTicks),
            endpoint.Closing(isLast));
        Write(writer.Written);
        _tally.NotModified++;
        return true;
    }

    private bool WriteNotFound(RequestHead head, bool isLast)
    {
        var writer = new HeadWriter(stackalloc byte[AnswerHead.MaxBytes]);
        AnswerHead.WriteNotFound(ref writer, endpoint.Date.At(endpoint.Time.GetUtcNow().UtcTicks), endpoint.Closing(isLast));
        Write(writer.Written);
        if (!head.IsHead)
            Write(PrebuiltProblem.EntryNotFound.Body);
        _tally.NotFound++;
        return true;
    }

    private void Write(ReadOnlySpan<byte> bytes)
    {
        Span<byte> buffer = output.GetSpan(bytes.Length);
        bytes.CopyTo(buffer);
        Advance(bytes.Length);
    }

    private void Advance(int lengthBytes)
    {
        output.Advance(lengthBytes);
        UnsentBytes += lengthBytes;
    }
}
