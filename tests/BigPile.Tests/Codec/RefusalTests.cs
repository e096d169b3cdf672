using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Tests.Codec;

public sealed class RefusalTests
{
    public static IEnumerable<object> Refused() =>
    [
        new Action(
            () => { }), new MemoryStream(), Thread.CurrentThread, Task.CompletedTask, new CancellationTokenSource(), new WeakReference(1),
        typeof(RefusalTests).Assembly, new nint[] { 5 }, (nint)5, new Lazy<int>(() => 5), new CancellationToken(true),
        new HttpRequestLike(),
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

    public static TheoryData<object, string> Advised() => new()
    {
        { Activator.CreateInstance(typeof(Lock))!, "OnRead" },
        { new SemaphoreSlim(1), "OnRead" },
        { new[] { 1, 2 }.Where(n => n > 1), "ToList" },
        { new[] { 1, 2 }.Select(n => n + 1), "ToList" },
        { new SortedSet<int> { 1, 2, 3 }.GetViewBetween(1, 2), "ToList" },
        { new System.Net.CookieContainer(), "made from" },
        { new Xunit.Sdk.DisposalTracker(), "Allow" },
    };

    [Theory, MemberData(nameof(Advised))]
    public void RefusalsSayWhatToDoInstead(object value, string advice)
    {
        PileSerializationException e =
            Assert.Throws<PileSerializationException>(() => new CodecFixture().Write(new Drawing { Tag = value }));
        Assert.Contains(advice, e.Message, StringComparison.Ordinal);
        Assert.Equal(advice == "Allow", e.Message.Contains("Allow", StringComparison.Ordinal));
    }

    [Fact]
    public void ClassesThatWereMadeWhileTheProgramRanAreRefusedWithAdvice()
    {
        if (!System.Runtime.CompilerServices.RuntimeFeature.IsDynamicCodeSupported)
            return;
        System.Reflection.Emit.TypeBuilder proxy = System.Reflection.Emit.AssemblyBuilder
            .DefineDynamicAssembly(new System.Reflection.AssemblyName("proxies"), System.Reflection.Emit.AssemblyBuilderAccess.Run)
            .DefineDynamicModule("proxies").DefineType("OrderProxy", System.Reflection.TypeAttributes.Public);
        object value = Activator.CreateInstance(proxy.CreateType())!;
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => new CodecFixture().Write(value));
        Assert.Contains("proxies", e.Message, StringComparison.Ordinal);
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

#pragma warning disable CS0649 // The test needs members that stay null.
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
