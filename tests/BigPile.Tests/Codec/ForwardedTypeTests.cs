using System;
using System.Text;

namespace BigPile.Tests.Codec;

/// <summary>Types that moved to the codec's assembly are stored by the name of the assembly that they came from.</summary>
public sealed class ForwardedTypeTests
{
    [Theory]
    [InlineData(typeof(PilePointer), "BigPile/BigPile.PilePointer")]
    [InlineData(typeof(PilePointer[]), "BigPile/BigPile.PilePointer[]")]
    [InlineData(typeof(PileException), "BigPile/BigPile.PileException")]
    public void ForwardedTypesKeepTheirStoredNames(Type type, string name)
    {
        object value = type.IsArray
            ? Array.CreateInstance(type.GetElementType()!, 1)
            : type.IsValueType
            ? Activator.CreateInstance(type)!
            : new PileException("");
        var fixture = new CodecFixture();
        byte[] payload = fixture.Write(value);
        Assert.True(fixture.Catalog.TryGet(1, out ReadOnlyMemory<byte> definition));
        Assert.Equal(name, Encoding.UTF8.GetString(definition.Span.Slice(3, definition.Span[2] & 31)));
        Assert.Equal(type, new CodecFixture(catalog: fixture.Catalog).Read(payload).GetType());
    }
}
