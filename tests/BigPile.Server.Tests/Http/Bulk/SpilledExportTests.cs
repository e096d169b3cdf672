using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Text;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Http.Entries;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Http.Bulk;

/// <summary>An export of a table that is larger than its memory.</summary>
public sealed class SpilledExportTests : IDisposable
{
    private const int Count = 8_000;

    private readonly TemporaryDirectory _directory = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, byte[]> _table;

    public SpilledExportTests()
    {
        _cache = new PileCache(new Pile(), new PileCacheOptions { OwnsPile = true, SpillDirectory = _directory.Path });
        _table = _cache.GetOrCreateTable<string, byte[]>(
            new TableOptions("t") { CollisionMode = CollisionMode.Durable, MaxBytes = 1 << 20 });
        var value = new ArrayBufferWriter<byte>();
        for (int i = 0; i < Count; i++)
        {
            value.ResetWrittenCount();
            StoredValue.WriteHead(value, MediaTypes.Json);
            value.Write(Encoding.ASCII.GetBytes($"\"{i}{new string('x', 500)}\""));
            _table.PutBytes($"key {i}", value.WrittenSpan, out _);
        }
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public async Task It_has_every_entry_once()
    {
        Assert.True(_table.Statistics.SpilledEntries > Count / 2);
        string[] keys = await ExportAsync();
        Assert.Equal(Count, keys.Length);
        Assert.Equal(Count, keys.Distinct().Count());
    }

    [Fact]
    public async Task Beside_reads_that_bring_entries_back_none_is_missing()
    {
        using var isOver = new CancellationTokenSource();
        Task reads = SideBySide.Start(() =>
        {
            for (int i = 0; !isOver.IsCancellationRequested; i = (i + 4_999) % Count)
                Assert.True(_table.ContainsKey($"key {i}"));
        });
        for (int round = 0; round < 3; round++)
            Assert.Equal(Count, (await ExportAsync()).Distinct().Count());
        await isOver.CancelAsync();
        await reads;
    }

    private async Task<string[]> ExportAsync()
    {
        var lines = new MemoryStream();
        var writer = PipeWriter.Create(lines);
        Assert.NotNull(await new BulkExport(_table, writer).RunAsync(default));
        await writer.CompleteAsync();
        return [.. Encoding.UTF8.GetString(lines.ToArray()).Split('\n')
            .Where(line => line.StartsWith("{\"key\"", StringComparison.Ordinal))
            .Select(line => (string)JsonNode.Parse(line)!["key"]!)];
    }
}
