using System;
using System.IO;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>Puts each line of a JSON-lines stream into a table.</summary>
/// <remarks>
/// With a key field, a line is stored as it is, under the value of that field. Without one, a line is an <see cref="EntryRecord"/>, as an
/// export writes it. An invalid line is skipped and reported. A failure of the pile ends the load; earlier lines stay. Memory: the longest
/// line.
/// </remarks>
internal sealed class BulkLoad : IDisposable
{
    private const int RecordOverheadBytes = 64 * 1024;

    private readonly Func<CacheTable<string, byte[]>> _openTable;
    private readonly RecordKey? _key;
    private readonly EntryRecord? _record;
    private readonly long _maxPayloadBytes;
    private readonly LoadTally _tally;
    private readonly TimeProvider _time;
    private readonly DecodeBudget? _budget;
    private readonly BufferQuota? _quota;
    private readonly ExpensiveWork? _work;
    private readonly ValueBuffer _value = new();

    private CacheTable<string, byte[]>? _table;

    /// <summary>Prepares a load into an existing table.</summary>
    internal BulkLoad(CacheTable<string, byte[]> table, string? keyField, long maxPayloadBytes, LoadTally tally, TimeProvider time)
        : this(() => table, keyField, maxPayloadBytes, tally, time)
    {
    }

    /// <summary>Prepares a load.</summary>
    /// <param name="openTable">Opens the table; called with the first valid entry.</param>
    /// <param name="keyField">The field that holds a line's key; <see langword="null"/>: lines are records.</param>
    /// <param name="maxPayloadBytes">The maximum size of a payload, in bytes.</param>
    /// <param name="tally">Counts records, and reports skipped lines.</param>
    /// <param name="time">The clock for expirations.</param>
    /// <param name="budget">The budget for decompressing payloads; <see langword="null"/>: each payload only has its own limit.</param>
    /// <param name="quota">The quota for buffers; <see langword="null"/>: they are not counted.</param>
    /// <param name="work">The limiter in which the load takes turns; <see langword="null"/>: it needs none.</param>
    internal BulkLoad(
        Func<CacheTable<string, byte[]>> openTable, string? keyField, long maxPayloadBytes, LoadTally tally, TimeProvider time,
        DecodeBudget? budget = null,
        BufferQuota? quota = null, ExpensiveWork? work = null)
    {
        _work = work;
        _quota = quota;
        _value.ChargeTo(quota);
        _budget = budget;
        _openTable = openTable;
        _key = keyField == null ? null : new RecordKey(keyField);
        _record = keyField == null ? new EntryRecord(isExported: true, quota) : null;
        _maxPayloadBytes = maxPayloadBytes;
        _tally = tally;
        _time = time;
    }

    /// <summary>The last line of an export, if it was found.</summary>
    internal ExportEnd? End { get; private set; }

    /// <summary>Loads until the stream ends.</summary>
    /// <exception cref="PileException">The pile is full, or failed.</exception>
    internal async Task RunAsync(Stream stream, CancellationToken cancellationToken)
    {
        // Base64 takes four bytes for three.
        long maxLineBytes = _key != null ? _maxPayloadBytes : _maxPayloadBytes / 3 * 4 + RecordOverheadBytes;
        using var lines = new LineReader(stream, (int)Math.Min(maxLineBytes, int.MaxValue / 2), _quota);
        using var turns = new LoadTurns(_work);
        while (await ReadAsync(lines, turns, cancellationToken).ConfigureAwait(false))
        {
            cancellationToken.ThrowIfCancellationRequested(); // also when many lines are buffered
            await turns.EnterAsync(cancellationToken).ConfigureAwait(false);
            if (lines.IsTooLong)
                Skip(lines.LineNumber, $"it has more than {maxLineBytes:N0} bytes");
            else if (lines.Line.Span.ContainsAnyExcept(" \t\r"u8) && Put(lines.Line.Span) is { } problem)
                Skip(lines.LineNumber, problem);
            else if (_budget?.TryTakeLine(isBad: false) == false)
            {
                throw new RefusedException(ProblemCatalog.InvalidDocument(
                    $"It decompresses to more lines than it may have: one for each byte that is sent, and {_budget.FirstLines:N0}. Send "
                    + "the rest by itself, or less compressed."));
            }
        }
    }

