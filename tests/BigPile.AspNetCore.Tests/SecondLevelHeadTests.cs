using System;
using System.Buffers;
using System.Linq;
using BigPile.AspNetCore.Hybrid;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tests;

/// <summary>What stands before a value in the second level. It may be of anybody.</summary>
public sealed class SecondLevelHeadTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(EntryOptions.MaxTags)]
    public void It_is_read_as_it_was_written(int tags)
    {
        SecondLevelHead written = HeadOf(tags);
        ReadOnlySpan<byte> payload = Encode(written);
        SecondLevelHead read = SecondLevelHead.TryRead("key", ref payload)!;
        Assert.Equal(written.Tags, read.Tags);
        Assert.Equal((written.Kind, written.MadeAt, written.ExpiresAt), (read.Kind, read.MadeAt, read.ExpiresAt));
        Assert.Equal([1, 2, 3], payload.ToArray());
    }

    [Theory]
    [InlineData(EntryOptions.MaxTags + 1)]
    [InlineData(255)]
    public void More_tags_than_an_entry_can_have_are_of_no_entry(int tags)
    {
        ReadOnlySpan<byte> payload = Encode(HeadOf(tags));
        Assert.Null(SecondLevelHead.TryRead("key", ref payload));
    }

    [Fact]
    public void Cut_anywhere_it_is_none()
    {
        byte[] whole = Encode(HeadOf(3));
        for (int length = 0; length < whole.Length - 3; length++)
        {
            ReadOnlySpan<byte> payload = whole.AsSpan(0, length);
            Assert.Null(SecondLevelHead.TryRead("key", ref payload));
            Assert.Equal(length, payload.Length);
        }
        ReadOnlySpan<byte> other = whole;
        Assert.Null(SecondLevelHead.TryRead("another key", ref other));
    }

    private static SecondLevelHead HeadOf(int tags) =>
        new(ValueKind.Bytes, MadeAt: 5, ExpiresAt: 7, [.. Enumerable.Range(0, tags).Select(static number => $"tag {number}")]);

    private static byte[] Encode(SecondLevelHead head)
    {
        var target = new PileBuffer();
        head.Write("key", target);
        target.Write((byte[])[1, 2, 3]);
        return target.WrittenSpan.ToArray();
    }
}
