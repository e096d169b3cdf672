using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Codec.Models;
using BigPile.Codec.Payloads;

namespace BigPile.Tests.Codec;

/// <summary>When generated code takes over from the interpreter.</summary>
public sealed class GenerationTests
{
    [Fact]
    public void HotTypesGetGeneratedCodeAndGiveTheSameBytes()
    {
        var codec = new MessagePackPileCodec(new FakeCatalog(), new PileCodecOptions { CodeGeneration = CodeGeneration.WhenHot });
        byte[] first = Write(codec, Person.Sample(1));
        Assert.False(IsGenerated(codec));
        for (int i = 0; i < 100; i++)
            Write(codec, Person.Sample(i));
        Assert.Equal(RuntimeFeature.IsDynamicCodeSupported, SpinWait.SpinUntil(() => IsGenerated(codec), TimeoutOfWait));
        Assert.Equal(first, Write(codec, Person.Sample(1)));
    }

    [Fact]
    public void TestsRunOnGeneratedCodeUnlessThereIsNone()
    {
        var fixture = new CodecFixture();
        fixture.Write(Person.Sample(1));
        Assert.Equal(RuntimeFeature.IsDynamicCodeSupported, IsGenerated(fixture.Codec));
        fixture = new CodecFixture(CodecMode.Interpreted);
        fixture.Write(Person.Sample(1));
        Assert.False(IsGenerated(fixture.Codec));
    }

    private static TimeSpan TimeoutOfWait =>
        RuntimeFeature.IsDynamicCodeSupported ? Eventually.Timeout : TimeSpan.FromMilliseconds(100);

    private static bool IsGenerated(MessagePackPileCodec codec) => ((FieldsModel)codec.Models.ForType(typeof(Person))).IsGenerated;

    private static byte[] Write(MessagePackPileCodec codec, object value)
    {
        var buffer = new PileBuffer();
        codec.Serialize(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }
}
