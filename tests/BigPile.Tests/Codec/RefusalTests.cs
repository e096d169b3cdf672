using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Tests.Codec;

public sealed class RefusalTests
{
    public static IEnumerable<object> Refused() =>
    [
        new Action(() => { }), new MemoryStream(), Thread.CurrentThread, Task.CompletedTask, new CancellationTokenSource(), new WeakReference(1),
        typeof(RefusalTests).Assembly, new nint[] { 5 }, (nint)5, new Lazy<int>(() => 5), new CancellationToken(true), new HttpRequestLike(),
    ];

    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void WhatBelongsToTheProcessIsRefusedWithItsPath(CodecMode mode)
    {
        var fixture = new CodecFixture(mode);
        foreach (object value in Refused())
        {
            var graph = new Drawing { Shapes = new List<Shape> { new Tagged { Tag = new Drawing { Tag = value } } } };
            PileSerializationException e = Assert.Throws<PileSerializationException>(() => fixture.Write(graph));
            Assert.Contains("Drawing.Shapes.Tag.Tag", e.Message, StringComparison.Ordinal);
            Assert.Throws<PileSerializationException>(() => fixture.Write(value));
        }
    }

    [Fact]
    public void EventFieldsAreRefusedWithAdvice()
    {
        var source = new Publisher();
        source.Changed += (_, _) => { };
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => new CodecFixture().Write(source));
        Assert.Contains("Publisher.Changed", e.Message, StringComparison.Ordinal);
        Assert.Contains("[field: NonSerialized]", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void EmptyPlacesOfRefusedTypesAreFine()
    {
        var fixture = new CodecFixture();
        Publisher copy = fixture.RoundTrip(new Publisher { Name = "n" });
        Assert.Equal("n", copy.Name);
        Assert.Equal("n", fixture.RoundTrip(new Holder { Name = "n" }).Name);
    }

    [Fact]
    public void CodecWorksOnAfterARefusal()
    {
        var fixture = new CodecFixture();
        Assert.Throws<PileSerializationException>(() => fixture.Write(new object[] { new Node(), new MemoryStream() }));
        GraphAssert.Same(Order.Sample(3), fixture.RoundTrip(Order.Sample(3)));
    }

    [Fact]
    public void TypesOfOtherAssembliesMustBeAllowed()
    {
        var value = new Xunit.Sdk.DisposalTracker();
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => new CodecFixture().Write(value));
        Assert.Contains(nameof(PileCodecOptions), e.Message, StringComparison.Ordinal);
    }

    private sealed class Tagged() : Shape("t")
    {
        public object? Tag;
    }

    private sealed class HttpRequestLike : MemoryStream;

    private sealed class Publisher
    {
        public string Name = "";

        public event EventHandler? Changed;

        public void Raise() => Changed?.Invoke(this, EventArgs.Empty);
    }

#pragma warning disable CS0649 // The places stay empty: that is the case.
    private sealed unsafe class Holder
    {
        public string Name = "";
        public Thread? Worker;
        public Stream? Output;
        public nint Handle;
        public int* Pointer;
        public CancellationToken Token;
        public Action? Callback;
    }
}