    private void Skip(long lineNumber, string problem)
    {
        _tally.Skip(lineNumber, problem);
        if (_budget?.TryTakeLine(isBad: true) == false)
        {
            throw new RefusedException(ProblemCatalog.InvalidDocument(
                $"Too many of its lines can't be stored: {_tally.Skipped:N0} of {lineNumber:N0}. The last of them, line {lineNumber:N0}: "
                + $"{problem}."));
        }
    }

    private static ValueTask<bool> ReadAsync(LineReader lines, LoadTurns turns, CancellationToken cancellationToken)
    {
        ValueTask<bool> reading = lines.ReadAsync(cancellationToken);
        if (!reading.IsCompleted)
            turns.Leave();
        return reading;
    }

    /// <summary>Returns the buffers.</summary>
    public void Dispose()
    {
        _ = _value.TryReset();
        _record?.Dispose();
    }

    // A load without a valid line must not create the table.
    private CacheTable<string, byte[]> Table => _table ??= _openTable();

    private string? Put(ReadOnlySpan<byte> line) => _key != null ? PutField(_key, line) : PutRecord(_record!, line);

    private string? PutField(RecordKey field, ReadOnlySpan<byte> line)
    {
        if (field.Find(line, out ReadOnlyMemory<byte> key) is { } problem)
            return problem;
        _value.Clear();
        StoredValue.WriteHead(_value, MediaTypes.Json);
        line.CopyTo(_value.GetSpan(line.Length));
        _value.Advance(line.Length);
        return Count(Table.ByUtf8().PutBytes(key.Span, _value.WrittenSpan, out _), line.Length);
    }

    private string? PutRecord(EntryRecord record, ReadOnlySpan<byte> line)
    {
        if (ExportEnd.TryParse(line, out ExportEnd end))
        {
            End = end;
            return null;
        }
        try
        {
            if (!RecordKey.MayBeObject(line))
                return RecordKey.NoObject;
            var json = new Utf8JsonReader(line, new JsonReaderOptions { MaxDepth = RecordKey.MaxDepth });
            if (!json.Read() || json.TokenType != JsonTokenType.StartObject)
                return RecordKey.NoObject;
            if (record.Read(ref json, line) is { } wrong)
                return wrong;
            _ = json.Read(); // throws if anything follows
        }
        catch (JsonException e)
        {
            return $"it is no JSON: {RecordKey.FirstSentence(e.Message)}";
        }
        if (record.PayloadBytes > _maxPayloadBytes)
            return $"its payload has more than {_maxPayloadBytes:N0} bytes";
        if (BodyCoding.Check(
            record.Payload, record.Coding, _maxPayloadBytes, _budget ?? new DecodeBudget(_maxPayloadBytes, default)) is { } undecodable)
            return undecodable.Detail ?? undecodable.Title;
        return PutExact(record);
    }

    private string? PutExact(EntryRecord record)
    {
        DateTimeOffset now = _time.GetUtcNow();
        if (record.ExpiresAt <= now)
        {
            _tally.CountExpired();
            return null;
        }
        return Count(Table.ByUtf8().PutBytes(record.Key, record.Value, record.Attributes(now), out _), record.PayloadBytes);
    }

    private string? Count(PutResult result, int payloadBytes)
    {
        if (result == PutResult.Collision)
            return "the table refused it: everything that could make room for it is worth more";
        _tally.CountRecord(payloadBytes, result == PutResult.Replaced);
        return null;
    }
}
