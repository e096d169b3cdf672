using System;
using System.Collections.Generic;
using System.IO;
using MessagePack;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>The library in the place of the pile's own codec.</summary>
public sealed class AdapterTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("bigpile-adapter-").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public void Objects_come_back_after_a_restart()
    {
        PilePointer pointer;
        using (Pile pile = Open(Codec()))
        {
            pointer = pile.Put(new Inner(1, "first"));
            pile.Replace(pointer, new Keyed<List<Guid>> { Value = [Guid.Empty] });
        }
        using Pile again = Open(Codec());
        Assert.Equal([Guid.Empty], again.Get<Keyed<List<Guid>>>(pointer).Value!);
    }

    [Fact]
    public void A_pile_of_the_own_codec_is_refused_by_name_and_the_other_way_round()
    {
        using (Pile pile = Open(null))
            pile.Put(new Inner(1, "own"));
        Assert.Contains("BigPile", Assert.Throws<PileStorageException>(() => Open(Codec())).Message, StringComparison.Ordinal);
        Directory.Delete(_directory, recursive: true);
        using (Pile pile = Open(Codec()))
            pile.Put(new Inner(1, "library's"));
        Assert.Contains("MessagePack-CSharp", Assert.Throws<PileStorageException>(() => Open(null)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_the_library_refuses_is_told_with_its_root_cause()
    {
        using Pile pile = Open(Codec());
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => pile.Put(new Keyed<Bare> { Value = new Bare() }));
        Assert.Contains(nameof(Bare), e.Message, StringComparison.Ordinal);
        Assert.Contains("FormatterNotRegisteredException", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_that_is_not_listed_is_refused_by_name() => Assert.Contains(
        nameof(Named), Assert.Throws<PileSerializationException>(() => Open(Codec()).Put(new Named())).Message, StringComparison.Ordinal);

    [Fact]
    public void A_list_that_became_shorter_is_told()
    {
        PilePointer pointer;
        using (Pile pile = Open(Codec()))
            pointer = pile.Put(new Keyed<List<Guid>>());
        using Pile again = Open(new MessagePackCSharpCodec(typeof(Inner)));
        Assert.Contains("list", Assert.Throws<PileSerializationException>(() => again.Get(pointer)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Lists_of_types_are_checked()
    {
        Assert.Throws<ArgumentException>(() => new MessagePackCSharpCodec(typeof(Inner), typeof(Inner)));
        foreach (Type? none in (Type?[])[null, typeof(void), typeof(int?), typeof(List<>), typeof(IShape), typeof(object), typeof(int*)])
            Assert.Contains("No object is of the type", Assert.Throws<ArgumentException>(() => new MessagePackCSharpCodec(none!)).Message);
        Assert.Throws<ArgumentNullException>(() => new MessagePackCSharpCodec((MessagePackSerializerOptions)null!, typeof(Inner)));
    }

    private static MessagePackCSharpCodec Codec() => new(typeof(Inner), typeof(Keyed<List<Guid>>), typeof(Keyed<Bare>));

    private Pile Open(IPileCodec? codec) => Pile.Open(_directory, new PileOptions { SegmentBytes = 4 << 20, Codec = codec });
}
