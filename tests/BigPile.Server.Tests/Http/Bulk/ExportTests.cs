using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Tests;
using BigPile.Http.Bulk;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Http.FastPath;

namespace BigPile.Server.Tests.Http.Bulk;

/// <summary>An export that is loaded into another pile makes the same table.</summary>
public sealed class ExportTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PileCache _firstCache;
    private readonly PileCache _secondCache;
    private readonly CacheTable<string, byte[]> _first;
    private readonly CacheTable<string, byte[]> _second;

    public ExportTests()
    {
        _firstCache = TestCache.Make(_time);
        _secondCache = TestCache.Make(_time);
        _first = _firstCache.GetOrCreateTable<string, byte[]>("first");
        // Defaults of the table must not be applied to entries without such options.
        _second = _secondCache.GetOrCreateTable<string, byte[]>(TestCache.Durable("second") with
        {
            DefaultMaxAge = TimeSpan.FromHours(1), DefaultSliding = TimeSpan.FromMinutes(1), DefaultPriority = EntryPriority.Low,
        });
    }

    public void Dispose()
    {
        _firstCache.Dispose();
        _secondCache.Dispose();
    }

    [Fact]
    public async Task A_table_loaded_from_an_export_is_exported_as_the_same_bytes()
    {
        Assert.NotSame(_firstCache.Pile, _secondCache.Pile);
        Fill();
        byte[] lines = await MoveAsync();
        Assert.Equal(_first.Count, _second.Count);
        Assert.Equal(Sorted(lines), Sorted(await ExportAsync(_second)));
        foreach (TableEntry<string> entry in _first.Entries.ToArray())
        {
            Assert.True(_second.TryGetEntry(entry.Key, out TableEntry<string> other));
            Assert.Equal((entry.ExpiresAt, entry.Sliding, entry.Priority), (other.ExpiresAt, other.Sliding, other.Priority));
            Assert.Equal(_first.Get(entry.Key), _second.Get(entry.Key));
        }
    }

    [Theory]
    [InlineData("red")]
    [InlineData("blue")]
    [InlineData("rot und grün")]
    [InlineData("tag63")]
    [InlineData("no entry has it")]
    public async Task A_tag_removes_the_same_entries_of_a_table_loaded_from_an_export(string tag)
    {
        Fill();
        await MoveAsync();
        long before = _second.Count;
        _first.RemoveByTag(tag);
        _second.RemoveByTag(tag);
        Assert.Equal(_first.Keys.Order(StringComparer.Ordinal), _second.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(tag != "no entry has it", _second.Keys.Count() < before);
        Assert.Equal(Sorted(await ExportAsync(_first)), Sorted(await ExportAsync(_second)));
    }

    [Fact]
    public async Task An_entry_that_nobody_uses_ends_when_it_would_have_without_the_export()
    {
        Put("sliding", "x"u8, "text/plain", new EntryOptions { Sliding = TimeSpan.FromSeconds(10), MaxAge = TimeSpan.FromSeconds(15) });
        _time.Advance(TimeSpan.FromSeconds(6));
        byte[] lines = await MoveAsync();
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(_second.TryGet("sliding", out _)); // from now on ten seconds, but not beyond the fifteenth
        _time.Advance(TimeSpan.FromSeconds(5));
        Assert.True(_second.TryGet("sliding", out _));
        Assert.False(_first.TryGet("sliding", out _));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(_second.TryGet("sliding", out _));
        LoadTally tally = await LoadAsync(lines, []);
        Assert.Equal((0, 1), (tally.Records, tally.Expired));
    }

    [Theory]
    [InlineData("\"0123456789abcdef\"", "its member 'tagHashes' is no array")]
    [InlineData("[\"0123456789abcde\"]", "its tagHashes are not all texts of 16 hexadecimal digits")]
    [InlineData("[\"0123456789abcdefa\"]", "its tagHashes are not all texts of 16 hexadecimal digits")]
    [InlineData("[\"0123456789abcdeg\"]", "its tagHashes are not all texts of 16 hexadecimal digits")]
    [InlineData("[\" 123456789abcde \"]", "its tagHashes are not all texts of 16 hexadecimal digits")]
    [InlineData("[\"0123456789ABCDEF\",[\"0123456789abcdef\"]]", "its tagHashes are not all texts of 16 hexadecimal digits")]
    [InlineData("[7]", "its tagHashes are not all texts of 16 hexadecimal digits")]
    public async Task Hashes_of_tags_that_are_none_are_named_with_their_line(string hashes, string reason)
    {
        List<(long, string)> errors = [];
        LoadTally tally = await LoadAsync(Encoding.UTF8.GetBytes(
            $"{{\"key\":\"a\",\"value\":1}}\n{{\"key\":\"b\",\"tagHashes\":{hashes},\"value\":2}}\n"
            + $"{{\"key\":\"c\",\"tagHashes\":[\"0123456789ABCDEF\"]}}\n"), errors);
        Assert.Equal([(2, reason)], errors);
        Assert.Equal(2, tally.Records);
    }

    [Theory]
    [InlineData(64, null)]
    [InlineData(65, "it has 65 tagHashes; an entry has at most 64")]
    public async Task An_entry_has_no_more_hashes_of_tags_than_tags(int count, string? reason)
    {
        List<(long, string)> errors = [];
        string hashes = string.Join(',', Enumerable.Range(1, count).Select(static number => $"\"{number:x16}\""));
        await LoadAsync(Encoding.UTF8.GetBytes($"{{\"key\":\"a\",\"tagHashes\":[{hashes}]}}"), errors);
        Assert.Equal(reason == null ? [] : [(1, reason)], errors);
        Assert.Equal(reason == null, _second.ContainsKey("a"));
    }

    [Theory]
    [InlineData("\"tags\":[\"red\"]", "it has tags, and a line of an export has their 'tagHashes'")]
    [InlineData("\"unusedUntil\":\"soon\"", "its member 'unusedUntil' can't be 'soon'")]
    [InlineData("\"sliding\":\"-00:00:01\"", "its member 'sliding' can't be '-00:00:01'")]
    public async Task Members_that_can_not_be_taken_over_are_named(string member, string reason)
    {
        List<(long, string)> errors = [];
        await LoadAsync(Encoding.UTF8.GetBytes($"{{\"key\":\"a\",{member}}}"), errors);
        Assert.Equal([(1, reason)], errors);
    }

    private void Fill()
    {
        Put("json", "{\"a\": [1,2.50,\"\\u00fc ü\"]}"u8, MediaTypes.Json, Tagged("red"));
        Put("null", "null"u8, MediaTypes.Json);
        Put("json in lines", "{\n}"u8, MediaTypes.Json, Tagged("blue", "red"));
        Put("no json", [0xFF, 1], MediaTypes.Json);
        Put("text", "Grüße"u8, "text/plain; charset=utf-8", Tagged("rot und grün"));
        Put("own type", "1"u8, "application/x-own; v=\"1\"");
        Put("nothing", [], MediaTypes.Default, Tagged("blue", "blue"));
        Put("bytes \"\\\n\u0001🔑", [0, 1, 2, 255], "image/png", new EntryOptions { Priority = EntryPriority.Low });
        Put("packed", ServerPair.Zip(new byte[5000]), "text/html", Tagged("red", "blue"), ContentCoding.Gzip);
        Put("aging", "1"u8, MediaTypes.Json, new EntryOptions { ExpiresAt = _time.GetUtcNow().AddTicks(1_234_567_891), Tags = ["red"] });
        Put("for ever", "1"u8, MediaTypes.Json, new EntryOptions { MaxAge = TimeSpan.MaxValue });
        Put("sliding", "1"u8, MediaTypes.Json, new EntryOptions { Sliding = TimeSpan.FromSeconds(90), Priority = EntryPriority.High });
        Put("sliding by ticks", "1"u8, MediaTypes.Json, new EntryOptions { Sliding = TimeSpan.FromTicks(900_000_001), Tags = ["blue"] });
        Put("sliding for ever", "1"u8, MediaTypes.Json, new EntryOptions { Sliding = TimeSpan.MaxValue });
        Put("sliding to an end", "1"u8, MediaTypes.Json, new EntryOptions
        {
            Sliding = TimeSpan.FromSeconds(90), MaxAge = TimeSpan.FromTicks(5_000_000_003), Priority = EntryPriority.NeverEvict, Tags =
                ["red"],
        });
        Put("all tags", "1"u8, MediaTypes.Json, Tagged([.. Enumerable.Range(0, 64).Select(static number => $"tag{number}")]));
        for (int i = 0; i < 500; i++)
            Put($"many/{i}", Encoding.UTF8.GetBytes($"{{\"i\":{i}}}"), MediaTypes.Json, i % 3 == 0 ? Tagged($"tag{i % 70}") : null);
        _time.Advance(TimeSpan.FromTicks(70_000_001));
        Assert.True(_first.TryGet("sliding to an end", out _)); // its time begins anew, and those of the others have run for a while
    }

    private static EntryOptions Tagged(params string[] tags) => new() { Tags = tags };

    private void Put(
        string key, ReadOnlySpan<byte> payload, string contentType, EntryOptions? options = null,
        ContentCoding coding = ContentCoding.Identity)
    {
        var value = new ValueBuffer();
        StoredValue.WriteHead(value, contentType, coding);
        value.Write(payload);
        _first.PutBytes(key, value.WrittenSpan, options, out _);
    }

    private async Task<byte[]> MoveAsync()
    {
        byte[] lines = await ExportAsync(_first);
        List<(long, string)> errors = [];
        LoadTally tally = await LoadAsync(lines, errors);
        Assert.Empty(errors);
        Assert.Equal((_first.Count, 0), (tally.Records, tally.Expired));
        return lines;
    }

    private static async Task<byte[]> ExportAsync(CacheTable<string, byte[]> table)
    {
        var lines = new MemoryStream();
        var writer = PipeWriter.Create(lines);
        ExportEnd? end = await new BulkExport(table, writer).RunAsync(default);
        await writer.CompleteAsync();
        Assert.Equal(0, end!.Value.Skipped);
        return lines.ToArray();
    }

    private async Task<LoadTally> LoadAsync(byte[] lines, List<(long, string)> errors)
    {
        var tally = new LoadTally(_time, (line, reason) => errors.Add((line, reason)));
        await new BulkLoad(_second, null, 1 << 20, tally, _time).RunAsync(new MemoryStream(lines), default);
        return tally;
    }

    // The order of a table is that of its hashes, which have a seed of their own.
    private static string[] Sorted(byte[] lines) => [.. Encoding.Latin1.GetString(lines).Split('\n').Order(StringComparer.Ordinal)];
}
