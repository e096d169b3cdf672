using System;

namespace BigPile.Caching.Tests.Keys;

public sealed class AlternateLookupTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();
    private readonly CacheTable<string, string?> _table;

    public AlternateLookupTests() => _table = _cache.GetOrCreateTable<string, string?>("t");

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Text_is_looked_for_without_a_string()
    {
        ReadOnlySpan<char> key = "a long text".AsSpan(2, 4);
        AlternateLookup<ReadOnlySpan<char>, string?> byText = _table.GetAlternateLookup<ReadOnlySpan<char>>();
        AlternateLookup<ReadOnlySpan<byte>, string?> byUtf8 = _table.GetAlternateLookup<ReadOnlySpan<byte>>();
        Assert.Equal(PutResult.Inserted, byText.Put(key, "1"));
        Assert.True(byText.ContainsKey(key) && byUtf8.ContainsKey("long"u8));
        Assert.True(_table.TryGet("long", out string? value) && byText.TryGet(key, out string? other) && value == other);
        Assert.True(byUtf8.TryGet("long"u8, out other) && value == other);
        Assert.True(byUtf8.Remove("long"u8));
        Assert.False(byText.Remove(key));
        Assert.Throws<ArgumentException>(() => _table.GetAlternateLookup<ReadOnlySpan<byte>>().Put([0xC3], "no text"));
    }

    [Fact]
    public void Keys_that_are_no_text_and_spans_of_something_else_have_no_lookup()
    {
        CacheTable<long, string> numbers = _cache.GetOrCreateTable<long, string>("numbers");
        Exception error = Assert.Throws<InvalidOperationException>(() => { _ = numbers.GetAlternateLookup<ReadOnlySpan<char>>(); });
        Assert.Contains("'numbers' has keys of type System.Int64", error.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => { _ = _table.GetAlternateLookup<ReadOnlySpan<int>>(); });
    }

    [Fact]
    public void A_value_of_another_type_is_refused_with_both_types_table_and_key()
    {
        _cache.GetOrCreateTable<string, string>("typed").Put("k", "text");
        CacheTable<string, Version> typed = _cache.GetOrCreateTable<string, Version>("typed");
        string message = Assert.Throws<InvalidCastException>(() => typed.Get("k")).Message;
        Assert.Equal(
            "The value of the key 'k' of the table 'typed' is System.String, and was asked for as System.Version.", message);
        _cache.GetOrCreateTable<string, object?>("typed").Put("none", null);
        Assert.Null(typed.Get("none"));
        Assert.Throws<InvalidCastException>(() => _cache.GetOrCreateTable<string, int>("typed").Get("none"));
    }
}
