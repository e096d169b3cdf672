using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Entries;
using BigPile.Caching;

namespace BigPile.Server.Loading;

/// <summary>Puts records into a table of an open pile, as JSON that the server serves as it is.</summary>
internal sealed class TableSink(PileCache cache, string tableName, LoadTally tally) : IRecordSink
{
    private readonly CacheTable<string, byte[]> _table = cache.GetOrCreateTable<string, byte[]>(tableName);
    private readonly ArrayBufferWriter<byte> _value = new();

    /// <inheritdoc/>
    public ValueTask PutAsync(long lineNumber, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> record, CancellationToken cancellationToken)
    {
        _value.ResetWrittenCount();
        StoredValue.WriteHead(_value, MediaTypes.Json);
        _value.Write(record.Span);
        PutResult result = _table.PutBytesUtf8(key.Span, _value.WrittenSpan, out _);
        tally.CountRecord(record.Length, result == PutResult.Replaced);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public ValueTask CompleteAsync() => ValueTask.CompletedTask;
}
