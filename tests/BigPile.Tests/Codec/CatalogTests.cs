using System;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Tests.Codec;

public sealed class CatalogTests
{
    [Fact]
    public void OneSchemaHasOneId()
    {
        var fixture = new CodecFixture();
        byte[] first = fixture.Write(Person.Sample(1));
        byte[] second = new CodecFixture(catalog: fixture.Catalog).Write(Person.Sample(2));
        Assert.Equal(first[..4], second[..4]);
        Assert.Equal(1, fixture.Catalog.Count);
    }

    [Fact]
    public void PayloadOfAnObjectIsAnArrayOfItsFields()
    {
        byte[] payload = new CodecFixture().Write(new Node { Value = 5 });
        Assert.Equal([1, 0, 0, 0, 0x93, 5, 0xc0, 0xc0], payload);
    }

    [Fact]
    public void DefinitionNamesTypeAndMembers()
    {
        var fixture = new CodecFixture();
        fixture.Write(new Node());
        Assert.True(fixture.Catalog.TryGet(1, out ReadOnlyMemory<byte> definition));
        string text = string.Concat(definition.ToArray().Select(b => (char)b));
        Assert.Contains(typeof(Node).Assembly.GetName().Name + "/BigPile.Tests.Codec.Node", text, StringComparison.Ordinal);
        Assert.Contains("Value", text, StringComparison.Ordinal);
    }

    [Fact]
    public void UnknownTypeIdIsAnError()
    {
        var fixture = new CodecFixture();
        byte[] payload = fixture.Write(new Node());
        payload[0] = 77;
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload));
    }

    [Fact]
    public void ManyThreadsMeetTypesAtOnce()
    {
        var fixture = new CodecFixture(CodecMode.Generated);
        Parallel.For(0, 8, _ =>
        {
            for (int i = 0; i < 200; i++)
            {
                GraphAssert.Same(Order.Sample(i), fixture.Read(fixture.Write(Order.Sample(i))));
                GraphAssert.Same(Person.Sample(i), fixture.Read(fixture.Write(Person.Sample(i))));
            }
        });
    }

    [Fact]
    public void WritingAllocatesNothing()
    {
        var codec = new CodecFixture(CodecMode.Generated);
        Order order = Order.Sample(1);
        codec.RoundTrip(order);
        var buffer = new PileBuffer();
        codec.Codec.Serialize(order, buffer);
        // A garbage collection during a write rebuilds the reference table; that must not happen in each round.
        long least = long.MaxValue;
        for (int round = 0; round < 10; round++)
            least = Math.Min(least, AllocatedBy(() => Write(codec, order, buffer)));
        Assert.Equal(0, least);
    }

    private static void Write(CodecFixture codec, Order order, PileBuffer buffer)
    {
        for (int i = 0; i < 10; i++)
        {
            buffer.Clear();
            codec.Codec.Serialize(order, buffer);
        }
    }

    private static long AllocatedBy(Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
