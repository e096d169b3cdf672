using System;
using System.Buffers;
using System.IO;
using System.Text;

namespace BigPile.Tests;

/// <summary>A pile says which codec wrote its objects, and no other one reads them.</summary>
public sealed class CodecStampTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void A_pile_of_another_codec_is_not_opened_with_the_own_one()
    {
        PilePointer pointer;
        using (Pile pile = Open(new TextCodec("one")))
            pointer = pile.Put(new StringBuilder("5"));
        PileStorageException e = Assert.Throws<PileStorageException>(() => Open(null));
        Assert.Contains("codec one", e.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(PileOptions.Codec), e.Message, StringComparison.Ordinal);
        Assert.Throws<PileStorageException>(() => Open(new TextCodec("two")));
        Assert.Throws<PileStorageException>(() => Open(new TextCodec("two"), readOnly: true));
        using Pile again = Open(new TextCodec("one"));
        Assert.Equal("5", again.Get(pointer));
    }

    [Fact]
    public void A_pile_of_the_own_codec_is_not_opened_with_another_one()
    {
        PilePointer pointer;
        using (Pile pile = Open(null))
            pointer = pile.Put((object)5);
        PileStorageException e = Assert.Throws<PileStorageException>(() => Open(new TextCodec("one")));
        Assert.Contains("BigPile", e.Message, StringComparison.Ordinal);
        using Pile again = Open(null);
        Assert.Equal(5, again.Get(pointer));
    }

    [Fact]
    public void A_pile_of_texts_and_bytes_opens_with_any_codec()
    {
        PilePointer pointer;
        using (Pile pile = Open(null))
            pointer = pile.Put("text");
        using (Pile pile = Open(new TextCodec("one")))
            Assert.Equal("text", pile.Get(pointer));
    }

    [Fact]
    public void An_opening_that_fails_stamps_nothing()
    {
        PilePointer pointer;
        using (Pile pile = Open(null))
            pointer = pile.Put("text");
        var refusing = new PileOptions
        {
            SegmentBytes = 4 << 20,
            Codec = new TextCodec("one"),
            Syncing = path =>
            {
                if (Path.GetFileName(path) == "superblock")
                    throw new IOException("refused by a test");
            },
        };
        Assert.Throws<PileStorageException>(() => Pile.Open(_directory.Path, refusing));
        using (Pile pile = Open(null))
            Assert.Equal("text", pile.Get(pointer));
        Assert.Throws<PileStorageException>(() => Pile.Open(_directory.Path, refusing));
        using Pile stamped = Open(new TextCodec("two"));
        Assert.Equal("text", stamped.Get(pointer));
    }

    private Pile Open(IPileCodec? codec, bool readOnly = false) =>
        Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20, Codec = codec, ReadOnly = readOnly });

    private sealed class TextCodec(string name) : IPileCodec
    {
        public string Name => name;

        public void Serialize(object value, PileBuffer destination) => destination.Write(Encoding.UTF8.GetBytes(value.ToString()!));

        public object Deserialize(PileBuffer source) => Encoding.UTF8.GetString(source.WrittenSpan);
    }
}
