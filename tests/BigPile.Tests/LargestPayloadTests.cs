using System;
using System.IO;
using System.Linq;
using BigPile.Memory;

namespace BigPile.Tests;

/// <summary>Payloads at the limit for one object, by each way in and out.</summary>
[Collection(AloneCollection.Name)]
public sealed class LargestPayloadTests
{
    private const int Limit = PileBuffer.MaxLengthBytes;
    private const string Gigabytes = "It fills gigabytes.";

    [Fact]
    public void One_above_the_limit_is_refused_and_the_object_stays()
    {
        using var pile = new Pile();
        using var source = new NativeRegion(Limit + 1L);
        PilePointer pointer = pile.Put("small");
        Assert.Throws<PileException>(() => pile.Replace(pointer, source.GetSpan(0, Limit + 1)));
        Assert.Throws<PileException>(() => pile.Put(source.GetSpan(0, Limit + 1)));
        Assert.Equal("small", pile.Get(pointer));
    }

    [LongFact(Gigabytes)]
    public void A_native_object_may_be_replaced_by_one_of_the_limit_and_not_by_a_larger_one()
    {
        using var pile = new Pile();
        ReplaceUpToTheLimit(pile);
    }

    [LongFact(Gigabytes)]
    public void A_mapped_object_may_be_replaced_by_one_of_the_limit_and_not_by_a_larger_one()
    {
        using var temporary = new TemporaryDirectory();
        using Pile pile = Pile.Open(temporary.Path);
        ReplaceUpToTheLimit(pile);
    }

    private static void ReplaceUpToTheLimit(Pile pile)
    {
        using var source = new NativeRegion(Limit + 1L);
        source.GetSpan(Limit - 3, 3).Fill(7);
        PilePointer pointer = pile.Put("small");
        pile.Replace(pointer, source.GetSpan(0, Limit));
        CheckEnd(pile, pointer);
        Assert.Equal(1, pile.Statistics.LinkCount);
        Assert.Throws<PileException>(() => pile.Replace(pointer, source.GetSpan(0, Limit + 1)));
        Assert.Throws<PileException>(() => pile.Put(source.GetSpan(0, Limit + 1)));
        CheckEnd(pile, pointer);
        pile.Replace(pointer, source.GetSpan(0, Limit)); // once more, in the place of the first or beside it
        pile.Write(pointer, [8], Limit - 4);
        CheckEnd(pile, pointer);
        pile.Compact();
        CheckEnd(pile, pointer);
        pile.Flush();
        using (PileLease lease = pile.Lease(pointer))
            Assert.Equal(Limit, lease.Span.Length);
        pile.Delete(pointer);
        PilePointer whole = pile.Put(source.GetSpan(0, Limit));
        CheckEnd(pile, whole);
        Assert.Equal(whole, pile.Single().Pointer);
    }

    /// <summary>
    /// A link target of the largest size was flushed and then freed: the header of its run says all that a power cut may need again.
    /// </summary>
    [LongFact(Gigabytes)]
    public void The_largest_link_target_comes_back_when_its_end_was_not_flushed()
    {
        using var temporary = new TemporaryDirectory();
        string path = Path.Combine(temporary.Path, "pile");
        string killed = Path.Combine(temporary.Path, "killed");
        using var source = new NativeRegion(Limit);
        source.GetSpan(Limit - 3, 3).Fill(7);
        PilePointer pointer;
        using (Pile pile = Open(path, 1))
        {
            pointer = pile.Put("small");
            pile.Replace(pointer, source.GetSpan(0, Limit));
            pile.Flush();
            pile.Replace(pointer, "freed");
            PilePointer other = pile.Put("other");
            KilledPile.Copy(path, killed);
            pile.Flush();
            Assert.Equal(("freed", "other", 0), (pile.Get(pointer), pile.Get(other), pile.Engine.PendingFreeBytes));
        }
        using (Pile same = Open(killed, 1))
        {
            Assert.Equal("freed", same.Get(pointer));
            same.Recovery.Completion.Wait();
            Assert.InRange(same.Engine.PendingFreeBytes, Limit, Limit + (1 << 20));
            KilledPile.Copy(killed, Path.Combine(temporary.Path, "cut"));
        }
        Directory.Delete(killed, recursive: true);
        using Pile cut = Open(Path.Combine(temporary.Path, "cut"), 2);
        CheckEnd(cut, pointer);
        cut.Recovery.Completion.Wait();
        Assert.Equal((0, 1, 0), (cut.Recovery.FaultCount, cut.Statistics.LinkCount, cut.Engine.PendingFreeBytes));
        CheckEnd(cut, pointer);
        Assert.True(cut.Verify().IsSound);
    }

    private static Pile Open(string path, int boot) => Pile.Open(path, new PileOptions { BootId = new Guid(boot, 0, 0, new byte[8]) });

    [LongFact(Gigabytes)]
    public void Text_is_measured_by_its_bytes_and_not_by_the_most_that_it_could_have()
    {
        using var pile = new Pile();
        string text = string.Create(360_000_001, '\u00e9', static (chars, last) =>
        {
            chars.Fill('a');
            chars[^1] = last;
        });
        PilePointer pointer = pile.Put(text);
        Assert.Equal(360_000_002, pile.SizeOf(pointer));
        var end = new byte[3];
        Assert.Equal(3, pile.Read(pointer, end, 359_999_999));
        Assert.Equal([(byte)'a', 0xC3, 0xA9], end);
    }

    [LongFact(Gigabytes)]
    public void Text_that_is_too_long_is_refused_by_the_bytes_that_it_has()
    {
        using var pile = new Pile();
        string text = new('\u20ac', 357_913_942);
        Assert.Contains($"{1_073_741_826:N0}", Assert.Throws<PileException>(() => pile.Put(text)).Message, StringComparison.Ordinal);
        Assert.Equal(0, pile.Statistics.ObjectCount);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(70_000)]
    [InlineData(200_000)]
    public void Text_with_a_lone_surrogate_comes_back_whatever_its_length(int length)
    {
        using var pile = new Pile();
        string text = new string('a', length - 1) + '\ud800';
        PilePointer pointer = pile.Put(text);
        Assert.Equal(2 * length, pile.SizeOf(pointer));
        Assert.Equal(text, pile.Get(pointer));
    }

    /// <summary>More bytes than a string has characters at the most: it can't be read as ASCII even for a try.</summary>
    [LongFact(Gigabytes)]
    public void The_longest_text_comes_back()
    {
        using var pile = new Pile();
        string text = new('\u20ac', Limit / 3);
        PilePointer pointer = pile.Put(text);
        Assert.True(text == (string)pile.Get(pointer));
    }

    private static void CheckEnd(Pile pile, PilePointer pointer)
    {
        Assert.Equal(Limit, pile.SizeOf(pointer));
        var end = new byte[3];
        Assert.Equal(3, pile.Read(pointer, end, Limit - 3));
        Assert.Equal([7, 7, 7], end);
    }
}
